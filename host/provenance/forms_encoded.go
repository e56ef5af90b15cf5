package provenance

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxEncoded bounds the values whose encoded forms are searched: nobody hides
// a destination longer than this, and each form costs a pass.
const maxEncoded = 512

// encodings lists the encoded forms of a value. Those that mark what they encode
// - percent, entities, quoted-printable, escapes of JSON - are not among them: the
// views of a text undo them, wherever they stand and however few characters they
// are of.
func (e Entity) encodings() []form {
	plain := e.spoken()
	if len(plain) < 6 || len(plain) > maxEncoded || !e.distinctive() {
		return nil
	}
	var out []form
	for shift := 0; shift < 3; shift++ {
		s := base64Inside(base64.StdEncoding, plain, shift)
		out = append(out, form{text: Fold(s), raw: s, view: "base64"})
		if u := base64Inside(base64.URLEncoding, plain, shift); u != s {
			out = append(out, form{text: Fold(u), raw: u, view: "base64url"})
		}
	}
	out = append(out, numerals(plain)...)
	folded := Fold(plain)
	out = append(out, disguised(rot13(folded), folded, "rot13")...)
	out = append(out, disguised(reverse(folded), folded, "reversed")...)
	return append(out, e.spelled(plain)...)
}

// numerals lists the numbers of the bytes of a value: separators have no image.
// Hexadecimal ones with x and u in front of each are the escapes of programming
// languages, octal ones those of C and git.
func numerals(plain string) []form {
	var hexes, list, decimal, octal, bits []byte
	for i := 0; i < len(plain); i++ {
		c := plain[i]
		hexes = hex.AppendEncode(hexes, []byte{c})
		list = hex.AppendEncode(append(list, "0x"...), []byte{c})
		decimal = strconv.AppendUint(decimal, uint64(c), 10)
		octal = append(octal, '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		for bit := 7; bit >= 0; bit-- {
			bits = append(bits, '0'+c>>bit&1)
		}
	}
	return []form{
		{image: imageBare, text: string(hexes), view: "hex"}, {image: imageBare, text: string(list), view: "hex"},
		{image: imageBare, text: string(decimal), view: "decimal"}, {image: imageBare, text: string(octal), view: "octal"},
		{image: imageBare, text: string(bits), view: "binary"},
	}
}

// disguised is a form in other letters, nil where they are the same.
func disguised(s, plain, view string) []form {
	if s == plain {
		return nil
	}
	if b := string(appendAlnum(nil, []byte(s))); len(b) >= 8 {
		return []form{{image: imageBare, text: b, view: view}}
	}
	return []form{{text: s, view: view}}
}

// spelled lists an address with words for its signs, and for some of them.
// Brackets and blanks around a word have no image.
func (e Entity) spelled(plain string) []form {
	if e.host == "" {
		return nil
	}
	if i := strings.Index(plain, "//"); i >= 0 {
		plain = strings.TrimSuffix(plain[i+2:], "/")
	}
	var out []form
	plain = Fold(plain)
	none := spell(plain, "", "")
	add := func(signs, words string) {
		s := spell(plain, signs, words)
		if s != none && !slices.ContainsFunc(out, func(f form) bool { return f.text == s }) {
			out = append(out, form{image: imageBare, text: s, view: "spelled"})
		}
	}
	add("@.", "at dot")
	add("@./", "at dot slash")
	add("@.-_/", "at dot dash underscore slash")
	if e.Kind == KindMail {
		add("@", "at")
		add(".", "dot")
		add("@", "a")
		add("@.", "a dot")
		add("@.", "atsign dot")
	}
	return out
}

// spell writes words for some signs of a folded text and drops all others.
func spell(folded, signs, words string) string {
	names := strings.Fields(words)
	out := make([]byte, 0, 2*len(folded))
	for i := 0; i < len(folded); i++ {
		c := folded[i]
		switch n := strings.IndexByte(signs, c); {
		case isAlnum(c) || c >= utf8.RuneSelf:
			out = append(out, c)
		case n >= 0:
			out = append(out, names[n]...)
		}
	}
	return string(appendAlnum(make([]byte, 0, len(out)), out))
}

// spoken is the value as it would be written down.
func (e Entity) spoken() string {
	if e.Kind == KindMail {
		return e.local + "@" + unicodeHost(e.host)
	}
	return strings.TrimSpace(e.Identity)
}

// base64Inside returns the characters that plain gives for certain when it
// stands shift bytes behind the start of a group in a longer encoded text.
func base64Inside(enc *base64.Encoding, plain string, shift int) string {
	s := enc.WithPadding(base64.NoPadding).EncodeToString([]byte("\x00\x00"[:shift] + plain))
	lead := (shift*8 + 5) / 6
	if (len(plain)+shift)%3 != 0 {
		s = s[:len(s)-1]
	}
	return s[min(lead, len(s)):]
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + (r-'a'+13)%26
		}
		return r
	}, s)
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}
