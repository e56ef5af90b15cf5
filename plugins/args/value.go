package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	callgate "github.com/callgate/callgate/sdk/go"
)

// maxDepth is how deep the host lets JSON nest.
const maxDepth = 512

// open reads JSON in a string as strictly as the host does: no two members with
// one name, and not too deep.
func open(v callgate.Value) callgate.Value {
	if v.Kind() == callgate.RawString {
		return callgate.Value{}
	}
	in := v.Open()
	type part struct {
		v     callgate.Value
		depth int
	}
	for parts := []part{{in, 1}}; len(parts) > 0; {
		p := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		if k := p.v.Kind(); k != callgate.Array && k != callgate.Object {
			continue
		}
		if p.depth > maxDepth {
			return callgate.Value{}
		}
		var names []string
		for m := range p.v.Members() {
			names = append(names, m.Name())
			parts = append(parts, part{m, p.depth + 1})
		}
		for item := range p.v.Items() {
			parts = append(parts, part{item, p.depth + 1})
		}
		slices.Sort(names)
		if len(slices.Compact(slices.Clone(names))) < len(names) {
			return callgate.Value{}
		}
	}
	return in
}

// same says whether two values have one canonical form.
func same(a, b callgate.Value) bool { return a.Kind() == b.Kind() && canonical(a) == canonical(b) }

// size is how many bytes a value has: of text, those of its characters.
func size(v callgate.Value) int64 {
	if v.IsString() {
		return int64(len(v.Text()))
	}
	return int64(len(canonical(v)))
}

// canonical writes a value as the host does (RFC 8785, lexemes of numbers as they
// are). What is not inside JSON text is written so already.
func canonical(v callgate.Value) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v callgate.Value) {
	switch v.Kind() {
	case callgate.Array:
		mark := "["
		for item := range v.Items() {
			b.WriteString(mark)
			write(b, item)
			mark = ","
		}
		b.WriteString(strings.TrimLeft(mark, ",") + "]")
	case callgate.Object:
		var members []callgate.Value
		for m := range v.Members() {
			members = append(members, m)
		}
		slices.SortFunc(members, func(x, y callgate.Value) int {
			return slices.Compare(utf16.Encode([]rune(x.Name())), utf16.Encode([]rune(y.Name())))
		})
		mark := "{"
		for _, m := range members {
			b.WriteString(mark)
			quote(b, m.Name())
			b.WriteByte(':')
			write(b, m)
			mark = ","
		}
		b.WriteString(strings.TrimLeft(mark, ",") + "}")
	case callgate.String, callgate.RawString:
		quote(b, v.Text())
	default:
		b.WriteString(v.JSON())
	}
}

// short are the escapes of RFC 8785 that have a letter.
var short = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}

func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case r < ' ':
			b.WriteString(`\u00` + strconv.FormatInt(int64(r>>4), 16) + strconv.FormatInt(int64(r&15), 16))
		default:
			b.Write(utf8.AppendRune(nil, r))
		}
	}
	b.WriteByte('"')
}

// decimal is an exact decimal number: 0.DIGITS × 10^exp; no digits are zero.
type decimal struct {
	neg    bool
	digits string
	exp    int64
}

// parseDecimal reads what servers read as a number: a sign, digits, a point, an
// exponent.
func parseDecimal(s string) (d decimal, ok bool) {
	s, d.neg = sign(s)
	mantissa, exponent := s, "0"
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	exponent, negative := sign(exponent)
	if digits == "" || exponent == "" || strings.Trim(digits+exponent, "0123456789") != "" {
		return d, false
	}
	for _, c := range []byte(exponent) {
		d.exp = min(d.exp*10+int64(c-'0'), 1<<56)
	}
	if negative {
		d.exp = -d.exp
	}
	trimmed := strings.TrimLeft(digits, "0")
	d.exp += int64(len(whole)) - int64(len(digits)-len(trimmed))
	if d.digits = strings.TrimRight(trimmed, "0"); d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// sign cuts a sign off.
func sign(s string) (rest string, negative bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

// compare is negative, 0 or positive as d is less than, equal to or more than e.
func (d decimal) compare(e decimal) int {
	if a, b := d.sign(), e.sign(); a != b || a == 0 {
		return cmp.Compare(a, b)
	}
	c := strings.Compare(d.digits, e.digits)
	if d.exp != e.exp {
		c = 1
		if d.exp < e.exp {
			c = -1
		}
	}
	return c * d.sign()
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
