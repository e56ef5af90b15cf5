package builtin

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

var posix = abi.Place{Dir: "/srv/work", Home: "/home/u", Platform: "linux"}

func TestCanonicalFormIsOneSpelling(t *testing.T) {
	cases := []struct {
		value, platform, want string
	}{
		{"", "", "/srv/work"},
		{".", "", "/srv/work"},
		{"a/./b//c/", "", "/srv/work/a/b/c"},
		{"/", "", "/"},
		{"//x", "", "/x"},
		{"/..", "", "/"},
		{"~", "", "/home/u"},
		{"~/a", "", "/home/u/a"},
		{"$HOME/a", "", "/home/u/a"},
		{"$HOMER/a", "", ""},
		{"file:/a", "", "/a"},
		{"file:a", "", ""},
		{"file://", "", ""},
		{"file:///", "", "/"},
		{"/a/$", "", "/a/$"},
		{"/a/$1", "", "/a/$1"},
		{"/a/%", "", "/a/%"},
		{"/a/%d", "", "/a/%d"},
		{"/a/%PATH%", "", ""},
		{"/a/%20x%20", "", "/a/%20x%20"},
		{`C:\a\..\b`, "windows", "C:/b"},
		{`c:/`, "windows", "C:/"},
		{`c:`, "windows", ""},
		{`\a`, "windows", ""},
		{`a`, "windows", "a"},
		{`..\a`, "windows", ""},
		{`C:\a\...`, "windows", ""},
		{`C:\COM1`, "windows", ""},
		{`C:\COMET`, "windows", "C:/COMET"},
		{`C:\a?`, "windows", ""},
		{`/.vol/1/2`, "darwin", ""},
	}
	for _, c := range cases {
		place := posix
		place.Platform = c.platform
		got, why := canonicalPath(c.value, &place)
		if got != c.want || (got == "") != (why != "") {
			t.Errorf("%q on %q: got %q, %q; want %q", c.value, c.platform, got, why, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestGlobsMatchWholeComponents(t *testing.T) {
	cases := []struct {
		pattern, path string
		below, want   bool
	}{
		{"/srv/work/**", "/srv/work", false, true},
		{"/srv/work/**", "/srv/work/a/b", false, true},
		{"/srv/work/**", "/srv/workshop", false, false},
		{"/srv/work", "/srv/work/a", false, false},
		{"/srv/work", "/srv/work/a", true, true},
		{"/srv/work/", "/srv/work", false, true},
		{"/", "/", false, true},
		{"/", "/a", false, false},
		{"/", "/a", true, true},
		{"/**", "/a/b", false, true},
		{"**", "/a/b", false, true},
		{"**/.env", "/.env", false, true},
		{"**/.env", ".env", false, true},
		{"**/.env", "/a/.env/b", false, false},
		{"**/.env", "/a/.env/b", true, true},
		{"**/.env", "/a/x.env", true, false},
		{"/a/*/c", "/a/b/c", false, true},
		{"/a/*/c", "/a/b/b/c", false, false},
		{"/a/*/c/**", "/a/.b/c", false, true},
		{"/a/{b,c}/x", "/a/c/x", false, true},
		{"/a/\u00e9", "/a/e\u0301", false, false},
		{`C:\a\**`, "C:/a/b", false, true},
		{"c:/a/**", "C:/a/b", false, true},
		{"/a/**", "b", false, false},
		{"~/x/**", "/home/u/x/y", false, true},
		{"~/x/**", "/home/user/x/y", false, false},
	}
	for _, c := range cases {
		g, err := compileGlob(c.pattern, c.below)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.match(c.path, false, &posix); got != c.want {
			t.Errorf("%q on %q, below %v: got %v, want %v", c.pattern, c.path, c.below, got, c.want)
		}
		if c.want && !g.match(strings.ToUpper(c.path), true, &posix) {
			t.Errorf("%q on upper-case %q with fold: no match", c.pattern, c.path)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestLongPathsAreRefused(t *testing.T) {
	if p, why := canonicalPath("/srv/work/"+strings.Repeat("a/../", 10_000)+"x", &posix); why == "" {
		t.Errorf("got %d bytes", len(p))
	}
	if p, why := canonicalPath("/srv/work/"+strings.Repeat("a/../", 1_000)+"x", &posix); p != "/srv/work/x" {
		t.Errorf("got %q, %q", p, why)
	}
}

func TestBadPatternsDoNotCompile(t *testing.T) {
	bad := []string{"", "x/**", "./x", "/a/../b", "/a/./b", "/a/[b", "/a/{b", `\\host\share`}
	for _, p := range bad {
		if _, err := compileGlob(p, false); err == nil {
			t.Errorf("%q compiled", p)
		}
	}
	for _, p := range []string{"/x/**", "**/x", "/a..b", "/a/[b]", "/a/{b}"} {
		if _, err := compileGlob(p, false); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// insideByRel is the reference for containment: what filepath.Rel says.
func insideByRel(root, p string) bool {
	rel, err := filepath.Rel(root, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

func TestContainmentAgreesWithRel(t *testing.T) {
	component := rapid.SampledFrom([]string{"..", ".", "", "srv", "work", "work-private", "workshop", "a", "b c", "...", ".env", "é", "Work"})
	pattern, err := compileGlob("/srv/work/**", false)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		value := strings.Join(rapid.SliceOfN(component, 1, 7).Draw(t, "path"), "/")
		if rapid.Bool().Draw(t, "absolute") {
			value = "/" + value
		}
		got, why := canonicalPath(value, &posix)
		if why != "" {
			t.Fatalf("%q: %s", value, why)
		}
		abs := value
		if !strings.HasPrefix(abs, "/") {
			abs = posix.Dir + "/" + value
		}
		if want := insideByRel("/srv/work", path.Clean(abs)); pattern.match(got, false, &posix) != want {
			t.Fatalf("%q: inside %v, filepath.Rel says %v", value, !want, want)
		}
	})
}

func FuzzPath(f *testing.F) {
	seeds := []string{
		"", ".", "/srv/work/a", "/srv/work/../x", "~/x", "$HOME/x", "${X}/y", "file:///srv/work/%2e%2e/x", "file://h/x", `C:\x`, `\\h\s`,
		"/proc/self/root/x", "/srv/work/a b", "/srv/work/.. ", "%2e%2e/x", "a\\..\\b", "a\x00b", "\xff", "/srv/work/~1", "smb://x",
	}
	for _, s := range seeds {
		f.Add(s)
	}
	allow, err := compileGlob("/srv/work/**", false)
	if err != nil {
		f.Fatal(err)
	}
	places := []abi.Place{posix, {Platform: "linux"}, {Dir: "C:/srv/work", Home: "C:/Users/u", Platform: "windows"}, {Dir: "/w", Platform: "darwin"}}
	f.Fuzz(func(t *testing.T, value string) {
		for i := range places {
			place := &places[i]
			p, why := canonicalPath(value, place)
			if (p == "") == (why == "") {
				t.Fatalf("%q: form %q and reason %q; want exactly one", value, p, why)
			}
			if why != "" {
				continue
			}
			if rooted(p) {
				if again, why := canonicalPath(p, place); again != p {
					t.Fatalf("%q: %q becomes %q (%s)", value, p, again, why)
				}
			}
			for c := range strings.SplitSeq(p, "/") {
				if rooted(p) && c == ".." || strings.ContainsRune(c, 0) {
					t.Fatalf("%q: component %q", value, c)
				}
			}
			otherForms(p)
		}
		if plainPath(value) {
			if slow, why := canonicalPOSIX(value, &posix); slow != value {
				t.Fatalf("%q is taken as it is; the long way gives %q (%s)", value, slow, why)
			}
		}
		p, why := canonicalPath(value, &posix)
		if why == "" && allow.match(p, false, &posix) && !insideByRel("/srv/work", path.Clean(p)) {
			t.Fatalf("%q is accepted and lies at %q", value, p)
		}
	})
}

func FuzzSelf(f *testing.F) {
	for _, s := range []string{
		"callgate approve", "sudo -u x callgate", `sh -c "callgate x"`, "echo '", "$(callgate)", "find . -exec callgate ;", "{a,b/c}*[", "rm -rf ~/.c*",
		"/home/u/.config/callgate", "file:///home/u/%2econfig/callgate", "a=b:c@d</home/u", "cd x; cat y", "-c", "\\", "\"", "`",
	} {
		f.Add(s)
	}
	c, err := NewSelf(&contract.Rules{Tool: "execute_move"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range []abi.Value{
			abi.ObjectValue(abi.Member{Name: "command", Value: abi.StringValue(s)}),
			abi.ObjectValue(abi.Member{Name: "argv", Value: abi.ArrayValue(abi.StringValue(s), abi.StringValue("callgate"))}),
			abi.ObjectValue(abi.Member{Name: s, Value: abi.StringValue(s)}),
		} {
			snapshot := &abi.Snapshot{Call: abi.Call{Arguments: v}}
			snapshot.Session.Place = posix
			snapshot.Session.Protected = []string{"/home/u/.config/callgate"}
			if got := c.Judge(snapshot); got.Outcome == abi.Allow {
				t.Fatal("self granted")
			}
		}
	})
}

func BenchmarkCanonicalPath(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		canonicalPath("/srv/work/some/dir/file.txt", &posix)
	}
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"/srv/**", "**/.env", "~/x", "/a/[b-d]/{e,f}", `C:\x\**`, "/a/[", "/a/../b", "**", "/", `/a\*`} {
		f.Add(s, "/srv/work/a")
	}
	f.Fuzz(func(t *testing.T, pattern, p string) {
		if len(pattern) > 64 || len(p) > 64 {
			return
		}
		exact, err := compileGlob(pattern, false)
		if err != nil {
			return
		}
		below, err := compileGlob(pattern, true)
		if err != nil {
			t.Fatalf("%q compiles for allow and not for deny: %v", pattern, err)
		}
		p, why := canonicalPath(p, &posix)
		if why != "" || !norm.NFC.IsNormalString(pattern) {
			return
		}
		if exact.match(p, false, &posix) && !below.match(p, false, &posix) {
			t.Fatalf("%q matches %q as allow and not as deny", pattern, p)
		}
		if below.match(p, false, &posix) && !below.match(path.Join(p, "x"), false, &posix) {
			t.Fatalf("%q denies %q and not what lies below", pattern, p)
		}
	})
}
