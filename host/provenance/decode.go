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
		if strings.Contains(s, `\u`) {
			s = unescapeUnicode(s)
		}
		view = nameView(view, "json", now, s)
		now = s
		if strings.Contains(s, "=\n") || strings.Contains(s, "=\r\n") || strings.Contains(s, "=40") {
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

// unescapeUnicode decodes the \u escapes of JSON and JavaScript.
func unescapeUnicode(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+5 < len(s) && s[i+1] == 'u' {
			if v, err := abi.Parse([]byte(`"` + s[i:i+6] + `"`)); err == nil {
				out = append(out, v.Str()...)
				i += 6
				continue
			}
		}
		out = append(out, s[i])
		i++
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
