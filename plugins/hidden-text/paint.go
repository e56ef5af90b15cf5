package main

import (
	"strconv"
	"strings"
)

// paint is the colours of letters and of their ground, as escape sequences have set
// them; "" is what the terminal has.
type paint struct{ letter, ground string }

// take reads an escape sequence that sets colours, and returns its length; 0: it is
// none, or nobody sees what it paints (ECMA-48, 8.3.117).
func (p *paint) take(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), maxSequence)], 'm')
	if end < 0 || strings.Trim(s[2:end], "0123456789;:") != "" {
		return 0
	}
	parts := strings.FieldsFunc(s[2:end], func(r rune) bool { return r == ';' || r == ':' })
	if len(parts) == 0 {
		*p = paint{}
	}
	for i := 0; i < len(parts); i++ {
		n, _ := strconv.Atoi(parts[i])
		if n == 8 {
			return 0
		}
		switch {
		case n == 0:
			*p = paint{}
		case n == 38 || n == 48 || n == 58:
			colour, used := mixed(parts[i+1:])
			i += used
			if n == 38 {
				p.letter = colour
			} else if n == 48 {
				p.ground = colour
			}
		case n >= 30 && n <= 37 || n >= 90 && n <= 97:
			p.letter = named(n)
		case n >= 40 && n <= 47 || n >= 100 && n <= 107:
			p.ground = named(n - 10)
		case n == 39:
			p.letter = ""
		case n == 49:
			p.ground = ""
		}
	}
	if p.letter != "" && near(p.letter, p.ground) {
		return 0
	}
	return end + 1
}

// maxSequence is how long a sequence of colours may be.
const maxSequence = 256

// named is the number of one of the sixteen colours.
func named(n int) string {
	if n >= 90 {
		n -= 52
	}
	return strconv.Itoa(n - 30)
}

// mixed reads a colour by its number or its red, green and blue, and returns how
// many parts it has. The numbers from 16 on have a red, green and blue of their own.
func mixed(parts []string) (colour string, used int) {
	switch {
	case len(parts) > 1 && parts[0] == "5":
		n, _ := strconv.Atoi(parts[1])
		switch {
		case n < 16:
			return strconv.Itoa(n), 2
		case n < 232:
			level := func(n int) int { return min(n, 1)*55 + n*40 }
			return rgb(level((n-16)/36), level((n-16)/6%6), level((n-16)%6)), 2
		}
		return rgb(n*10-2312, n*10-2312, n*10-2312), 2
	case len(parts) > 3 && parts[0] == "2":
		r, _ := strconv.Atoi(parts[1])
		g, _ := strconv.Atoi(parts[2])
		b, _ := strconv.Atoi(parts[3])
		return rgb(r, g, b), 4
	}
	return "", len(parts)
}

func rgb(r, g, b int) string {
	return strconv.Itoa(r) + "," + strconv.Itoa(g) + "," + strconv.Itoa(b)
}

// near says whether letters of one colour are not seen on a ground of the other.
func near(a, b string) bool {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) || len(x) == 1 {
		return a == b
	}
	for i := range x {
		n, _ := strconv.Atoi(x[i])
		m, _ := strconv.Atoi(y[i])
		if n-m > 24 || m-n > 24 {
			return false
		}
	}
	return true
}
