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
	names           []string
	texts           []string
	fragment, piece int
	ask             bool
	index           *index
}

// deepest is how many characters secrets have together, of which also what is
// encoded twice is looked for.
const deepest = 4096

func configure(v callgate.Value) error {
	set.names, set.texts = nil, nil
	set.fragment, set.ask = number64(v.Get("fragment"), 12), v.Get("verdict").Text() == "ask"
	set.piece = number64(v.Get("piece"), 5)
	if set.piece > set.fragment {
		return callgate.Wrong(v.Get("piece"), "want no more than fragment, "+strconv.Itoa(set.fragment))
	}
	all := 0
	for m := range v.Get("secrets").Members() {
		text := squash(m.Text())
		if len(text) < set.fragment {
			return callgate.Wrong(m, "want a secret of at least "+strconv.Itoa(set.fragment)+" characters, blanks not counted")
		}
		set.names, set.texts = append(set.names, m.Name()), append(set.texts, text)
		all += len(text)
	}
	if len(set.names) == 0 {
		return callgate.Wrong(v.Get("secrets"), "want at least one secret, by name")
	}
	var list []*coding
	for i, text := range set.texts {
		list = append(list, codings(i, text, pieceOf(v, text), all <= deepest)...)
	}
	set.index = newIndex(list, min(set.piece, 5))
	return nil
}

// pieceOf returns how long the shortest part of a secret is that is remembered. Of
// figures alone, and of hexadecimal digits, short ones stand in much that is sent.
func pieceOf(v callgate.Value, secret string) int {
	if v.Get("piece").Exists() {
		return set.piece
	}
	letters, figures := 0, 0
	for _, c := range []byte(secret) {
		switch {
		case c >= '0' && c <= '9':
			figures++
		case digit(c) >= 0:
			letters++
		}
	}
	switch n := len(secret); {
	case figures == n:
		return min(set.fragment, 9)
	case figures+letters == n:
		return min(set.fragment, 8)
	}
	return set.piece
}

func number64(v callgate.Value, otherwise int) int {
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
	all := make([]left, len(set.texts))
	for i, text := range set.texts {
		all[i] = left{before: make([]bool, len(text)), now: make([]bool, len(text))}
	}
	for label := range s.Session().Labels() {
		remember(label, all)
	}
	short := shorts{}
	for v := range s.Call().Values().All() {
		at := v.Pointer()
		look(v.Name(), at, all)
		text := v.Text()
		look(text, at, all)
		if text == "" && v.Kind() == callgate.Number {
			text = v.JSON()
		}
		if text != "" {
			short.add(text, at)
		}
	}
	put(&short, all)
	var verdict *callgate.Verdict
	for i := 0; i < len(all) && verdict == nil; i++ {
		verdict = all[i].judge(set.names[i])
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

// maxRounds is how often a text is decoded that is still an escape of something.
const maxRounds = 3

// look notes the parts of secrets that a text holds, as it is and as it is read.
func look(text, at string, all []left) {
	for range maxRounds {
		set.index.parts(squash(text), false, func(p part) { all[p.secret].note(p, at) })
		if !strings.ContainsAny(text, escapes) {
			return
		}
		decoded := unescape(text)
		if decoded == text {
			return
		}
		text = decoded
	}
	set.index.parts(squash(text), false, func(p part) { all[p.secret].note(p, at) })
}

// put notes what short words make together.
func put(s *shorts, all []left) {
	set.index.parts(string(s.words), true, func(p part) {
		s.look(p.start, p.end, func(o owner) int { return o.words }, func(at string) { all[p.secret].note(p, at) })
	})
	set.index.parts(string(s.codes), false, func(p part) {
		s.look(p.start, p.end, func(o owner) int { return o.codes }, func(at string) { all[p.secret].note(p, at) })
	})
}

func (l *left) note(p part, at string) {
	for i := p.a; i < p.b; i++ {
		l.now[i] = true
	}
	l.long = l.long || p.b-p.a >= set.fragment
	if len(l.at) < callgate.MaxPointers && !slices.Contains(l.at, at) {
		l.at = append(l.at, at)
	}
}

// judge says what is wrong with the parts that have left.
func (l *left) judge(name string) *callgate.Verdict {
	if l.long {
		return refuse("SECRET_FRAGMENT", "it holds a part of "+name).At(l.at...)
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
			return refuse("SECRET_SPLIT", "with what has left before, it holds a part of "+name).At(l.at...)
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
				list = append(list, set.names[i]+"."+strconv.Itoa(n+1-set.piece)+"-"+strconv.Itoa(n+1))
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
	i := slices.Index(set.names, name)
	if err != nil || err2 != nil || i < 0 || from < 0 {
		return
	}
	for n := from; n < to && n < len(all[i].before); n++ {
		all[i].before[n] = true
	}
}
