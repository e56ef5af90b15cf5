package builtin

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestNothingNearIsRemote puts texts together from what ways to a protected path
// are made of, and holds the quick answer against the long one.
func TestNothingNearIsRemote(t *testing.T) {
	pieces := []string{
		"/", "//", "../", "./", "..", "callgate", "CallGate", "call", "gate", "state", "/home/u/.local", "/state/callgate", ".local/", "u/", "/home/", "policy.yaml", "org",
		"file:", "file://h", "file:///", "~", "~/", "$HOME/", "${HOME}/", "%2f", "%63", `\`, " ", "; ", "=", ",", `"`, "(", "\n", "ſtate", "\u212a", "/proc/1/root/", "/PROC/",
		"root/", "C:", "c:/", "?", "#x", "x", "etc/", "/etc/", "\x00", "é",
	}
	places := []abi.Place{
		{Dir: "/srv/work", Home: "/home/u", Platform: "linux"}, {Dir: "/home/u", Home: "/home/u", Platform: "linux"}, {Platform: "linux"},
		{Dir: "/home/u/.local/state/callgate/x", Home: "/home/u"}, {Dir: "/home/u/.local/state", Home: "/home/u", Platform: "darwin"}, {Dir: "/", Platform: "linux"},
		{Dir: "/proc/1/root/home/u/.local/state", Home: "/home/u"}, {Dir: `C:\work`, Home: `C:\Users\u`, Platform: "windows"}, {Dir: "/home/u/a/../.local"},
	}
	protected := [][]string{
		{"/home/u/.local/state/callgate"}, {"/srv/work/policy.yaml", "/etc/callgate", "/etc/org/policy.yaml"}, {"/"}, {"/home/u/.local/ſtate/é"}, {"relative/callgate"},
	}
	random := rand.New(rand.NewPCG(1, 2))
	remote, near := 0, 0
	for range 60000 {
		s := ""
		for range 1 + random.IntN(6) {
			s += pieces[random.IntN(len(pieces))]
		}
		l := look{Self: &Self{}, place: &places[random.IntN(len(places))]}
		for _, p := range protected[random.IntN(len(protected))] {
			l.protected = append(l.protected, protectedForm(p, l.place))
		}
		l.remote.keepAway(&l)
		reached := l.below(s, l.place) || l.wordTouches(s) || l.mentions(s)
		switch {
		case reached && l.remote.from(s):
			t.Fatalf("%q reaches one of %q from %+v, and is said to be remote", s, l.protected, *l.place)
		case reached:
			near++
		case l.remote.from(s):
			remote++
		}
	}
	if remote < 1000 || near < 1000 {
		t.Errorf("%d texts are remote and %d are near", remote, near)
	}
}

func TestProseIsRemote(t *testing.T) {
	l := look{Self: &Self{}, place: &abi.Place{Dir: "/srv/work", Home: "/home/u"}, protected: []string{"/home/u/.local/state/callgate"}}
	l.remote.keepAway(&l)
	for text, want := range map[string]bool{
		"the quarterly report is late: see https://example.com/a?b=c": true, "": true, "/srv/work/a.txt": true, "call the gate": true,
		"/home/u/.local/state/Callgate": false, "callgate": false, "100%": false, "~/x": false, "é": false,
	} {
		if got := l.remote.from(text); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
}

// TestAScreenHidesNoMatch holds screened patterns against the bare ones.
func TestAScreenHidesNoMatch(t *testing.T) {
	patterns := []string{`drop\s+table`, `(?i:truncate\s)`, `into\s+(out|dump)file`, `a|b`, `[xy]z`, `(?i)Sk`, `^select`, `x*`, `(ab)+c`, `é`, `\bor\b.*=`, `(?:drop|alter)\s`, `[^a]b`}
	pieces := []string{"drop", "DROP", " ", "table", "into", "outfile", "\t", "a", "b", "x", "z", "s", "K", "ſ", "\u212a", "select", "é", "É", "or", "=", "1", "alter", "abc"}
	var list []*regexp.Regexp
	for _, p := range patterns {
		list = append(list, regexp.MustCompile(p), regexp.MustCompile("(?i:"+p+")"))
	}
	screened := screen(list)
	random := rand.New(rand.NewPCG(3, 4))
	some, none := 0, 0
	for range 20000 {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		i := random.IntN(len(list))
		want := slices.ContainsFunc(list[i:i+1], func(re *regexp.Regexp) bool { return re.MatchString(b.String()) })
		if got := anyMatches(screened[i:i+1], b.String()); got != want {
			t.Fatalf("%s in %q: got %t", list[i], b.String(), got)
		}
		if want {
			some++
		} else {
			none++
		}
	}
	if some < 1000 || none < 1000 {
		t.Errorf("%d matches, %d texts without", some, none)
	}
}
