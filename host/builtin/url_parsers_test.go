package builtin

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// urlParts are what tricky URLs are made of.
var urlParts = struct{ schemes, slashes, users, hosts, ports, tails, mangles []string }{
	schemes: []string{"http", "https", "HTTP", "ws", "ftp", "docs", "postgres", "javascript", "", "file", "ht tp", "git+ssh", "h"},
	slashes: []string{"://", ":/", ":", ":///", `:\\`, `:/\`, "//", `\\`, "/", ""},
	users:   []string{"", "u@", "u:p@", "docs.example@", "@", "a@b@", "u%40@", "[::1]@", "x:y:z@", `u\@`},
	hosts: []string{
		"docs.example", "DOCS.Example", "docs.example.", "docs.example..", "docs..example", ".docs.example", "a_b.example", "-a.example", "a--b.example", "xn--bcher-kva.example", "xn--a.example", "XN--BCHER-KVA.example", "xn--faß.example",
		"bücher.example", "BÜCHER.example", "faß.example", "docs。example", "docs．example", "ｄocs.example", "doc\u00ads.example", "doc\u200bs.example", "docs\u2024example", "ⓓocs.example", "Kdocs.example", "İ.example", "ς.example", "ﬀ.example",
		"127.0.0.1", "127.0.0.1.", "127.1", "2130706433", "0x7f.0.0.1", "0x7F000001", "0177.0.0.1", "010.8.8.8", "256.1.1.1", "1.2.3.4.5", "1.2.3", "0x", "0x.1", "08.1.1.1", "4294967296", "1_0.1.1.1", "0b1.1.1.1", "1e3", "a.1", "a.0x1", "1.a", "١.1.1.1", "１.1.1.1",
		"[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::1%25eth0]", "[::1%eth0]", "[::127.0.0.1]", "[1:2:3:4:5:6:7::]", "[::g]", "[v1.x]", "[127.0.0.1]", "[::1", "::1", "[::01.2.3.4]",
		"docs%2eexample", "doc%73.example", "docs.example%2f", "docs.example%00", "%", "docs.example%", "$HOST", "{host}", "a b.example", "a|b", "a^b", "a`b", "a'b", `a"b`, "a<b", "a!b", "a~b", "a,b", "a;b", "a=b", "a+b", "a*b", "(a)", "localhost", "", strings.Repeat("a", 64) + ".example",
	},
	ports: []string{"", ":", ":80", ":443", ":0080", ":8080", ":65536", ":99999999999", ":8a", ":-1", ":80:80", ":８０", ": 80", ":%38"},
	tails: []string{
		"", "/", "/a/b", "/../x", "?q", "#f", "?q@evil.example", "#@evil.example/", "/@evil.example", "/a b", "/%zz", `\evil.example`, `\@evil.example`, "/\\x", "//x", "/a,b", ";x", "&x", "/ü", "@evil.example", "/{x}", "/a#b?c", "/a?b#c",
	},
	mangles: []string{"\t", "\n", "\r", " ", "\x00", "\x01", "\x1f", "\x7f", "\u00a0", "\u3000", "\ufeff", "\u2028", "\u200d", "%09", "\\", "@", ":", "/", "?", "#", "[", "]", ".", "%", "．", "／", "＠", "："},
}

// trickyURLs makes n URLs, the same every time.
func trickyURLs(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	of := func(list []string) string { return list[r.IntN(len(list))] }
	// Most parts of most URLs are plain, so that one odd part decides.
	mostly := func(list []string) string {
		if r.IntN(3) > 0 {
			return list[0]
		}
		return of(list)
	}
	var all []string
	for _, host := range urlParts.hosts {
		all = append(all, "http://"+host+"/", "https://u@"+host, "docs://"+host+"/x", "http://"+host+":81/x", "//"+host)
	}
	for len(all) < n {
		p := &urlParts
		s := mostly(p.schemes) + mostly(p.slashes) + mostly(p.users) + of(p.hosts) + mostly(p.ports) + of(p.tails)
		for range max(0, r.IntN(4)-1) {
			at := r.IntN(len(s) + 1)
			s = s[:at] + of(p.mangles) + s[at:]
		}
		all = append(all, strings.ToValidUTF8(s, ""))
	}
	return all
}

// nodeReads prints, for each URL of a list, the hosts that Node finds: of the URL
// alone, and of one that a page refers to.
const nodeReads = `
const host = (s, base) => { try { return new URL(s, base).hostname } catch { return null } };
let text = ""; process.stdin.setEncoding("utf8");
process.stdin.on("data", d => text += d).on("end", () =>
  process.stdout.write(JSON.stringify(JSON.parse(text).map(s => [host(s), host(s, "https://base.example/"), host(s, "http://base.example/x")]))));`

// TestNodeReadsEveryURLThatPassesAsWeDo holds our reading of hosts against the
// URL parser of WHATWG, as Node has it: where they disagree, we refuse.
func TestNodeReadsEveryURLThatPassesAsWeDo(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal("no node; install it")
		}
		t.Skip("no node")
	}
	urls := trickyURLs(40000)
	items := make([]abi.Value, len(urls))
	for i, s := range urls {
		items[i] = abi.StringValue(s)
	}
	cmd := exec.Command("node", "-e", nodeReads)
	cmd.Stdin = bytes.NewReader(abi.ArrayValue(items...).Append(nil))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := value(t, string(out)).Items()
	if len(answers) != len(urls) {
		t.Fatalf("%d answers for %d URLs", len(answers), len(urls))
	}
	read, refused := 0, 0
	for i, s := range urls {
		a, doubt := readURL(s)
		if doubt != "" {
			refused++
			continue
		}
		read++
		alone, under := answers[i].Items()[0], answers[i].Items()[1:]
		switch {
		case a.scheme != "" && a.host != "":
			if alone.Kind() == abi.Null || plainHostOf(alone.Str()) != a.host {
				t.Errorf("%q: Node reads %q, we %q", s, alone.Str(), a.host)
			}
		case slices.Contains(scripts, a.scheme): // what Node takes for a host is none to a browser
		case a.scheme != "" && a.scheme != "file":
			if h := alone.Str(); h != "" {
				t.Errorf("%q: Node reads %q, we no host", s, h)
			}
		case strings.HasPrefix(s, "//"), a.host == "":
			want := a.host
			if want == "" && a.scheme == "" {
				want = "base.example"
			}
			for _, u := range under {
				if h := plainHostOf(u.Str()); a.scheme == "" && h != want {
					t.Errorf("%q: Node reads %q below another URL, we %q", s, h, want)
				}
			}
		}
	}
	if read < 1000 || refused < 1000 {
		t.Fatalf("%d read, %d refused; want many of both", read, refused)
	}
	t.Logf("%d read alike, %d refused", read, refused)
}

// plainHostOf is a host as Node prints it in our spelling.
func plainHostOf(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap().String()
	}
	return host
}

// TestGoReadsEveryURLThatPassesAsWeDo holds our reading of hosts against net/url,
// as servers in Go have it: where it takes a URL, it takes it for the same host.
func TestGoReadsEveryURLThatPassesAsWeDo(t *testing.T) {
	read, refused := 0, 0
	for _, s := range trickyURLs(40000) {
		a, doubt := readURL(s)
		u, err := url.Parse(s)
		if doubt != "" || a.scheme == "" || a.host == "" || err != nil {
			refused++
			continue
		}
		read++
		host := plainHostOf(u.Hostname())
		if !strings.Contains(a.host, "xn--") && host != a.host {
			t.Errorf("%q: net/url reads %q, we %q", s, host, a.host)
		}
	}
	if read < 1000 || refused < 1000 {
		t.Fatalf("%d read, %d refused; want many of both", read, refused)
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range trickyURLs(600) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, read := range []func(string) (address, string){readURL, readHostValue} {
			a, doubt := read(s)
			if b, again := read(s); a != b || doubt != again {
				t.Fatalf("%q: two readings", s)
			}
			if doubt != "" || a.host == "" {
				continue
			}
			// What is read is a plain spelling of itself, with the same answers.
			plain := a.host
			if a.ip.Is6() {
				plain = "[" + plain + "]"
			}
			b, doubt := readURL("http://" + plain + "/")
			if doubt != "" || b.host != a.host || b.private() != (&address{host: a.host, ip: a.ip}).private() {
				t.Fatalf("%q: host %q reads as %q (%s)", s, a.host, b.host, doubt)
			}
			if u, err := url.Parse("http://" + plain + "/"); err != nil || plainHostOf(u.Hostname()) != a.host {
				t.Fatalf("%q: net/url does not read %q", s, plain)
			}
			pathForms(a.path)
			if pathDoubt(a.path, false) == "" && canonicalPathOf(canonicalPathOf(a.path)) != canonicalPathOf(a.path) {
				t.Fatalf("%q: path %q has no canonical form", s, a.path)
			}
		}
	})
}

func FuzzURLPattern(f *testing.F) {
	for _, s := range []string{"*", "*.corp.example", "10.0.0.0/8", "https://docs.example/guide/**", "docs://**", "note:*", "[::1]:80", "http://localhost:*", "*://x.example:8/[a-z]{b,c}/**"} {
		f.Add(s, "https://docs.example/guide/a")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		p, err := newURLPattern(pattern)
		a, doubt := readURL(s)
		if err != nil || doubt != "" {
			return
		}
		if p.allows(&a) && !p.denies(&a) {
			t.Fatalf("pattern %q allows %q, and does not deny it", pattern, s)
		}
	})
}
