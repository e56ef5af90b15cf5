package builtin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// Origin judges where the value of an argument came from, whatever it is.
//
// Policy:
//
//	tools:
//	  bank/update_password:
//	    args: [{arg: password, origin: [client]}]
//
// `client` is what the user said through the process's own channel, `trusted` is
// a whole field that vouches under `sources:`. Every scalar and every member name
// below the argument is judged. One that stood in an output is denied, unless the
// rule's own `verdict:` says ask; of any other nobody knows, and it asks, unless
// the verdict says deny. An absent argument came from nowhere.
//
// Codes: ORIGIN_TAINTED, ORIGIN_UNKNOWN, ORIGIN_SPOILED (characters that keep a
// value from being anybody's), ORIGIN_UNEXPLAINED.
type Origin struct {
	rules []originRule
	base  string
}

// originRule is one entry with an origin.
type originRule struct {
	argument
	from             []string
	tainted, unknown abi.Outcome
}

// NewOrigin returns nil for a tool none of whose arguments has an origin.
func NewOrigin(r *contract.Rules) (contract.Contract, error) {
	o := &Origin{base: r.Kind.Base()}
	for i := range r.Args {
		rule := &r.Args[i]
		if rule.Origin == nil {
			continue
		}
		at, err := newArgument(rule, rule.Arg, o.base)
		if err != nil {
			return nil, err
		}
		o.rules = append(o.rules, originRule{argument: at, from: rule.Origin, tainted: outcomeOf(rule), unknown: rule.Unknown.Known()})
	}
	if len(o.rules) == 0 {
		return nil, nil
	}
	return o, nil
}

// Wanted implements [contract.Explainer].
func (o *Origin) Wanted(s *abi.Snapshot) []abi.Wanted {
	var out []abi.Wanted
	for i := range o.rules {
		for _, at := range o.scalars(s, &o.rules[i]) {
			out = append(out, abi.Wanted{At: at.at, Key: at.key})
		}
	}
	return out
}

// scalars returns what is judged of a call by one rule.
func (o *Origin) scalars(s *abi.Snapshot, r *originRule) []sinkScalar {
	if s.Phase != abi.PhaseCall {
		return nil
	}
	values, _ := s.Call.Values()
	return scalarsAt("", values, r.tokens)
}

// scalarsAt lists the scalars below what tokens lead to. A name that a lenient
// server takes for one of them is judged as it.
func scalarsAt(at string, v abi.Value, tokens []string) []sinkScalar {
	if len(tokens) == 0 {
		return scalarsBelow(at, v)
	}
	var out []sinkScalar
	if text := strings.TrimSpace(v.Str()); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return scalarsBelow(at, v) // a server may open it
	}
	for _, m := range v.Members() {
		if sameName(m.Name, tokens[0]) {
			out = append(out, scalarsAt(abi.Join(at, m.Name), m.Value, tokens[1:])...)
		}
	}
	if v.Kind() == abi.Array {
		inner := abi.Join(at, tokens[0])
		if item := v.At(abi.Join("", tokens[0])); item.Exists() {
			out = append(out, scalarsAt(inner, item, tokens[1:])...)
		}
	}
	return out
}

// scalarsBelow lists the scalars of a value, and the names of its members.
func scalarsBelow(at string, v abi.Value) []sinkScalar {
	var out []sinkScalar
	v.Walk(at, func(at string, v abi.Value, key bool) {
		switch {
		case key:
			out = append(out, sinkScalar{at: at, key: true})
		case v.Kind() == abi.Null, v.IsString() && strings.TrimSpace(v.Str()) == "", v.Kind() == abi.Array, v.Kind() == abi.Object:
		default:
			out = append(out, sinkScalar{at: at})
		}
	})
	return out
}

// Judge implements [contract.Contract].
func (o *Origin) Judge(s *abi.Snapshot) abi.Verdict {
	var found []violation
	var witness []abi.Evidence
	for i := range o.rules {
		r := &o.rules[i]
		for _, at := range o.scalars(s, r) {
			v, why := r.judge(s, o.base, at)
			if v.code != "" {
				found, witness = append(found, v), append(witness, why...)
			}
		}
	}
	v := joined("origin", found)
	if v.Outcome != abi.Abstain {
		v.Witness = witness[:min(len(witness), 16)]
	}
	return v
}

// judge judges one scalar by all that is known of it.
func (r *originRule) judge(s *abi.Snapshot, base string, at sinkScalar) (violation, []abi.Evidence) {
	v := violation{outcome: abi.Deny, code: "ORIGIN_UNEXPLAINED", rule: r.rule, at: base + at.at, reason: r.says("was not looked up")}
	worst := abi.Allow
	var out violation
	var witness []abi.Evidence
	explained := false
	for i := range s.Taint {
		f := &s.Taint[i]
		if f.At != at.at || f.Key != at.key {
			continue
		}
		explained = true
		one := v
		switch {
		case f.Spoiled == "" && r.vouched(f.Origin) && !saysMore(f):
			continue
		case fatalSpoil(f):
			one.code, one.reason, one.mend = "ORIGIN_SPOILED", r.says("holds "+f.Spoiled), mendSpelled
		case stood(f):
			one.outcome, one.code = r.tainted, "ORIGIN_TAINTED"
			one.reason, one.mend = r.says(masked(f.Evidence[0]).String()), mendOrigin(r.tainted)
		default:
			one.outcome, one.code = r.unknown, "ORIGIN_UNKNOWN"
			one.reason, one.mend = r.says("comes from nobody who may say it"), mendOrigin(r.unknown)
		}
		if one.outcome < worst {
			worst, out, witness = one.outcome, one, f.Evidence
		}
	}
	if !explained {
		return v, nil
	}
	return out, witness
}

// mendOrigin says what helps: nobody is asked about what is denied.
func mendOrigin(outcome abi.Outcome) string {
	const say = "who runs this host can say the value through the host's own channel (callgate context add)"
	if outcome == abi.Ask {
		return say + ", or approve the call when it asks"
	}
	return say + "; the policy can have a person decide: verdict: ask"
}

func (r *originRule) says(what string) string { return "the argument \"" + r.name + "\" " + what }

// vouched says whether an origin is one that the rule accepts.
func (r *originRule) vouched(o abi.Origin) bool {
	switch o {
	case abi.OriginClient:
		return slices.Contains(r.from, "client")
	case abi.OriginTrusted:
		return slices.Contains(r.from, "trusted")
	}
	return false
}

// saysMore says whether a value holds text that is no part of the destination that
// somebody vouches for: display names and comments, fields of a mailto, fragments,
// names on the way of a path. The destination is the same; the value is another.
func saysMore(f *abi.Finding) bool {
	switch f.Kind {
	case provenance.KindMail:
		value := strings.TrimSpace(f.Value)
		if inner, ok := strings.CutPrefix(value, "<"); ok {
			value = strings.TrimSuffix(inner, ">")
		}
		return strings.ContainsAny(value, " \t\"()<>?")
	case provenance.KindURL:
		return strings.Contains(f.Value, "#") || saysWay(f.Value)
	case provenance.KindPath:
		return saysWay(f.Value)
	}
	return false
}

// saysWay says whether a path goes back from where it led.
func saysWay(path string) bool {
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	for i, s := range segments {
		back := strings.ReplaceAll(strings.ToLower(s), "%2e", ".") == ".."
		if back && i > 0 && segments[i-1] != ".." {
			return true
		}
	}
	return false
}

// stood says whether the value itself stood in an output. Any argument can be
// short, so that a single word counts too, if it is no mere syllable.
func stood(f *abi.Finding) bool {
	return slices.ContainsFunc(f.Evidence, func(e abi.Evidence) bool {
		switch e.Position {
		case abi.Prose, abi.Encoded, abi.Field, abi.Lookalike:
			return true
		case abi.Weak:
			return len(provenance.Fold(f.Value)) > 4
		}
		return false
	})
}
