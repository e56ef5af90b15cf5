package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
)

// loadDrawn loads layers, the lowest first, and a floor.
func loadDrawn(floor string, texts ...string) (*Policy, error) {
	m, o := memory{"/p/floor.yaml": floor}, Options{Specs: builtin.Table()}
	for i, s := range texts {
		path := fmt.Sprintf("/p/l%d.yaml", i)
		m[path] = s
		o.Files = append(o.Files, path)
	}
	if floor != "" {
		o.Floor = "/p/floor.yaml"
	}
	o.Read, o.Module = m.read, func(string) ([]byte, error) { return drawnModule(), nil }
	return Load(o)
}

// drawnModule is a module that says to judge everything, and takes any settings.
func drawnModule() []byte {
	module, err := abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), []byte(`{"schema":"callgate.plugin/v0","name":"x","version":"1.0.0","abi":"1.0",`+
		`"phases":["call","result","list"],"kinds":["tool","resource","prompt","completion","sampling","elicitation","roots","method"],"settings":{}}`))
	if err != nil {
		panic(err)
	}
	return module
}

// judgedTools are definitions that drawn rules are made for: with arguments that
// packs and heuristics take for something, and without a schema.
func judgedTools() []abi.Value {
	return []abi.Value{
		named("t"), named("send_email"), defined("t", "to", "path", "command", "url", "q", "limit", "a"), defined("send_email", "to", "subject", "body", "cc"),
		defined("delete_t", "path"), defined("send_message", "channel", "recipient", "repo", "owner"),
	}
}

// broken makes every contract of whatever a policy judges, as the gate does, and
// returns what can not be made.
func broken(p *Policy) error {
	all := []*Policy{p}
	if p.floor != nil {
		all = append(all, p.floor)
	}
	holds := func([]string) bool { return true }
	for _, p := range all {
		for _, server := range []string{"s", "gmail", "other one", "nobody"} {
			var rules []contract.Rules
			for _, d := range judgedTools() {
				p.Budgets(server, d)
				rules = append(append(rules, p.Rules(server, d)), p.RulesUnder(server, d, holds)...)
			}
			for _, kind := range abi.Kinds {
				rules = append(rules, p.RulesFor(server, kind, methodOf(kind)), p.RulesFor(server, kind, "vendor/x"))
			}
			for i := range rules {
				for _, spec := range builtin.Table() {
					if _, err := spec.New(&rules[i]); err != nil {
						return fmt.Errorf("%s/%s (%s): %s: %w", server, rules[i].Tool, rules[i].Kind, spec.Name, err)
					}
				}
			}
		}
	}
	return nil
}

// TestWhatLoadsNeverBreaksACall draws policies over every key: one that loads can
// be decoded as the gate does, and each of its contracts be made, for whatever
// tool and kind of call. So POLICY_BROKEN is out of a user's reach.
func TestWhatLoadsNeverBreaksACall(t *testing.T) {
	d := newDrawn(3)
	d.gather(func(text string) bool {
		_, err := loadDrawn("", text)
		return err == nil
	})
	if len(d.args) < 300 {
		t.Fatalf("%d rules of args load; want some of each kind", len(d.args))
	}
	keys := keysOf(reflect.TypeFor[file](), nil)
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return key == "file.include" })
	seen, loaded := map[string]bool{}, 0
	// Some keys are rare: it goes on until each was in a policy that loads.
	all := func() bool { return !slices.ContainsFunc(keys, func(key string) bool { return !seen[key] }) }
	for n := 0; n < 450 || n < 4000 && !all(); n++ {
		texts, floor := []string{d.file()}, ""
		if d.IntN(2) == 0 {
			texts = append(texts, d.file())
		}
		if d.IntN(5) == 0 {
			floor = d.file()
		}
		p, err := loadDrawn(floor, texts...)
		if err != nil {
			continue
		}
		loaded++
		for _, s := range append(texts, floor) {
			v, _ := abi.Parse([]byte(s))
			marks(seen, reflect.TypeFor[file](), v)
		}
		q, err := Decode(p.Value())
		if err != nil {
			t.Fatalf("does not decode: %v\n%s\nfloor %s", err, strings.Join(texts, "\n"), floor)
		}
		if err := broken(q); err != nil {
			t.Fatalf("%v\n%s\nfloor %s", err, strings.Join(texts, "\n"), floor)
		}
	}
	if loaded < 200 {
		t.Errorf("%d policies load; want more", loaded)
	}
	for _, key := range keys {
		if !seen[key] {
			t.Errorf("no policy that loads has %s", key)
		}
	}
}
