package facts

import (
	"testing"

	"github.com/callgate/callgate/abi"
)

func world(t *testing.T, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhereLinksLead(t *testing.T) {
	links := `{"/srv/work/leak":"/etc/passwd","/tmp":"/private/tmp","/srv/work/up":"../other","/srv/work/here":"a/b","/loop":"/loop",
		"/a":"/b","/b":"c/../c","/odd":null,"/proc/self/root":"/","/empty":""}`
	for _, c := range []struct{ path, want string }{
		{"/srv/work/readme.md", "/srv/work/readme.md"},
		{"/srv/work/leak", "/etc/passwd"},
		{"/srv/work/leak/below", "/etc/passwd/below"},
		{"/tmp/job/x.txt", "/private/tmp/job/x.txt"},
		{"/private/tmp/job/x.txt", "/private/tmp/job/x.txt"},
		{"/srv/work/up/x", "/srv/other/x"},
		{"/srv/work/up/../x", "/srv/x"},
		{"/srv/work/here/../c", "/srv/work/a/c"},
		{"/srv//work/./x/", "/srv/work/x"},
		{"/..", "/"},
		{"/a", "/c"},
		{"/loop", ""},
		{"/odd/x", ""},
		{"/proc/self/root/etc", ""},
		{"/empty", ""},
		{"relative", ""},
		{"/nul\x00", ""},
	} {
		got := World(world(t, links))([]abi.Need{{Path: c.path}}).Get("links").Get(c.path)
		if !got.Exists() || got.Str() != c.want {
			t.Errorf("%s leads to %s, want %q", c.path, got, c.want)
		}
	}
}

func TestOnlyBelowRootsIsLookedAt(t *testing.T) {
	looked := map[string]bool{}
	look := func(p string) (string, kind) {
		looked[p] = true
		if p == "/tmp" {
			return "/private/tmp", isLink
		}
		return "", isNode
	}
	roots := []string{"/tmp/job", "/srv"}
	got := find([]abi.Need{
		{Path: "/srv/x", Roots: roots}, {Path: "/srvother/x", Roots: roots}, {Path: "/private/tmp/job/y", Roots: roots}, {Path: "/home/u/z", Roots: roots},
		{Path: "/srv/../home/u", Roots: roots},
	}, look).Get("links")
	for path, want := range map[string]bool{
		"/srv/x": true, "/tmp/job": true, "/srv": true, "/private/tmp/job/y": true, "/srvother/x": false, "/home/u/z": false, "/srv/../home/u": false,
	} {
		if got.Get(path).Exists() != want {
			t.Errorf("%s is among what was found: %v, want %v", path, !want, want)
		}
	}
	for _, path := range []string{"/srvother", "/home", "/home/u"} {
		if looked[path] {
			t.Errorf("%s was looked at", path)
		}
	}
	if find(nil, look).Exists() {
		t.Error("facts of nothing")
	}
}

func TestWhatMovesMeanwhileIsNotResolved(t *testing.T) {
	n := 0
	look := func(p string) (string, kind) {
		if n++; p == "/srv/x" && n > 2 {
			return "/etc", isLink
		}
		return "", isNode
	}
	got := links([]abi.Need{{Path: "/srv/x"}}, look).Get("links").Get("/srv/x")
	if got.Kind() != abi.Null {
		t.Errorf("a path that became a link leads to %s", got)
	}
	still := func(string) (string, kind) { return "", isNode }
	if got := links([]abi.Need{{Path: "/srv/x"}}, still).Get("links").Get("/srv/x"); got.Str() != "/srv/x" {
		t.Errorf("a path that stays leads to %s", got)
	}
}
