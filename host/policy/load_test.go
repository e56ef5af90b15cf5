package policy

import (
	"testing"
)

func TestStarterIsInForceWithoutFiles(t *testing.T) {
	p, err := Load(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(p.Settings(), p.Files(), p.Notes(), p.Digest())
	for _, d := range recorded(t, "gmail") {
		t.Log(show(p.Rules("x", d)), p.Budgets("x", d))
	}
	q, err := Decode(p.Value())
	if err != nil {
		t.Fatal(err)
	}
	if !q.Value().Equal(p.Value()) {
		t.Error("differs")
	}
	t.Log(p.Value().String())
}
