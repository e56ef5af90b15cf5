package main

import (
	"slices"
	"strings"
)

// line returns where the line of i starts, and how deep it is.
func (t source) line(i int) (start, depth int) {
	start = strings.LastIndexByte(t.low[:i], '\n') + 1
	return start, len(t.low[start:i]) - len(strings.TrimLeft(t.low[start:i], " \t"))
}

// value returns the scalar behind the colon of a name that starts at i: "?" for a
// block, or for anything else that is no plain word; "" for none.
func (t source) value(i, colon int) string {
	at := t.skip(colon, " \t\r\n")
	if at == len(t.low) {
		return ""
	}
	if at >= colon+page {
		return "?"
	}
	if strings.Contains(t.low[colon:at], "\n") {
		key, _ := t.line(i)
		start, _ := t.line(at)
		first, _, _ := strings.Cut(t.low[at:], "\n")
		first = strings.TrimRight(first, " \t\r")
		switch deeper := at-start > len(strings.TrimRight(t.low[key:i], "\"'")); {
		case !deeper && (first[0] == '-' || strings.HasPrefix(first, "...") || keyed(first)):
			return "" // the next line is its neighbour
		case deeper && (strings.HasPrefix(first, "- ") || keyed(first)):
			if t.schema(at, at-start) {
				return ""
			}
			return "?"
		}
	}
	line := t.low[at:]
	if n := strings.IndexAny(line, ",}]\r\n#"); n >= 0 {
		line = line[:n]
	}
	return strings.Trim(line, blank)
}

// keyed says whether a line starts with a key: there is a colon with a blank or
// nothing behind it, and nothing of a flow before it.
func keyed(line string) bool {
	if strings.HasPrefix(line, "? ") {
		return true
	}
	n := strings.Index(line+" ", ": ")
	if strings.HasPrefix(line, "\"") {
		_, behind, _ := strings.Cut(line[1:], "\"")
		return strings.HasPrefix(strings.TrimLeft(behind, " \t"), ":")
	}
	return n > 0 && !strings.ContainsAny(line[:n], ",{}[]")
}

// schema says whether the block at a depth describes a field, and does not set it:
// its type is one of JSON Schema, and it has no path.
func (t source) schema(at, depth int) bool {
	found := false
	for n, line := range strings.Split(t.low[at:min(len(t.low), at+2*page)], "\n") {
		text := strings.TrimLeft(line, " ")
		deep := len(line) - len(text)
		if text = strings.TrimSpace(text); n == 0 {
			deep = depth
		}
		if text == "" || deep > depth {
			continue
		}
		if deep < depth && !strings.HasPrefix(text, "#") {
			break
		}
		if text[0] == '?' || text[0] == '*' {
			return false
		}
		name, value, _ := strings.Cut(text, ":")
		switch strings.Trim(name, "\"' \t") {
		case "path", "<<":
			return false
		case "type":
			found = schemaType(strings.Trim(value, "\"' "))
		}
	}
	return found
}

func schemaType(s string) bool {
	switch s {
	case "boolean", "integer", "string", "object", "array":
		return true
	}
	return false
}

// named says whether a name is the value of path or name in a step of a JSON Patch,
// or in a parameter of a chart, whose value is beside it.
func (t source) named(i, end int, f field) bool {
	start := i
	for start > 0 && start > i-page && strings.IndexByte(" \t\r\n\"'`,{:", t.low[start-1]) < 0 {
		start--
	}
	before := strings.TrimRight(t.low[max(0, start-40):start], blank)
	if n := len(strings.TrimRight(before, "+-0123456789")); n > 0 && (before[n-1] == '>' || before[n-1] == '|') { // a block
		before = strings.TrimRight(before[:n-1], blank)
	}
	if !strings.HasSuffix(before, ":") {
		return false
	}
	key := strings.TrimRight(before[:len(before)-1], " \t\"'`\\")
	key = key[strings.LastIndexFunc(key, func(r rune) bool { return r < 0x80 && !letter(byte(r)) })+1:]
	switch {
	case key == "path":
	case key == "name" && t.text[i:end] == f.spelled && t.path(end) == end:
	default:
		return false
	}
	item := t.item(start)
	switch op, _ := item.get("op"); op {
	case "remove", "test":
		return false
	case "copy", "move":
		return true
	}
	value, ok := item.get("value")
	return ok && !isOff(value)
}

// item returns what stands around at: an item of a list, or an object.
func (t source) item(at int) source {
	from, to := max(0, at-page), min(len(t.low), at+page)
	line := strings.LastIndexByte(t.low[from:at], '\n') + 1 + from
	if n := strings.LastIndexByte(t.low[line:at], '{'); n >= 0 {
		from = line + n
		if n := strings.IndexByte(t.low[at:to], '}'); n >= 0 {
			to = at + n
		}
		return source{t.text[from:to], t.low[from:to]}
	}
	depth := 0
	for start := at; start > from; {
		start = strings.LastIndexByte(t.low[from:start], '\n') + from
		text := strings.TrimLeft(t.low[start+1:at], " ")
		if start < from {
			text = strings.TrimLeft(t.low[from:at], " ")
		}
		if strings.HasPrefix(text, "- ") {
			from, depth = start+1, len(t.low[start+1:at])-len(text)
			break
		}
	}
	if n := strings.Index(t.low[at:to], "\n"+strings.Repeat(" ", depth)+"- "); n >= 0 {
		to = at + n
	}
	from = max(0, from)
	return source{t.text[from:to], t.low[from:to]}
}

// get returns the value of a key in an item.
func (t source) get(key string) (string, bool) {
	for from := 0; ; {
		n := strings.Index(t.low[from:], key)
		if n < 0 {
			return "", false
		}
		i := from + n
		from = i + len(key)
		if i > 0 && letter(t.low[i-1]) {
			continue
		}
		if at := t.skip(from, blank); at < len(t.low) && t.low[at] == ':' {
			return t.value(i, at+1), true
		}
	}
}

// adds judges the capabilities behind the word add: a list, the items of a block, or
// one name.
func (t source) adds(i, end int, at string) finding {
	var names string
	from := t.skip(t.path(end), blank)
	switch {
	case i > 0 && t.low[i-1] == '/': // of a path
		item := t.item(i)
		if op, _ := item.get("op"); op == "remove" || op == "test" {
			return finding{}
		}
		names = item.low
	case from == len(t.low) || t.low[from] != ':' && t.low[from] != '=':
		return finding{}
	default:
		names = t.list(from + 1)
	}
	if strings.Contains(names, "*") {
		return capability.found(at, "it adds capabilities that stand elsewhere in the text")
	}
	for _, w := range strings.FieldsFunc(names, func(r rune) bool { return r < 0x80 && !letter(byte(r)) }) {
		if f := added(w, at); f.code != "" {
			return f
		}
	}
	return finding{}
}

// list returns the items behind a colon or =.
func (t source) list(from int) string {
	at := t.skip(from, " \t\r\n")
	for at < len(t.low) && (t.low[at] == '&' || t.low[at] == '!') { // an anchor, a tag
		n := strings.IndexAny(t.low[at:], " \t\r\n")
		if n < 0 {
			return ""
		}
		at = t.skip(at+n, " \t\r\n")
	}
	rest := t.low[at:]
	if rest == "" {
		return ""
	}
	if n := strings.IndexByte("[{", rest[0]); n >= 0 {
		return flow(rest, "]}"[n])
	}
	if rest[0] != '-' {
		return one(rest, t.low[from-1] == ':')
	}
	var items strings.Builder
	begun := false // an item whose value is in the next line
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '-' && line[0] != '#' && !begun {
			break
		}
		line, _, _ = strings.Cut(line, " #")
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "---") {
			continue
		}
		begun = begun && line == "" || strings.Trim(line, "- \t") == ""
		items.WriteString(line + "\n")
	}
	return items.String()
}

// flow is what stands between the brackets of a list, without comments, each of which
// ends a line.
func flow(rest string, end byte) string {
	var inside strings.Builder
	for line := range strings.SplitAfterSeq(rest, "\n") {
		code, _, commented := strings.Cut(line, " #")
		if strings.Count(code, "\"")%2+strings.Count(code, "'")%2 > 0 { // it stands in quotes
			code, commented = line, false
		}
		if n := strings.IndexByte(code, end); n >= 0 {
			return inside.String() + code[:n]
		}
		inside.WriteString(code)
		if commented {
			inside.WriteByte('\n')
		}
	}
	return inside.String()
}

// one is what a line names that has no list. Behind a colon, names beside other words
// are prose, unless the first can be nothing else.
func one(rest string, colon bool) string {
	if n := strings.IndexAny(rest, "\r\n,"); n >= 0 {
		rest = rest[:n]
	}
	rest, _, _ = strings.Cut(rest, " #")
	words := strings.Fields(rest)
	if !colon || len(words) < 3 {
		return rest
	}
	for i, w := range words {
		w = strings.ToUpper(strings.Trim(w, "\"'`\\{}[]();|&"))
		is := slices.Contains(known, strings.TrimPrefix(w, "CAP_"))
		switch {
		case i == 0 && is && strings.Contains(w, "_"):
			return rest
		case !is && w != "" && letters[w[0]|0x20]:
			return ""
		}
	}
	return rest
}

// comment says whether what is at i is in a line that is a comment. One with quotes may
// be the end of a text that began above it, and one with other letters than those of
// ASCII may have more ends of lines.
func (t source) comment(i int) bool {
	line := strings.TrimLeft(t.low[strings.LastIndexAny(t.low[:i], "\r\n")+1:i], " \t")
	if line == "" || line[0] != '#' {
		return false
	}
	for _, c := range []byte(line) {
		if c == '"' || c == '\'' || c == '`' || c >= 0x80 {
			return false
		}
	}
	return true
}

// tagged says whether a name with a colon is the end of a longer one with a version
// behind it, as images are named: registry/hostpath:v1, csi-hostpath:1.2.
func (t source) tagged(i, colon int) bool {
	if colon+1 >= len(t.low) || !letter(t.low[colon+1]) || i < 2 || !letter(t.low[i-2]) {
		return false
	}
	return t.low[i-1] == '/' || t.low[i-1] == '-'
}

// prose says whether a value is words, the first of which does not mean true: nothing
// that is true or false is set by that.
func prose(value string) bool {
	words := strings.Fields(value)
	if len(words) < 2 || !letter(words[0][0]) || words[0][0] < 'a' {
		return false
	}
	switch words[0] {
	case "true", "yes", "on", "y", "t", "enabled":
		return false
	}
	return strings.Trim(words[0], "abcdefghijklmnopqrstuvwxyz") == "" && letter(words[1][0])
}
