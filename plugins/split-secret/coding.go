package main

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// coding is a secret as it can stand in a text: as it is, or in an encoding of that.
type coding struct {
	text   string
	secret int     // of which one
	over   *coding // what it encodes; nil: the secret
	// Each character of text has unit bits, from skip on, of the characters of over,
	// which have width bits each: backwards, if back.
	unit, width, skip int
	back              bool
	places            []int // where the characters of text stand in the secret, if some are left out
	least             int   // how many of the secret's make a part
	anyCase           bool  // text is in small letters, and its letters may be of either case
	joined            bool  // it is looked for only where short words are put together
}

// covers returns which characters of the secret, from a up to b, are in those
// of the text from p up to q.
func (c *coding) covers(p, q int) (a, b int) {
	switch {
	case c.places != nil:
		return c.places[p], c.places[q-1] + 1
	case c.over == nil:
		return p, q
	}
	// A character counts of which half is there: the rest is mixed with a neighbour.
	half := c.width / 2
	a, b = (p*c.unit+c.skip+half-1)/c.width, (q*c.unit+c.skip+half)/c.width
	if b <= a {
		return 0, 0
	}
	if c.back {
		n := len(c.over.text)
		a, b = n-b, n-a
	}
	return c.over.covers(a, b)
}

// on makes a coding of another, of which each character has unit of width bits.
func (c *coding) on(text string, unit, width, skip int) *coding {
	return &coding{text: text, secret: c.secret, over: c, unit: unit, width: width, skip: skip, least: c.least, anyCase: c.anyCase}
}

func (c *coding) backwards() *coding {
	b := []byte(c.text)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	of := c.on(string(b), 8, 8, 0)
	of.back = true
	return of
}

func (c *coding) hex() *coding {
	of := c.on(hex.EncodeToString([]byte(c.text)), 4, 8, 0)
	of.anyCase = true
	return of
}

// wide is UTF-16, with its low bytes first.
func (c *coding) wide() *coding {
	var b strings.Builder
	for i := range len(c.text) {
		b.WriteByte(c.text[i])
		b.WriteByte(0)
	}
	return c.on(b.String(), 8, 16, 0)
}

// digits are the encodings that have bits of their own for a character: a part of a
// longer text starts anywhere in a group.
func (c *coding) digits(bits, group int, encode func([]byte) string) (list []*coding) {
	for before := range group {
		text := encode(append(make([]byte, before), c.text...))
		first := (before*8 + bits - 1) / bits // that has nothing of what is before
		whole := (before + len(c.text)) * 8 / bits
		if whole > first {
			of := c.on(text[first:whole], bits, 8, first*bits-before*8)
			of.anyCase = false
			list = append(list, of)
		}
	}
	return list
}

// base64s has both alphabets, where they differ.
func (c *coding) base64s() []*coding {
	list := c.digits(6, 3, base64.RawStdEncoding.EncodeToString)
	for _, of := range list {
		if other := strings.NewReplacer("+", "-", "/", "_").Replace(of.text); other != of.text {
			twin := *of
			twin.text = other
			list = append(list, &twin)
		}
	}
	return list
}

func (c *coding) base32s() []*coding {
	list := c.digits(5, 5, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString)
	for _, of := range list {
		of.text, of.anyCase = strings.ToLower(of.text), true
	}
	return list
}

// In another case a part is longer, or words of prose would be parts: hosts are
// called example.
const anyCaseLeast = 8

// codings returns a secret as it is looked for; deep with what is encoded twice.
func codings(i int, text string, piece int, deep bool) (list []*coding) {
	plain := &coding{text: text, secret: i, least: piece}
	small := &coding{text: lower(text), secret: i, least: max(piece, anyCaseLeast), anyCase: true}
	list = append(list, plain, small, plain.backwards(), plain.hex())
	list = append(list, plain.base64s()...)
	list = append(list, plain.base32s()...)
	list = append(list, words(small, piece))
	if raw, err := hex.DecodeString(text); err == nil {
		bytes := plain.on(string(raw), 16, 8, 0)
		list = append(list, bytes)
		list = append(list, bytes.base64s()...)
	}
	if !deep {
		return list
	}
	upper := plain.hex()
	upper.text = strings.ToUpper(upper.text)
	for _, inner := range append(plain.base64s(), plain.hex(), upper, plain.backwards(), plain.wide()) {
		list = append(list, inner.hex())
		list = append(list, inner.base64s()...)
	}
	for _, inner := range append(plain.base64s(), small) {
		list = append(list, inner.backwards())
	}
	return list
}

// words is a coding with its letters and figures alone.
func words(c *coding, piece int) *coding {
	w := *c
	w.text, w.places, w.joined, w.least = "", []int{}, true, piece+1
	for i := range len(c.text) {
		if alphanumeric(c.text[i]) {
			w.text += c.text[i : i+1]
			w.places = append(w.places, i)
		}
	}
	return &w
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// lower changes the letters of ASCII alone, so that nothing moves.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = small[c]
	}
	return string(b)
}

var small = func() (list [256]byte) {
	for c := range list {
		list[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			list[c] |= 0x20
		}
	}
	return list
}()
