package provenance

import (
	"html"
	"strings"

	"github.com/callgate/callgate/abi"
)

// decodeText undoes the escapes that prose commonly carries, at most twice, and
// names the first that was found.
func decodeText(s string) (string, string) {
	view := ""
	for round := 0; round < 2; round++ {
		before := s
		if strings.Contains(s, "&") {
			s = html.UnescapeString(s)
		}
		view = nameView(view, "html", before, s)
		now := s
		if strings.Contains(s, "%") {
			s = unescapePercent(s)
		}
		view = nameView(view, "percent", now, s)
		now = s
		if strings.Contains(s, `\`) {
			s = unescapeJSON(s)
		}
		view = nameView(view, "json", now, s)
		now = s
		if strings.Contains(s, "=\n") || strings.Contains(s, "=\r\n") || escapedPrintable(s) {
			s = quotedPrintable(s)
		}
		view = nameView(view, "quoted-printable", now, s)
		if s == before {
			break
		}
	}
	return view, s
}

func nameView(have, name, before, after string) string {
	if have == "" && before != after {
		return name
	}
	return have
}

// unescapeJSON decodes the escapes of JSON and JavaScript.
func unescapeJSON(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			i++
			continue
		}
		switch c := s[i+1]; c {
		case 'n', 'r', 't', 'b', 'f':
			out = append(out, ' ')
			i += 2
		case '"', '\'', '\\', '/':
			out = append(out, c)
			i += 2
		case 'u':
			n := 6
			if strings.HasPrefix(s[min(len(s), i+6):], `\u`) {
				n = 12 // a pair of surrogates, or two
			}
			v, err := abi.Parse([]byte(`"` + s[i:min(len(s), i+n)] + `"`))
			if n > 6 && (err != nil || len(v.Str()) != 4) {
				n = 6
				v, err = abi.Parse([]byte(`"` + s[i:min(len(s), i+n)] + `"`))
			}
			if err != nil || i+n > len(s) {
				out = append(out, s[i])
				i++
				continue
			}
			out = append(out, v.Str()...)
			i += n
		case 'x':
			if i+3 < len(s) && hexValue(s[i+2]) < 16 && hexValue(s[i+3]) < 16 {
				out = append(out, hexValue(s[i+2])<<4|hexValue(s[i+3]))
				i += 4
				continue
			}
			out = append(out, s[i])
			i++
		default:
			out = append(out, s[i])
			i++
		}
	}
	return string(out)
}

// quotedPrintable undoes soft line breaks and =XX (RFC 2045, 6.7).
func quotedPrintable(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '=' || i+1 == len(s):
		case s[i+1] == '\n':
			i++
			continue
		case i+2 == len(s):
		case s[i+1] == '\r' && s[i+2] == '\n':
			i += 2
			continue
		case hexValue(s[i+1]) < 16 && hexValue(s[i+2]) < 16:
			out = append(out, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// escapedPrintable says whether s holds a quoted-printable escape of a printable
// character. In a URL, = is followed by hexadecimal digits by chance.
func escapedPrintable(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '=' && hexValue(s[i+1]) < 8 && hexValue(s[i+1]) >= 2 && hexValue(s[i+2]) < 16 {
			return true
		}
	}
	return false
}
