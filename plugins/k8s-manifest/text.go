package main

import (
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

// jsonIn returns the JSON that a text is, or that it holds behind the = of a flag,
// and the text that is left to be read as YAML.
func jsonIn(v callgate.Value) (opened []callgate.Value, rest string) {
	text := v.Text()
	if inside := v.Open(); inside.Kind() == callgate.Object || inside.Kind() == callgate.Array {
		return []callgate.Value{inside}, ""
	}
	return nil, text
}

// scan looks for fields in text: YAML, flags and key=value, and JSON with what is
// no JSON around it. A field counts unless what follows it says no.
func scan(text, at string) finding {
	text = strings.ToLower(unescaped(text))
	for _, f := range fields {
		for from := 0; ; {
			i := strings.Index(text[from:], f.name)
			if i < 0 {
				break
			}
			i += from
			from = i + len(f.name)
			if i > 0 && letter(text[i-1]) || from < len(text) && letter(text[from]) {
				continue
			}
			value, ok := assigned(text, i, from)
			if ok && !isOff(value) {
				if found := f.found(at, "text sets "+f.name); found.code != "" {
					return found
				}
			}
		}
	}
	return capabilities(text, at)
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' }

// assigned returns what is set to the name between i and end; false: nothing is.
func assigned(text string, i, end int) (string, bool) {
	rest := strings.TrimLeft(text[end:], "\"'` \t\r\n")
	switch {
	case rest != "" && (rest[0] == ':' || rest[0] == '='):
		return word(rest[1:]), true
	case i >= 2 && text[i-2:i] == "--": // a flag without a value
		return "true", true
	case anchored(text[:i]): // a name that stands for a key elsewhere
		return "?", true
	}
	return "", false
}

// anchored says whether YAML text ends in an anchor, such as &a.
func anchored(text string) bool {
	text = strings.TrimRight(text, " \t\"'")
	i := strings.LastIndexAny(text, " \t\r\n[{,-?:")
	return strings.HasPrefix(text[i+1:], "&")
}

// word returns the scalar at the start of what follows a colon: "?" for a block or
// anything else that is no plain word.
func word(s string) string {
	line := strings.TrimLeft(s, " \t")
	for strings.HasPrefix(line, "#") || strings.HasPrefix(line, "\n") || strings.HasPrefix(line, "\r") {
		_, below, _ := strings.Cut(line, "\n")
		if next := strings.TrimLeft(below, " \t"); next == "" || below == next {
			return "" // the next line is no deeper: there is no value
		}
		if line = strings.TrimLeft(below, " \t"); !strings.HasPrefix(line, "#") && strings.Contains(firstLine(line), ":") {
			return "?"
		}
	}
	if i := strings.IndexAny(line, ",}]\r\n#"); i >= 0 {
		line = line[:i]
	}
	return strings.Trim(line, " \t\"'`")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// capabilities looks for names of capabilities behind the word add, where text is
// about capabilities.
func capabilities(text, at string) finding {
	i := strings.Index(text, capability.name)
	if i < 0 {
		return finding{}
	}
	adding := false
	for _, w := range strings.FieldsFunc(text[i:], func(r rune) bool { return r < 0x80 && !letter(byte(r)) }) {
		switch w {
		case "add":
			adding = true
		case "drop":
			adding = false
		default:
			if !adding {
				continue
			}
			if f := added(w, at); f.code != "" {
				return f
			}
		}
	}
	return finding{}
}

// unescaped reads the escapes that YAML and JSON have in quotes: \xHH, \uHHHH.
func unescaped(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if s[i+1] == '\n' { // a line that goes on
			for i++; i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\t'); i++ {
			}
			continue
		}
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i+1]]
		r, ok := hex(s, i+2, n)
		if n == 0 || !ok {
			b.WriteByte(s[i])
			continue
		}
		b.WriteRune(r)
		i += 1 + n
	}
	return b.String()
}

func hex(s string, at, n int) (rune, bool) {
	if at+n > len(s) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[at : at+n]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
