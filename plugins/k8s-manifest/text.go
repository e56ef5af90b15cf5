package main

import (
	"slices"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

// jsonIn returns the JSON that a text is, or that it holds behind the = of a flag,
// and the text that is left to be read as YAML.
func jsonIn(v callgate.Value, text string) (opened []callgate.Value, rest string) {
	if first := strings.TrimLeft(text, " \t\r\n"); first == "" || first[0] != '{' && first[0] != '[' {
		return nil, text
	}
	if inside := v.Open(); inside.Kind() == callgate.Object || inside.Kind() == callgate.Array {
		return []callgate.Value{inside}, ""
	}
	return nil, text
}

// source is a text that is looked through: as it is, and in lower case, byte for
// byte.
type source struct{ text, low string }

// scan looks for fields in text: YAML, flags and key=value, and JSON with what is
// no JSON around it. A field counts unless what follows it says no.
func scan(text, at string) finding {
	escapes := strings.IndexByte(text, '\\') >= 0
	text = plain(unescaped(text))
	t := source{text, lower(text)}
	if t.encoded() {
		return finding{"K8S_UNREADABLE", "a name or a value in base64", at}
	}
	about := strings.Contains(t.low, capability.name)
	for end := 0; ; {
		i := end
		for i < len(t.low) && !letter(t.low[i]) {
			i++
		}
		if i == len(t.low) {
			return finding{}
		}
		for end = i; end < len(t.low) && letter(t.low[end]); end++ {
		}
		name := t.low[i:end]
		if len(name) > longest || len(name) < 3 {
			continue
		}
		if strings.IndexByte(name, '_') >= 0 {
			name = strings.ReplaceAll(name, "_", "")
		}
		f, ok := fieldOf(name)
		adds := about && name == "add"
		if !ok && !adds || !escapes && t.comment(i) {
			continue
		}
		if ok && !slices.Contains(set.allow, f.what) && t.sets(i, end, f) {
			return f.found(at, "text sets "+f.name)
		}
		if adds {
			if f := t.adds(i, end, at); f.code != "" {
				return f
			}
		}
	}
}

// longest is more than the name of a field has, with its underscores.
const longest = 40

// letters are what names are made of, in lower case.
var letters = func() (set [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789_") {
		set[c] = true
	}
	return set
}()

func letter(c byte) bool { return letters[c] }

// fieldOf returns the field of a folded name.
func fieldOf(name string) (field, bool) {
	if len(name) < 7 || len(name) > 24 {
		return field{}, false
	}
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

// blank are what may stand between a name and its colon: quotes too, and their
// escapes.
const blank = "\"'`\\ \t\r\n"

// sets says whether the name between i and end is set to something.
func (t source) sets(i, end int, f field) bool {
	at := t.path(end)
	at = t.skip(at, blank)
	switch {
	case at < len(t.low) && t.low[at] == ':':
		if at == end && t.tagged(i, at) {
			return false
		}
		value := t.value(i, at+1)
		return !isOff(value) && (f.what == hostPath || f.what == hostPort || !prose(value))
	case at < len(t.low) && t.low[at] == '=':
		if strings.HasPrefix(t.low[at:], "==") && t.compares(i) {
			return false
		}
		value, _, _ := strings.Cut(strings.TrimLeft(t.low[at+1:min(len(t.low), at+80)], " \t"), ",")
		if n := strings.IndexAny(value, " \t\r\n;&|}])"); n >= 0 {
			value = value[:n]
		}
		return !isOff(strings.Trim(value, blank))
	case i >= 2 && t.low[i-2:i] == "--": // a flag without a value
		return true
	case t.anchored(i): // a name that stands for a key elsewhere
		return true
	}
	return t.named(i, end, f)
}

// path skips what goes on with a name: .path, [0].path.
func (t source) path(at int) int {
	if at == len(t.low) || t.low[at] != '.' && t.low[at] != '[' {
		return at
	}
	for n := at; n < len(t.low); n++ {
		switch c := t.low[n]; {
		case c == '=' || c == ':':
			return n
		case !letter(c) && c != '.' && c != '[' && c != ']' && c != '-':
			return at
		}
	}
	return at
}

// skip skips blanks and comments. What is longer than a page is none.
func (t source) skip(at int, blanks string) int {
	for n := at; n < len(t.low) && n < at+page; n++ {
		switch c := t.low[n]; {
		case c == '#' && n > 0 && strings.IndexByte(" \t\r\n", t.low[n-1]) >= 0:
			next := strings.IndexByte(t.low[n:], '\n')
			if next < 0 {
				return len(t.low)
			}
			n += next
		case strings.IndexByte(blanks, c) < 0:
			return n
		}
	}
	return min(len(t.low), at+page)
}

// page bounds how far a value is looked for.
const page = 4096

// compares says whether a name ends a path of jq or of JSONPath, where == compares.
func (t source) compares(i int) bool {
	for i > 0 && (letter(t.low[i-1]) || strings.IndexByte(".[]*@$", t.low[i-1]) >= 0) {
		i--
	}
	return strings.IndexByte(".@$", t.low[i]) >= 0
}

// anchored says whether what stands before i ends in an anchor of YAML, such as &a,
// with a tag or the mark of a block behind it.
func (t source) anchored(i int) bool {
	before := t.low[max(0, i-page):i]
	for range 4 {
		before = strings.TrimRight(before, "\"' \t\r\n")
		if n := len(strings.TrimRight(before, "+-0123456789")); n > 0 && (before[n-1] == '>' || before[n-1] == '|') && !strings.Contains(before[max(0, n-40):n], "!<") {
			before = before[:n-1]
			continue
		}
		n := strings.LastIndexAny(before, " \t\r\n[{,-?:") + 1
		if v := strings.LastIndex(before, "!<"); v >= 0 && strings.HasSuffix(before, ">") {
			n = v
		}
		switch last := before[n:]; {
		case strings.HasPrefix(last, "!"):
			before = before[:n]
		default:
			return len(last) > 1 && last[0] == '&' && last[1] != '&'
		}
	}
	return true
}

// encoded says whether YAML has names or values in base64.
func (t source) encoded() bool {
	if strings.IndexByte(t.low, '!') < 0 && strings.IndexByte(t.low, '%') < 0 {
		return false
	}
	if strings.Contains(t.low, "2002:binary") || strings.HasPrefix(t.low, "%tag") || strings.Contains(t.low, "\n%tag") {
		return true
	}
	for from := 0; ; {
		n := strings.IndexByte(t.low[from:], '!')
		if n < 0 {
			return false
		}
		from += n
		tag := t.low[from:min(len(t.low), from+40)]
		if n := strings.IndexAny(tag, " \t\r\n"); n >= 0 {
			tag = tag[:n]
		}
		if strings.HasPrefix(tag, "!!") && strings.Contains(tag, "%") || strings.Contains(tag, "!binary") {
			return true
		}
		from += len(tag)
		if len(tag) == 0 {
			from++
		}
	}
}

// lower changes ASCII only, so that every byte stays where it is.
func lower(s string) string {
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			continue
		}
		b := []byte(s)
		for n, c := range b {
			if c >= 'A' && c <= 'Z' {
				b[n] = c + 'a' - 'A'
			}
		}
		return string(b)
	}
	return s
}

// plain changes the two letters that fold to letters of ASCII.
func plain(s string) string {
	if strings.IndexByte(s, 0xC5) < 0 && strings.IndexByte(s, 0xE2) < 0 {
		return s
	}
	return strings.NewReplacer("\u017f", "s", "\u212a", "k").Replace(s)
}

// unescaped reads the escapes that YAML and JSON have in quotes: \xHH, \uHHHH, and
// those of blanks.
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
		if n := strings.IndexByte("nrt/", s[i+1]); n >= 0 {
			b.WriteByte("\n\r\t/"[n])
			i++
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
