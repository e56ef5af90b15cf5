package main

import (
	"strings"
	"unicode"
)

// secret is a secret, and where each short part of it stands.
type secret struct {
	name, text string
	size       int // of the short parts
	at         map[string][]int
	begins     [1 << 10]uint64 // a bit for each two characters that a short part begins with
	anyCase    *secret         // in lower case, in parts that may not leave
}

func newSecret(name, text string, size, fragment int) *secret {
	s := index(name, squash(text), size)
	s.anyCase = index(name, strings.ToLower(s.text), fragment)
	return s
}

func index(name, text string, size int) *secret {
	s := &secret{name: name, text: text, size: size, at: map[string][]int{}}
	for i := 0; i+size <= len(s.text); i++ {
		s.at[s.text[i:i+size]] = append(s.at[s.text[i:i+size]], i)
		word, bit := pair(s.text[i], s.text[i+1])
		s.begins[word] |= bit
	}
	return s
}

// pair is the bit of two characters.
func pair(a, b byte) (word int, bit uint64) { return int(a)<<2 | int(b)>>6, 1 << (b & 63) }

// part is the characters from, up to to, of a secret.
type part struct{ from, to int }

// parts finds the parts of the secret that a text holds, each as long as it is
// there.
func (s *secret) parts(text string) (list []part) {
	for i := 0; i+s.size <= len(text); i++ {
		if word, bit := pair(text[i], text[i+1]); s.begins[word]&bit == 0 {
			continue
		}
		for _, from := range s.at[text[i:i+s.size]] {
			if i > 0 && from > 0 && text[i-1] == s.text[from-1] {
				continue // within the one that was found before
			}
			to, end := from+s.size, i+s.size
			for to < len(s.text) && end < len(text) && s.text[to] == text[end] {
				to++
				end++
			}
			list = append(list, part{from, to})
		}
	}
	return list
}

// squash takes out what parts a text without being read: white space, and what is
// not seen.
func squash(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80 && r > ' ' && r != 0x7F:
			return r
		case unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r):
			return -1
		}
		return r
	}, s)
}

// forms returns a text as it is, backwards, and as it reads once it is decoded.
func forms(text string) []string {
	plain := squash(text)
	list := []string{plain, backwards(plain)}
	if decoded := percent(text); decoded != text {
		list = append(list, squash(decoded))
	}
	for _, decode := range [...]func(string) []string{base64s, hexes} {
		for _, decoded := range decode(text) {
			list = append(list, squash(decoded))
		}
	}
	return list
}

func backwards(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// digit returns the value of a hexadecimal digit, -1 of another character.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// percent decodes %41 and \x41.
func percent(s string) string {
	if !strings.ContainsAny(s, `%\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		skip := 1
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == 'x' {
			skip = 2
		}
		if (s[i] == '%' || skip == 2) && i+skip+1 < len(s) && digit(s[i+skip]) >= 0 && digit(s[i+skip+1]) >= 0 {
			b.WriteByte(byte(digit(s[i+skip])<<4 | digit(s[i+skip+1])))
			i += skip + 1
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// shortest is how long a word must be to be decoded.
const shortest = 8

// words returns the runs of characters that belong to an alphabet.
func words(s string, belongs func(byte) bool) (list []string) {
	from := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && belongs(s[i]) {
			continue
		}
		if i-from >= shortest {
			list = append(list, s[from:i])
		}
		from = i + 1
	}
	return list
}

// hexes decodes words of hexadecimal digits, from their first digit or their second.
func hexes(s string) (list []string) {
	for _, w := range words(s, func(c byte) bool { return digit(c) >= 0 }) {
		for shift := range 2 {
			var out []byte
			for i := shift; i+1 < len(w); i += 2 {
				out = append(out, byte(digit(w[i])<<4|digit(w[i+1])))
			}
			list = append(list, string(out))
		}
	}
	return list
}

// base64s decodes words of base64, in both alphabets, from each of their first
// four characters: a part of a longer one need not start at a group.
func base64s(s string) (list []string) {
	for _, w := range words(s, func(c byte) bool { return sextet(c) >= 0 }) {
		for shift := range 4 {
			list = append(list, decode(w[shift:]))
		}
	}
	return list
}

func sextet(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}

func decode(w string) string {
	out := make([]byte, 0, len(w)*3/4)
	bits, n := uint32(0), 0
	for i := range len(w) {
		bits = bits<<6 | uint32(sextet(w[i]))
		if n += 6; n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	return string(out)
}
