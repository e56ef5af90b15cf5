package callgate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// theirs is the comment behind a call that says what the other product decides
// where that differs, and why the translation may be the looser one.
var theirs = regexp.MustCompile(`want: \{outcome: (\w+).* # (bouncer|visor): (allow|ask|deny)(?:; (.+))?$`)

// TestCallsGetWhatTheOtherProductDecides judges calls by translated policies. What
// is not the same is stricter, or is said with its reason, and in the documents.
func TestCallsGetWhatTheOtherProductDecides(t *testing.T) {
	for _, product := range []string{"bouncer", "visor"} {
		data, err := os.ReadFile(filepath.Join("testdata", "import", product+".txtar"))
		_, both, _ := strings.Cut(string(data), "-- "+product+".yaml --\n")
		from, cases, ok := strings.Cut(both, "-- cases.yaml --\n")
		if err != nil || !ok {
			t.Fatalf("%s: %v", product, err)
		}
		text, err := sample{info: "yaml " + product, text: from}.translated()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range runSample(sample{doc: product, text: cases}, text) {
			t.Error(x)
		}
		if n := strings.Count(cases, "{call: "); n < 60 {
			t.Errorf("%s: %d calls; want 60", product, n)
		}
		for i, line := range strings.Split(cases, "\n") {
			if m := theirs.FindStringSubmatch(line); m != nil {
				if why := different(m[1], m[3], m[4]); m[2] != product || why != "" {
					t.Errorf("%s: %d: %s", product, i+1, why)
				}
			} else if strings.Contains(line, " # ") {
				t.Errorf("%s: %d: a comment that says no outcome", product, i+1)
			}
		}
	}
}

// different says what is wrong with an outcome beside another product's.
func different(ours, other, reason string) string {
	a, okA := abi.ParseOutcome(ours)
	b, okB := abi.ParseOutcome(other)
	switch {
	case !okA || !okB || a == b:
		return fmt.Sprintf("%s beside %s is no difference", ours, other)
	case a > b && reason == "":
		return fmt.Sprintf("%s where the other product says %s; give the reason", ours, other)
	}
	return ""
}

func TestADifferenceThatLoosensNeedsAReason(t *testing.T) {
	for _, c := range []struct {
		ours, other, reason string
		ok                  bool
	}{
		{"deny", "allow", "", true}, {"ask", "allow", "", true}, {"allow", "deny", "", false},
		{"allow", "ask", "", false}, {"allow", "deny", "it is another domain", true}, {"deny", "deny", "", false},
	} {
		if got := different(c.ours, c.other, c.reason); (got == "") != c.ok {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
