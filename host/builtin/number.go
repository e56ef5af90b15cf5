package builtin

import (
	"errors"
	"strings"
)

// decimal is an exact decimal number: 0.DIGITS × 10^exp. Comparing two of them
// costs no more than reading them, however large the exponent is; a big.Rat of
// 1e999999999 would not fit into memory.
type decimal struct {
	neg    bool
	digits string // no leading or trailing zeros; "" is zero
	exp    int64
}

// maxExponent is where exponents are clamped. A lexeme long enough to reach it
// with digits alone would not fit into a frame.
const maxExponent = 1 << 60

var errNotANumber = errors.New("not a number; want a decimal number, such as 12, 0.5 or 1e3")

// parseDecimal reads a decimal number: an optional sign, digits with at most one
// point, an optional exponent. It is laxer than JSON (RFC 8259 section 6) in
// what servers also read as a number: a plus sign, leading zeros, a bare point.
func parseDecimal(s string) (decimal, error) {
	var d decimal
	if s != "" && (s[0] == '-' || s[0] == '+') {
		d.neg = s[0] == '-'
		s = s[1:]
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
		if exponent == "" {
			return decimal{}, errNotANumber
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return decimal{}, errNotANumber
	}
	exp, err := parseExponent(exponent)
	if err != nil {
		return decimal{}, err
	}
	digits := whole
	if fraction != "" {
		digits = whole + fraction
	}
	trimmed := strings.TrimLeft(digits, "0")
	d.exp = exp + int64(len(whole)) - int64(len(digits)-len(trimmed))
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return decimal{}, nil
	}
	return d, nil
}

func parseExponent(s string) (int64, error) {
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		if s = s[1:]; s == "" {
			return 0, errNotANumber
		}
	}
	var n int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, errNotANumber
		}
		n = min(n*10+int64(s[i]-'0'), maxExponent/16)
	}
	if neg {
		n = -n
	}
	return n, nil
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// compare returns -1, 0 or 1 as d is less than, equal to or greater than e.
func (d decimal) compare(e decimal) int {
	if d.sign() != e.sign() {
		if d.sign() < e.sign() {
			return -1
		}
		return 1
	}
	c := strings.Compare(d.digits, e.digits)
	if d.exp != e.exp && d.digits != "" {
		c = 1
		if d.exp < e.exp {
			c = -1
		}
	}
	if d.neg {
		return -c
	}
	return c
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}
