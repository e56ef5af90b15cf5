package wasm

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// cached is what is in a cache: names of entries, and whether each has code.
func cached(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, n := range names {
		_, err := os.Lstat(filepath.Join(dir, n.Name(), quickFile))
		all[n.Name()] = err != nil
	}
	return all
}

// files are the files of a cache.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestModulesAreCompiledInAChild and what compiles fast leaves no code.
func TestModulesAreCompiledInAChild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	for range 2 { // the second finds what the first left
		h := newHost(t, Options{CacheDir: dir, Compiler: compiler})
		p := load(t, h, Source{Name: "counter", Module: guest(t, "counter")})
		if a := p.Evaluate(abi.Value{}); a.Class != "" {
			t.Error(short(a))
		}
		all := cached(t, dir)
		if len(all) != 1 {
			t.Fatalf("the cache has %v; want one entry", all)
		}
		for name, code := range all {
			if code || len(name) != 64 {
				t.Errorf("entry %s, code %t; want a note that there is no need for code", name, code)
			}
		}
	}
}

// TestAFullCompileIsKept and loaded, unless something is wrong with it.
func TestAFullCompileIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	o := Options{CacheDir: dir, Compiler: compiler, Limits: Limits{CompileQuick: 1}} // everything takes longer
	src := Source{Name: "counter", Module: guest(t, "counter")}
	want := ""
	evaluate := func(what string) {
		t.Helper()
		got := short(load(t, newHost(t, o), src).Evaluate(abi.Value{}))
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: %s; first: %s", what, got, want)
		}
	}
	evaluate("first")
	all := files(t, dir)
	if len(all) != 2 || filepath.Base(all[0]) != sealFile {
		t.Fatalf("the cache has %v; want code, and its seal", all)
	}
	slices.Reverse(all)
	was, seal := read(t, all[0]), read(t, all[1])
	o.Compiler = []string{filepath.Join(dir, "no such program")} // nothing is compiled any more
	evaluate("from the cache")

	for _, c := range []struct {
		what  string
		spoil func(string) error
	}{
		{"a file that was cut", func(f string) error { return os.Truncate(f, int64(len(was)/2)) }},
		{"a file that was changed", func(f string) error {
			b := append([]byte(nil), was...)
			b[len(b)/2] ^= 1
			return os.WriteFile(f, b, 0o600)
		}},
		{"where functions are, changed", func(f string) error { // the engine does not see it
			b := append([]byte(nil), was...)
			b[32] ^= 8
			return os.WriteFile(f, b, 0o600)
		}},
		{"its last byte changed", func(f string) error {
			b := append([]byte(nil), was...)
			b[len(b)-1] ^= 1
			return os.WriteFile(f, b, 0o600)
		}},
		{"another seal", func(string) error { return os.WriteFile(all[1], append([]byte("0"), seal[1:]...), 0o600) }},
		{"no seal", func(string) error { return os.Remove(all[1]) }},
		{"no code", func(f string) error { return os.Remove(f) }},
		{"code of another version", func(f string) error { return os.Rename(filepath.Dir(f), filepath.Dir(f)+"x") }},
		{"code for another module", func(f string) error { return os.Rename(f, f+"0") }},
		{"more code", func(f string) error { return os.WriteFile(f+"0", was, 0o600) }},
		{"a file that others can write to", func(f string) error { return os.Chmod(f, 0o666) }},
		{"a directory that others can read", func(f string) error { return os.Chmod(filepath.Dir(f), 0o755) }},
		{"a link", func(f string) error {
			if err := os.Rename(f, f+".there"); err != nil {
				return err
			}
			return os.Symlink(f+".there", f)
		}},
	} {
		if err := c.spoil(all[0]); err != nil {
			t.Fatal(err)
		}
		if e := fails(t, newHost(t, o), src); e.Class != abi.FailLoad || !strings.Contains(e.Detail, "no such program") {
			t.Errorf("%s: %v; want that it is not used", c.what, e)
		}
		if left := files(t, dir); len(left) != 0 {
			t.Fatalf("%s: the cache still has %v", c.what, left)
		}
		if err := os.MkdirAll(filepath.Dir(all[0]), 0o700); err != nil {
			t.Fatal(err)
		}
		for i, b := range [][]byte{was, seal} {
			if err := os.WriteFile(all[i], b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		evaluate("after " + c.what)
	}
}

// TestACacheIsTheUsersOwn or there is no host.
func TestACacheIsTheUsersOwn(t *testing.T) {
	dir := t.TempDir()
	file, open, link := filepath.Join(dir, "file"), filepath.Join(dir, "open"), filepath.Join(dir, "link")
	for _, err := range []error{os.WriteFile(file, nil, 0o600), os.Mkdir(open, 0o700), os.Chmod(open, 0o750), os.Symlink(dir, link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{open: "has the mode 0750; want 0700", link: "is not a file or directory", file: "not a directory"} {
		if h, err := New(Options{CacheDir: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, error %v; want %q", path, h, err, want)
		}
	}
	newHost(t, Options{CacheDir: filepath.Join(dir, "new", "cache")})
}

// TestACompilerThatIsSlowIsStopped and one that says nonsense is not believed.
func TestACompilerThatIsSlowIsStopped(t *testing.T) {
	for _, c := range []struct {
		script, want string
	}{
		{"sleep 60", "compiling took longer than 50ms, and was stopped"},
		{"cat >/dev/null; echo so sorry >&2; exit 1", "the process that compiles: so sorry"},
		{"cat >/dev/null; kill -9 $$", "the process that compiles: signal: killed"},
		{"cat >/dev/null; echo soon", `said "soon\n"; want a number of microseconds`},
		{"cat >/dev/null; echo -1", `want a number of microseconds`},
	} {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		wall := time.Duration(0)
		if strings.HasPrefix(c.script, "sleep") {
			wall = 50 * time.Millisecond
		}
		h := newHost(t, Options{CacheDir: dir, Compiler: []string{"/bin/sh", "-c", c.script}, Limits: Limits{CompileWall: wall}})
		e := fails(t, h, Source{Name: "abstain", Module: guest(t, "abstain")})
		if e.Class != abi.FailLoad || !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %v; want %q", c.script, e, c.want)
		}
		if left := cached(t, dir); len(left) != 0 {
			t.Errorf("%s: the cache has %v", c.script, left)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h := newHost(t, Options{Compiler: compiler})
	if p, err := h.Load(ctx, Source{Name: "abstain", Module: guest(t, "abstain")}); err == nil {
		p.Close()
		t.Error("loaded under a context that has ended")
	}
}

// TestTheChildRefusesWhatIsNotAModule and wrong arguments.
func TestTheChildRefusesWhatIsNotAModule(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		in   string
		exit int
	}{
		{nil, "", 2}, {[]string{dir, engineCompiler, "0s", "1s"}, "", 2}, {[]string{dir, engineCompiler, "1s", "x"}, "", 2}, {[]string{dir, engineCompiler, "1s"}, "", 2},
	} {
		var out, err strings.Builder
		if exit := CompileMain(c.args, strings.NewReader(c.in), &out, &err); exit != c.exit || out.Len() != 0 || err.Len() == 0 {
			t.Errorf("%q: exit %d, %q, %q; want %d", c.args, exit, out.String(), err.String(), c.exit)
		}
	}
	for _, interpreter := range []bool{false, true} {
		if _, err := compileInto(dir, interpreter, strings.NewReader("\x00asm junk")); err == nil {
			t.Error("compiled junk")
		}
		if _, err := compileInto(dir, interpreter, strings.NewReader(string(guest(t, "abstain")))); err != nil {
			t.Error(err)
		}
	}
}

// TestOldEntriesGo first those that were used last long ago, and what children
// left.
func TestOldEntriesGo(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	entry := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * maxEntries {
		entry(strings.Repeat("0", 61)+string([]byte{'a' + byte(i/36), 'a' + byte(i/6%6), 'a' + byte(i%6)}), time.Duration(i)*time.Minute)
	}
	entry(freshPrefix+"1", 2*staleAfter)
	entry(freshPrefix+"2", staleAfter/2)
	entry("someone's", 1000*time.Hour)
	prune(dir)
	left := cached(t, dir)
	_, newest := left[strings.Repeat("0", 61)+"aaa"]
	_, stale := left[freshPrefix+"1"]
	_, fresh := left[freshPrefix+"2"]
	_, other := left["someone's"]
	if len(left) != maxEntries-1+2 || !newest || stale || !fresh || !other {
		t.Errorf("%d entries, newest %t, stale %t, fresh %t, other %t on %s", len(left), newest, stale, fresh, other, runtime.GOOS)
	}
}
