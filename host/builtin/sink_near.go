package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/provenance"
)

// What looks like a trusted destination to the letter is denied as an imitation.
// What a hasty eye takes for one is a weaker sign: names that differ by letters
// alike in many fonts (rn and m, 0 and o, 1 and l), or hosts by one slip of the
// keys. It asks, and says why, also where the policy lets unproven destinations
// pass.

// near holds against a destination that it resembles a trusted one.
func (s *sink) near(o objection, f *abi.Finding) objection {
	hint := max(abi.Ask, s.on[abi.Lookalike].Known())
	if s.rules.Strict {
		hint = abi.Ask
	}
	if hint >= abi.Allow || o.code == "SINK_LOOKALIKE" || !s.resembles(f) {
		return o
	}
	if hint < o.outcome {
		o.outcome, o.override = hint, false
	}
	if o.code == "SINK_UNPROVEN" {
		o.code, o.reason = "SINK_LOOKALIKE", s.label(o.at)+" resembles a trusted destination, and nothing vouches for it"
		return o
	}
	o.reason += ", and resembles a trusted destination"
	return o
}

// resembles says whether a destination that no entry of the trusted list names
// could be taken for one that an entry names.
func (s *sink) resembles(f *abi.Finding) bool {
	host := ""
	if entities, _ := provenance.Canonicalise(f.Identity); len(entities) == 1 {
		host = entities[0].Host()
	}
	for _, e := range s.trusted {
		if e.domain != "" {
			if host != "" && nearHost(host, e.domain) {
				return true
			}
			continue
		}
		if e.host != "" && host != "" {
			if nearHost(host, e.host) {
				return true
			}
			if f.Kind != provenance.KindMail || f.Kind != e.kind {
				continue // the path of a URL imitates nobody
			}
		}
		if !strings.EqualFold(e.identity, f.Identity) && letters(e.identity) == letters(f.Identity) {
			return true
		}
	}
	return false
}

// nearHost says whether two hosts of different owners look nearly the same.
func nearHost(a, b string) bool {
	if a == b {
		return false
	}
	x, y := owner(a), owner(b)
	if x == y {
		return false
	}
	return letters(a) == letters(b) || letters(x) == letters(y) || slip(x, y)
}

// owner returns the labels of a host that somebody registered: the last two, or
// three below a country's own co, com or the like.
func owner(host string) string {
	labels := strings.Split(host, ".")
	n := 2
	if last := len(labels) - 1; last > 1 && len(labels[last]) == 2 && len(labels[last-1]) <= 3 {
		n = 3
	}
	return strings.Join(labels[max(0, len(labels)-n):], ".")
}

// alike replaces letters and pairs of letters by those that they look like. What
// only differs in case is not alike.
var alike = strings.NewReplacer("rn", "m", "vv", "w", "cl", "d", "0", "o", "O", "o", "1", "l", "I", "l", "|", "l")

// letters returns what a hasty eye reads.
func letters(s string) string { return strings.ToLower(alike.Replace(s)) }

// leastSlip is the length of a name from which one slip of the keys makes a name
// that is taken for it: many short ones are neighbours.
const leastSlip = 4

// slip says whether one letter too many, too few, another or two exchanged make
// one of the names of the other. Numbered names of one series are not alike.
func slip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	name, _, _ := strings.Cut(a, ".")
	if len(name) < leastSlip || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	figure := func(c byte) bool { return c >= '0' && c <= '9' }
	if len(a) < len(b) {
		return a[i:] == b[i+1:] && !figure(b[i])
	}
	if i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
		return true
	}
	return i < len(a) && a[i+1:] == b[i+1:] && !(figure(a[i]) && figure(b[i]))
}
