// Command walk is a plugin that goes through all arguments, and through the JSON in
// one of them, and answers with a sum of what it saw, for comparing SDKs where there
// is too much to log. With the setting light it looks at names and texts alone.
package main

import (
	"iter"
	"strconv"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Evaluate: judge})

// sum is FNV-1a of 32 bits.
type sum uint32

func (s *sum) word(text string) {
	h := uint32(*s)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	*s = sum((h ^ 0xff) * 16777619)
}

func seen(light bool, all iter.Seq[callgate.Value]) string {
	s, n := sum(2166136261), 0
	for v := range all {
		n++
		s.word(v.Name())
		s.word(v.Text())
		if light {
			continue
		}
		kind := v.Kind()
		s.word(v.Pointer())
		s.word(strconv.Itoa(int(kind)))
		if kind < callgate.String {
			s.word(v.JSON())
		}
		if i, ok := v.Int(); ok {
			s.word(strconv.FormatInt(i, 10))
		}
	}
	return strconv.Itoa(n) + " " + strconv.FormatInt(int64(s), 10)
}

func judge(s callgate.Snapshot) *callgate.Verdict {
	arguments := s.Call().Arguments()
	light := s.Settings().Get("light").Bool()
	return callgate.Abstain().Tag("all", seen(light, arguments.All())).Tag("open", seen(light, arguments.Get("m").Open().All()))
}

func main() {}
