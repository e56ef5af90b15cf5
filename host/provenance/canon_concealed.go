package provenance

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// concealed reads the addresses and URLs of a text that [Canonicalise] does not see:
// in what the text encodes, and in spellings that people, mail clients and
// browsers take for an address all the same. Those of known are left out. The
// second result says whether there was more to read than the limits allow.
//
// It is about free text: what is one destination as a whole is read as that.
func concealed(value string, known []Entity) ([]Entity, bool) {
	if len(known) == 1 && !free(known[0]) {
		return nil, false
	}
	if len(value) > maxRead {
		value = value[:maxRead]
	}
	c := collector{seen: map[string]bool{}}
	for _, e := range known {
		c.seen[e.key()] = true
		c.within(e)
	}
	c.read(value)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0x80 }) {
		if bare := strip(value); bare != value {
			c.read(bare)
		}
	}
	if plain := norm.NFKC.String(value); plain != value {
		c.read(plain)
	}
	if strings.Contains(value, "<") {
		c.read(untag(value))
	}
	decoded, cut := views(value)
	for _, v := range decoded {
		c.read(v.text)
	}
	return c.out, c.cut || cut
}

// collector gathers entities, each once.
type collector struct {
	seen map[string]bool
	out  []Entity
	cut  bool
}

// read adds what a text names, plainly or in another spelling.
func (c *collector) read(text string) {
	for _, t := range [...]string{text, respell(text)} {
		inside, more := extract(t)
		c.cut = c.cut || more
		for _, e := range inside {
			c.add(e)
		}
	}
}

func (c *collector) add(e Entity) {
	switch {
	case c.seen[e.key()]:
		return
	case len(c.out) == maxEntities:
		c.cut = true
		return
	}
	c.seen[e.key()] = true
	c.out = append(c.out, e)
	c.within(e)
}

// within adds the URLs that a URL in a text carries, as redirects and proxies
// take them.
func (c *collector) within(e Entity) {
	if e.Kind != KindURL || !e.embedded {
		return
	}
	_, tail, _ := strings.Cut(e.Identity, "//")
	for range viewDepth + 1 {
		if inside, _ := extract(tail); len(inside) > 0 {
			c.add(inside[0])
			return
		}
		tail = unescapePercent(tail)
	}
}

// free says whether what was read as one destination may as well be a text. A
// path is one unless it has signs of prose or of a document.
func free(e Entity) bool {
	return e.Kind == KindText || e.Kind == KindPath && strings.ContainsAny(e.Value, " \t\n\"<>{:")
}

// respell writes out the spellings of an address that readers put right: schemes
// with other slashes or none (WHATWG URL), hosts without a scheme, shares, words
// and brackets in place of signs.
func respell(s string) string {
	var b strings.Builder
	last := 0 // what stands before is in b
	for i := 0; i < len(s); i++ {
		from, to, text := i, 0, ""
		switch respellings[s[i]] {
		case spellPlain:
			continue
		case spellScheme:
			to, text = looseScheme(s, i)
		case spellShare:
			to, text = share(s, i)
		case spellSign:
			to, text = sign(s, i)
		case spellHost:
			from, to, text = bareURL(s, i, last)
		}
		if text == "" {
			i = max(i, to-1)
			continue
		}
		b.WriteString(s[last:from])
		b.WriteString(text)
		last, i = to, to-1
	}
	if last == 0 {
		return ""
	}
	b.WriteString(s[last:])
	return b.String()
}

// What a byte can be a sign of.
const (
	spellPlain  = iota
	spellScheme // begins a scheme
	spellShare  // begins the name of a share
	spellSign   // stands in front of a sign that is written otherwise
	spellHost   // stands in a host
)

// respellings says what each byte can be a sign of. Nothing changes it.
var respellings = [256]uint8{
	'h': spellScheme, 'H': spellScheme, 'f': spellScheme, 'F': spellScheme, '\\': spellShare, '.': spellHost,
	'[': spellSign, '(': spellSign, '{': spellSign, ' ': spellSign, '\t': spellSign,
}

// starts says whether nothing in front of an offset belongs to what stands there.
func starts(s string, i int) bool { return i == 0 || !addressByte(s[i-1]) }

// share reads the start of \\host\path.
func share(s string, i int) (int, string) {
	if i+2 < len(s) && s[i+1] == '\\' && hostByte(s[i+2]) && starts(s, i) {
		return i + 2, "//"
	}
	return 0, ""
}

// addressByte says whether a byte before a host makes it a part of something
// longer.
func addressByte(c byte) bool {
	return hostByte(c) || strings.IndexByte("./@\\%&_:+", c) >= 0
}

// hostByte says whether a byte can stand in a label of a host.
func hostByte(c byte) bool { return isWord(c) || c == '-' || c >= 0x80 }

// looseScheme reads the scheme of a URL that is written with other slashes than
// two, or so that nobody clicks on it.
func looseScheme(s string, i int) (int, string) {
	if !starts(s, i) {
		return 0, ""
	}
	for _, scheme := range [...]string{"https", "http", "hxxps", "hxxp", "ftp"} {
		rest, ok := cutPrefixFold(s[i:], scheme)
		if !ok {
			continue
		}
		colon := strings.TrimLeft(rest, "[(")
		if !strings.HasPrefix(colon, ":") {
			continue
		}
		at := strings.TrimLeft(colon[1:], "])/\\")
		plain := strings.Replace(strings.ToLower(scheme), "xx", "tt", 1) + "://"
		if to := len(s) - len(at); at != "" && (hostByte(at[0]) || at[0] == '[') && s[i:to] != plain {
			return to, plain
		}
	}
	return 0, ""
}

// maxBlanks is how many blanks and brackets may stand beside a sign.
const maxBlanks = 4

// sign reads a dot or an @ that is written as a word, or in brackets.
func sign(s string, i int) (int, string) {
	if i == 0 || !hostByte(s[i-1]) && s[i-1] != '"' {
		return 0, ""
	}
	at := i
	for at < len(s) && at-i < maxBlanks && strings.IndexByte(" \t[({", s[at]) >= 0 {
		at++
	}
	if at == len(s) || strings.IndexByte("dDaA.@", s[at]) < 0 {
		return 0, ""
	}
	for _, w := range [...]struct{ word, sign string }{{"dot", "."}, {".", "."}, {"at", "@"}, {"@", "@"}} {
		rest, ok := cutPrefixFold(s[at:], w.word)
		if !ok {
			continue
		}
		behind := strings.TrimLeft(rest[:min(len(rest), maxBlanks)], " \t])}")
		to := len(s) - len(rest) + min(len(rest), maxBlanks) - len(behind)
		if to == len(s)-len(rest) || behind == "" || !hostByte(behind[0]) {
			return 0, ""
		}
		if w.word == "at" && !dotted(s[to:]) {
			return 0, ""
		}
		return to, w.sign
	}
	return 0, ""
}

// dotted says whether a text starts with a host of more labels than one, in
// whatever way its dots are written.
func dotted(s string) bool {
	n := 0
	for n < len(s) && hostByte(s[n]) {
		n++
	}
	if n+1 < len(s) && s[n] == '.' {
		return hostByte(s[n+1])
	}
	if n == len(s) || n == 0 {
		return false
	}
	_, dot := sign(s, n)
	return dot == "."
}

// bareURL reads a host that is written without a scheme and read as a link: www.
// in front, or a port, a path or a query behind. One of its dots stands at dot,
// and nothing before least belongs to it.
func bareURL(s string, dot, least int) (from, to int, text string) {
	from, to = dot, dot
	for from > least && dot-from < maxHost && (hostByte(s[from-1]) || s[from-1] == '.') {
		from--
	}
	for to < len(s) && to-dot < maxHost && (hostByte(s[to]) || s[to] == '.') {
		to++
	}
	host := s[from:to]
	if !starts(s, from) || !linked(host, s[to:]) {
		return from, to, ""
	}
	return from, to, "//" + host
}

// maxHost is the length of the longest host (RFC 1035, 2.3.4).
const maxHost = 253

// linked says whether a host that is written like this in a text is read as a
// link.
func linked(host, behind string) bool {
	host = strings.TrimSuffix(host, ".")
	_, www := cutPrefixFold(host, "www.")
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 {
		return false
	}
	last := host[dot+1:]
	switch {
	case www:
		return true
	case len(behind) < 2, fileSuffix(last), !allLetters(last) && !strings.HasPrefix(last, "xn--") && last[0] < 0x80:
		return false
	}
	if behind[0] == ':' {
		// A line of a file is written like a port, also where a domain ends like one.
		path := strings.TrimLeft(behind[1:], "0123456789")
		if len(behind)-len(path) > 2 && !sourceSuffix(last) {
			return true
		}
		behind = path
	}
	return len(behind) > 1 && (behind[0] == '/' || behind[0] == '?') && behind[1] > ' '
}

// fileSuffix says whether the last label of what may be a host is how the names of
// files end, and no domain does.
func fileSuffix(label string) bool {
	switch strings.ToLower(label) {
	case "go", "js", "mjs", "ts", "jsx", "tsx", "java", "kt", "rb", "cs", "vue", "zig", "php", "cpp", "hpp", "sql", "proto", "html", "htm", "css", "scss",
		"json", "yaml", "yml", "toml", "xml", "ini", "cfg", "conf", "log", "lock", "txt", "csv", "tsv", "pdf", "doc", "docx", "xls", "xlsx", "ppt",
		"pptx", "png", "jpg", "jpeg", "gif", "svg", "tar", "gz", "exe", "dll", "jar":
		return true
	}
	return false
}

// sourceSuffix says whether the name of a file with lines may end in a label that
// is a domain too.
func sourceSuffix(label string) bool {
	switch strings.ToLower(label) {
	case "py", "rs", "md", "sh", "pl":
		return true
	}
	return false
}
