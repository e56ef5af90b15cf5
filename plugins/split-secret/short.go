package main

import "sort"

// shorts puts together what a call sends in short words, of one text or of several:
// t-o-k-e-n, ["tok", "en"], 74:6f:6b and 116, 111, 107.
type shorts struct {
	words, codes []byte // each with a 0 where something else stands between
	texts        []owner
}

// owner says in which text what is put together from some place on stands.
type owner struct {
	words, codes int
	at           string
}

const (
	// maxWord is how long a short word is, and maxBetween how much stands between two.
	maxWord, maxBetween = 4, 8
)

func (s *shorts) add(text, at string) {
	s.texts = append(s.texts, owner{len(s.words), len(s.codes), at})
	from, last := 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && alphanumeric(text[i]) {
			continue
		}
		if n := i - from; n > 0 {
			if from-last > maxBetween {
				s.stop()
			}
			if n > maxWord {
				s.stop()
			} else {
				s.word(text[from:i])
			}
			last = i
		}
		from = i + 1
	}
}

// stop notes that words do not belong together.
func (s *shorts) stop() {
	for _, list := range [...]*[]byte{&s.words, &s.codes} {
		if n := len(*list); n > 0 && (*list)[n-1] != 0 {
			*list = append(*list, 0)
		}
	}
}

func (s *shorts) word(w string) {
	code := 0
	for i := range len(w) {
		if w[i] > '9' {
			code = 256
			break
		}
		code = code*10 + int(w[i]-'0')
	}
	if code > 255 {
		code = 0
	}
	if code > 0 || len(s.codes) > 0 && s.codes[len(s.codes)-1] != 0 {
		s.codes = append(s.codes, byte(code))
	}
	if len(w) > 2 && w[0] == '0' && w[1]|0x20 == 'x' {
		w = w[2:]
	}
	s.words = append(s.words, w...)
}

// look visits the texts that hold what is put together between two places.
func (s *shorts) look(start, end int, of func(owner) int, visit func(at string)) {
	first := sort.Search(len(s.texts), func(i int) bool { return of(s.texts[i]) > start }) - 1
	for _, t := range s.texts[max(0, first):] {
		if of(t) >= end {
			break
		}
		visit(t.at)
	}
}
