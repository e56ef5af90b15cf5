// Command split-secret is a Callgate plugin that keeps a known secret from leaving
// in parts. What parts have left it remembers as labels of the session, since
// nothing else stays from one call to the next.
package main

import (
	"slices"
	"strconv"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Configure: configure, Evaluate: evaluate})

func main() {}

// set is what the policy says.
var set struct {
	secrets         []*secret
	fragment, piece int
	ask             bool
}

func configure(v callgate.Value) error {
	set.secrets, set.fragment, set.piece = nil, number(v.Get("fragment"), 12), number(v.Get("piece"), 5)
	set.ask = v.Get("verdict").Text() == "ask"
	if set.piece > set.fragment {
		return callgate.Wrong(v.Get("piece"), "want no more than fragment, "+strconv.Itoa(set.fragment))
	}
	for m := range v.Get("secrets").Members() {
		s := newSecret(m.Name(), m.Text(), set.piece, set.fragment)
		if len(s.text) < set.fragment {
			return callgate.Wrong(m, "want a secret of at least "+strconv.Itoa(set.fragment)+" characters, blanks not counted")
		}
		set.secrets = append(set.secrets, s)
	}
	if len(set.secrets) == 0 {
		return callgate.Wrong(v.Get("secrets"), "want at least one secret, by name")
	}
	return nil
}

func number(v callgate.Value, otherwise int) int {
	if n, ok := v.Int(); ok {
		return int(n)
	}
	return otherwise
}

// left is what of one secret has left.
type left struct {
	before []bool   // in calls before
	now    []bool   // and in this one
	at     []string // where
	long   bool     // a whole fragment is in one text
}

func evaluate(s callgate.Snapshot) *callgate.Verdict {
	all := make([]left, len(set.secrets))
	for i := range set.secrets {
		n := len(set.secrets[i].text)
		all[i] = left{before: make([]bool, n), now: make([]bool, n)}
	}
	for label := range s.Session().Labels() {
		remember(label, all)
	}
	look := func(text, at string) {
		for i := range set.secrets {
			all[i].look(set.secrets[i], text, at)
		}
	}
	for v := range s.Call().Values().All() {
		look(v.Name(), v.Pointer())
		if v.IsString() {
			look(v.Text(), v.Pointer())
		}
	}
	var verdict *callgate.Verdict
	for i := 0; i < len(all) && verdict == nil; i++ {
		verdict = all[i].judge(set.secrets[i])
	}
	labels := labels(all)
	if verdict == nil && len(labels) > callgate.MaxLabels {
		verdict = refuse("SECRET_SPLIT", "it holds more parts than can be remembered")
	}
	if verdict == nil {
		verdict = callgate.Abstain()
	}
	// Of a call that is refused the host keeps no label.
	return verdict.LabelSession(labels[:min(len(labels), callgate.MaxLabels)]...)
}

// look notes the parts of a secret that a text holds, and in what form.
func (l *left) look(s *secret, text, at string) {
	found := false
	for _, t := range forms(text) {
		for _, p := range s.parts(t) {
			for i := p.from; i < p.to; i++ {
				l.now[i] = true
			}
			found = true
			l.long = l.long || p.to-p.from >= set.fragment
		}
		if !l.long && len(s.anyCase.parts(strings.ToLower(t))) > 0 {
			found, l.long = true, true
		}
	}
	if found && !slices.Contains(l.at, at) {
		l.at = append(l.at, at)
	}
}

// judge says what is wrong with the parts that have left.
func (l *left) judge(s *secret) *callgate.Verdict {
	if l.long {
		return refuse("SECRET_FRAGMENT", "it holds a part of "+s.name).At(l.at...)
	}
	run := 0
	if len(l.at) == 0 {
		return nil
	}
	for i := range l.now {
		if run++; !l.now[i] && !l.before[i] {
			run = 0
		}
		if run >= set.fragment {
			return refuse("SECRET_SPLIT", "with what has left before, it holds a part of "+s.name).At(l.at...)
		}
	}
	return nil
}

func refuse(code, because string) *callgate.Verdict {
	if set.ask {
		return callgate.Ask(code).Because(because)
	}
	return callgate.Deny(code).Because(because)
}

// labels are the parts that leave, each as NAME.FROM-TO in steps of the shortest
// part: there are no more of them than the secret has characters, and a part that
// leaves again has the same ones.
func labels(all []left) (list []string) {
	for i := range all {
		run := 0
		for n, now := range all[i].now {
			if run++; !now {
				run = 0
			}
			if run >= set.piece {
				list = append(list, set.secrets[i].name+"."+strconv.Itoa(n+1-set.piece)+"-"+strconv.Itoa(n+1))
			}
		}
	}
	return list
}

// remember notes what a label says has left. Labels that say something else are
// others'. Where the session has more labels than the host keeps, any part may have
// left.
func remember(label string, all []left) {
	if label == callgate.AnyLabel {
		for i := range all {
			for n := range all[i].before {
				all[i].before[n] = true
			}
		}
		return
	}
	label = label[strings.LastIndexByte(label, ':')+1:]
	name, place, _ := strings.Cut(label, ".")
	first, last, _ := strings.Cut(place, "-")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	i := slices.IndexFunc(set.secrets, func(s *secret) bool { return s.name == name })
	if err != nil || err2 != nil || i < 0 || from < 0 {
		return
	}
	for n := from; n < to && n < len(all[i].before); n++ {
		all[i].before[n] = true
	}
}
