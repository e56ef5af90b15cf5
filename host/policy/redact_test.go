package policy

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/redact"
)

// TestRedactJoinsOverLayers: entries append, those of lower files first, and of the
// floor last.
func TestRedactJoinsOverLayers(t *testing.T) {
	files := memory{
		"/p/team.yaml":  head("include: [org.yaml]", "redact: [{name: b, pattern: q2, in: [results]}]"),
		"/p/org.yaml":   head("redact: [{name: a, pattern: q1}]"),
		"/p/floor.yaml": head("redact: [{name: c, pattern: q3, in: [ledger]}]"),
		"/p/same.yaml":  head("include: [org.yaml]", "redact: [{name: a, pattern: q2}]"),
		"/p/clash.yaml": head("include: [org.yaml]", "redact: [{name: z, pattern: \"cted: a\"}]"),
	}
	p, err := Load(Options{Files: []string{"/p/team.yaml"}, Floor: "/p/floor.yaml", Read: files.read})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range p.Redact().Entries() {
		names = append(names, e.Name+" "+e.Rule)
	}
	if got := strings.Join(names, ", "); got != "a org.yaml:2: redact[0], b team.yaml:3: redact[0], c floor.yaml:2: redact[0]" {
		t.Errorf("got %s", got)
	}
	again, err := Decode(p.Value())
	if err != nil || again.Redact().Text(redact.Ledger, "q1 q2 q3") != "[redacted: a] q2 [redacted: c]" {
		t.Errorf("decoded: %v, %q", err, again.Redact().Text(redact.Ledger, "q1 q2 q3"))
	}
	for name, want := range map[string]string{"/p/same.yaml": `entry "a" is already in org.yaml:2`, "/p/clash.yaml": `the replacement of "a"`} {
		if _, err := Load(Options{Files: []string{name}, Read: files.read}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
}

// TestAPackRedactsWhereItIsNamed and not where it is merely there.
func TestAPackRedactsWhereItIsNamed(t *testing.T) {
	pack, errs := readLayer("packs/keys.yaml", "", []byte(head("redact: [{name: a, pattern: q1}]")), packRole)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pack.pack, pack.label = "keys", "packs/keys.yaml"
	for text, binds := range map[string]bool{
		head(): false, head("packs: auto"): false, head("packs: [keys]"): true, head("packs: none", "servers: {s: {pack: keys}}"): true, head("packs: [other]"): false,
	} {
		y, errs := readLayer("/p/a.yaml", "/p", []byte(text), userRole)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		p := &Policy{layers: []*layer{y}, packs: []*layer{pack}}
		if errs := p.joinRedact(); len(errs) > 0 {
			t.Fatal(errs)
		}
		if got := p.Redact().Covers(redact.Results); got != binds {
			t.Errorf("%q: %v, want %v", text, got, binds)
		}
	}
}
