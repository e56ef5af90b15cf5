package policy

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPlacesAreTheRulesThatVerdictsName(t *testing.T) {
	p := layered(t, "callgate: 1\nsettings: {default: deny}\nbudgets: [{name: b, tools: [s/t], max: 1}]\n",
		"callgate: 1\nsettings: {mode: enforce}\nservers:\n  s: {verdict: ask, resources: {args: [{arg: uri, match: x}]}, requests: {roots: deny, sampling: {verdict: ask}}, methods: {v/x: deny}}\n"+
			"tools:\n  s/t:\n    risk: high\n    max_calls: 1\n    sink: {to: [to], trusted: [a@b.example]}\n    args:\n      - {arg: a, max: 1}\n      - {arg: b, max: 1}\n  s/u: {sink: {trusted: [a@b.example]}}\n"+
			"labels: [{name: l, from: [s/t]}]\n")
	var got []string
	for _, place := range p.Places() {
		got = append(got, place.Rule)
		if place.Names(place.Rule) == false || !place.Names(place.Rule+".verdict") || place.Names(place.Rule+"x") {
			t.Errorf("%s names itself and its parts only", place.Rule)
		}
	}
	want := []string{
		"l1.yaml:4: servers.s.methods.v/x", "l1.yaml:4: servers.s.requests.roots", "l1.yaml:4: servers.s.requests.sampling.verdict",
		"l1.yaml:4: servers.s.resources.args[0]", "l1.yaml:4: servers.s.verdict", "l1.yaml:8: tools.s/t.max_calls", "l1.yaml:9: tools.s/t.sink",
		"l1.yaml:11: tools.s/t.args[0]", "l1.yaml:12: tools.s/t.args[1]", "l1.yaml:14: labels[0]", "l0.yaml:2: settings.default", "l0.yaml:3: budgets[0]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p := mustLoad(t, "callgate: 1\ninclude: [starter]\n"); len(p.Places()) > 0 {
		t.Errorf("the built-in policy: %v", p.Places())
	}
}

// Every place is a member that files can have.
func TestPlacesArePartsOfTheLanguage(t *testing.T) {
	for _, pattern := range rulePlaces {
		at := reflect.TypeFor[file]()
		for _, word := range strings.Split(strings.TrimSuffix(pattern, "="), "/")[1:] {
			form, inner := formOf(at)
			if form == wordForm {
				form, inner = formOf(inner.Field(1).Type)
			}
			switch {
			case form == mapForm || form == listForm:
				at = inner.Elem()
			case form == structForm && word == "*":
				at = fieldsOf(inner)[0].typ
			case form == structForm:
				i := slices.IndexFunc(fieldsOf(inner), func(f field) bool { return f.name == word })
				if i < 0 {
					if !slices.Contains([]string{"attest", "plugins", "results", "capability"}, word) {
						t.Errorf("%s: no member %q", pattern, word)
					}
					at = reflect.TypeFor[map[string]string]()
					continue
				}
				at = fieldsOf(inner)[i].typ
			default:
				t.Errorf("%s: nothing below %q", pattern, word)
			}
		}
	}
}
