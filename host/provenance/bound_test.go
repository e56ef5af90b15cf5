package provenance

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// Hostile repetitions are read with bounded work; what was not looked at is
// said. A quadratic reader does not get through these.
func TestHostileRepetitionsAreBounded(t *testing.T) {
	patterns := []string{"/", "//a", "a//", "@", "a@", "a@b.c,", "\"", "<", "(", "\\u00", "&#", "%", "=\n", "- ", "a: b\n", "{\"a\":", "[", "'", "\"\n", "From: a\n", "a@b ", "://", "mailto:", ", "}
	for _, p := range patterns {
		s := strings.Repeat(p, 1<<19/len(p))
		entities, _ := Canonicalise(s)
		if len(entities) > maxEntities {
			t.Errorf("%q repeated: %d entities", p, len(entities))
		}
		x := New(Options{})
		x.Record(textResult("c", "s", "t", s))
		if f := lookup(x, "nobody@elsewhere.example"); f.Origin != abi.OriginUnproven {
			t.Errorf("%q repeated: %+v", p, f)
		}
	}
	if _, cut := Canonicalise(strings.Repeat("a//", 1<<18)); !cut {
		t.Error("more to look at than the limits allow was not said")
	}
	if _, cut := Canonicalise("see https://a.example/ and b@c.example."); cut {
		t.Error("a plain sentence is cut")
	}
	if len(patterns) == 0 {
		t.Fatal("no patterns")
	}
}
