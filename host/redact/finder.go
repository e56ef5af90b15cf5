package redact

// finder finds literals in text in one pass, the letters of ASCII in either case.
// Pairs of bytes that start no literal, which is nearly all of them, cost one look
// into a table each, and none waits for the one before.
type finder struct {
	pairs [1 << 10]uint64 // bit (first<<8 | second) of the pairs that start a literal
	first [256][]needle   // literals by their first byte
}

type needle struct {
	text  string // in lower case
	owner int
}

// newFinder makes a finder of the literals of each owner, none of which is empty.
func newFinder(literals [][]string) *finder {
	f := &finder{}
	for owner, list := range literals {
		for _, text := range list {
			for _, a := range cases(text[0]) {
				f.first[a] = append(f.first[a], needle{text, owner})
				if len(text) > 1 {
					for _, b := range cases(text[1]) {
						f.start(a, b)
					}
					continue
				}
				for b := range 256 {
					f.start(a, byte(b))
				}
			}
		}
	}
	return f
}

func (f *finder) start(a, b byte) {
	pair := uint(a)<<8 | uint(b)
	f.pairs[pair>>6] |= 1 << (pair & 63)
}

// cases are the bytes that a byte of a literal stands for.
func cases(c byte) []byte {
	if 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// find calls heard with whom each literal in a text belongs to, and where it
// ends.
func (f *finder) find(text string, heard func(owner, end int)) {
	if text == "" {
		return
	}
	pair := uint(text[0])
	for i := 1; i < len(text); i++ {
		pair = pair<<8&0xff00 | uint(text[i])
		if f.pairs[pair>>6]>>(pair&63)&1 != 0 {
			f.at(text, i-1, heard)
		}
	}
	f.at(text, len(text)-1, heard)
}

func (f *finder) at(text string, i int, heard func(owner, end int)) {
	for _, n := range f.first[text[i]] {
		if starts(text[i:], n.text) {
			heard(n.owner, i+len(n.text))
		}
	}
}

// starts says whether a text starts with a literal.
func starts(text, literal string) bool {
	if len(text) < len(literal) {
		return false
	}
	for i := 0; i < len(literal); i++ {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != literal[i] {
			return false
		}
	}
	return true
}
