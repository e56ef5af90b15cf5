package provenance

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The shortest words that are taken for encoded ones, in characters.
const (
	leastBase64 = 12
	leastHex    = 16
)

// encodedWords decodes the words of s that are written in base64 or hexadecimal
// digits. A word of the least length covers one of the stretches that are looked
// at first.
func encodedWords(s string, add func(view)) {
	const stretch, step = 8, leastBase64 - 8 + 1
	for i := 0; i+stretch <= len(s); i += step {
		w := s[i : i+stretch]
		if blanks(w) || marks[w[0]]&marks[w[2]]&marks[w[4]]&marks[w[7]]&markBase64 == 0 {
			continue
		}
		from, end, all, any := i, i, byte(0xFF), byte(0)
		for ; from > 0 && marks[s[from-1]]&markBase64 != 0; from-- {
			all, any = all&marks[s[from-1]], any|marks[s[from-1]]
		}
		for ; end < len(s) && marks[s[end]]&markBase64 != 0; end++ {
			all, any = all&marks[s[end]], any|marks[s[end]]
		}
		i = end
		switch {
		case end-from >= leastHex && (all&markHex != 0 || s[from] == '0' && s[from+1]|0x20 == 'x'):
			if hexWord(s, from, end, add) {
				continue
			}
			fallthrough
		case end-from >= leastBase64 && any&markMixed == markMixed:
			i = max(i, base64Word(s, from, end, add))
		}
	}
}

// blanks says whether eight bytes hold a blank or a control character, by
// arithmetic on all of them at once.
func blanks(w string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
		uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
	return (x-ones*(' '+1))&^x&highs != 0
}

// hexWord decodes a word of hexadecimal digits.
func hexWord(s string, from, to int, add func(view)) bool {
	w := s[from:to]
	if s[from+1]|0x20 == 'x' {
		w = w[2:]
	}
	text, ok := "", false
	if b, err := hex.DecodeString(w[:len(w)&^1]); err == nil {
		if text, ok = readable(b); ok {
			add(view{"hex", text, from, to})
		}
	}
	return ok
}

// base64Word decodes a word of base64 and returns where it ends. Lines of equal
// length belong together, as wrapped text has them. What a path or a name in
// front of it has in common with the alphabet is cut.
func base64Word(s string, from, to int, add func(view)) int {
	w, end := unwrapped(s, from, to)
	for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == '=' }) {
		if base64Part(part, from, end, add) {
			continue
		}
		for _, cuts := range [...]string{"/", "-_", "/-_+"} {
			found := false
			for _, piece := range strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(cuts, r) }) {
				found = len(piece) < len(part) && base64Part(piece, from, end, add) || found
			}
			if found {
				break
			}
		}
	}
	return end
}

// base64Part decodes one text without padding.
func base64Part(plain string, from, to int, add func(view)) bool {
	if len(plain) < leastBase64 {
		return false
	}
	enc, name := base64.RawStdEncoding, "base64"
	if strings.ContainsAny(plain, "-_") {
		enc, name = base64.RawURLEncoding, "base64url"
	}
	if len(plain)%4 == 1 {
		plain = plain[:len(plain)-1]
	}
	b, err := enc.DecodeString(plain)
	if err != nil {
		return false
	}
	text, ok := readable(b)
	if ok {
		add(view{name, text, from, to})
	}
	return ok
}

// unwrapped joins an encoded word with the lines below it, of which only the last
// is shorter, and returns where they end.
func unwrapped(s string, from, to int) (string, int) {
	width := to - from
	if to >= len(s) || s[to] != '\n' && s[to] != '\r' {
		return s[from:to], to
	}
	lines := []string{s[from:to]}
	for {
		next := to
		for next < len(s) && next-to < 8 && strings.IndexByte("\r\n\t >", s[next]) >= 0 {
			next++
		}
		end := next
		for end < len(s) && end-next <= width && marks[s[end]]&markBase64 != 0 {
			end++
		}
		if next == to || end == next || end-next > width || !strings.Contains(s[to:next], "\n") {
			break
		}
		lines, to = append(lines, s[next:end]), end
		if end-next < width {
			break
		}
	}
	return strings.Join(lines, ""), to
}

// readable returns decoded bytes as text: at least four of five are printable. In
// UTF-16, every other byte of ASCII is zero.
func readable(b []byte) (string, bool) {
	zeros := 0
	for _, c := range b {
		zeros += boolInt(c == 0)
	}
	if zeros >= len(b)*2/5 {
		kept := b[:0:0]
		for _, c := range b {
			if c != 0 {
				kept = append(kept, c)
			}
		}
		b = kept
	}
	good, all := 0, 0
	for i := 0; i < len(b); all++ {
		r, n := utf8.DecodeRune(b[i:])
		if r != utf8.RuneError && (unicode.IsPrint(r) || r == '\n' || r == '\t' || r == '\r') {
			good++
		}
		i += n
	}
	return string(b), all > 0 && good*5 >= all*4
}
