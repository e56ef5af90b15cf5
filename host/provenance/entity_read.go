package provenance

import (
	"strings"
	"unicode/utf8"
)

// readWord is [strong] for a word without blanks whose bytes are of the given
// classes, or of fewer. It leaves out the readers that can not read it, and those
// of a word that no reader can read.
func readWord(w string, of uint16) (Entity, bool) {
	if w == "" {
		return Entity{}, false
	}
	if of&(classAt|classPercent) != 0 || w[0] == '[' || of&classColon != 0 && hasScheme(w, of) {
		return strong(w)
	}
	if len(w) > maxStrong {
		return Entity{}, false
	}
	if w[0] == '+' || strings.HasPrefix(w, "00") {
		if e, ok := phone(w); ok {
			return e, true
		}
	}
	if w[0] == '#' {
		if e, ok := handle(w); ok {
			return e, true
		}
	}
	if of&(classBack|classSlash) != 0 {
		if strings.HasPrefix(w, "//") {
			if e, ok := uri(w); ok {
				return e, true
			}
		}
		if e, ok := fsPath(w); ok {
			return e, true
		}
	}
	if of&classDot != 0 {
		if e, ok := readDotted(w, of); ok {
			return e, true
		}
	}
	if of&classStop != 0 && strings.Contains(w, "。") {
		return hostName(w)
	}
	if of&classFigure != 0 && numbered(w) {
		return iban(w)
	}
	return Entity{}, false
}

// readDotted reads an IPv4 address or the name of a host.
func readDotted(w string, of uint16) (Entity, bool) {
	// File names and sentences are the most of what has dots.
	if plainHost(w) {
		return Entity{Kind: KindHost, Identity: w, Value: w, host: w}, true
	}
	if of&classWide != 0 {
		return hostName(w)
	}
	letters, dots := false, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= 'A' && c <= 'Z':
			return Entity{}, false // see hostName
		case c == '.':
			dots++
		case !isDigit(c):
			letters = true
		}
	}
	switch {
	case letters:
		name := strings.TrimSuffix(w, ".")
		last := name[strings.LastIndexByte(name, '.')+1:]
		if len(last) < 2 || !allLetters(last) && !strings.HasPrefix(last, "xn--") {
			return Entity{}, false
		}
		return hostName(w)
	case dots == 3:
		return ip(w)
	}
	return Entity{}, false
}

// hasScheme says whether a word with a colon may be a URL, a path on a drive, or
// an IPv6 address.
func hasScheme(w string, of uint16) bool {
	if of&classBack != 0 || strings.Contains(w, "//") || len(w) > 2 && w[1] == ':' && w[2] == '/' {
		return true
	}
	for _, scheme := range [...]string{"tel:", "sms:", "file:"} {
		if _, ok := cutPrefixFold(w, scheme); ok {
			return true
		}
	}
	colons := 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c == ':':
			colons++
		case c != '.' && hexValue(c) == 16:
			return false
		}
	}
	return colons >= 2
}

// numbered says whether a word begins as an IBAN does, with two letters and two
// figures, whatever hyphens are in between.
func numbered(w string) bool {
	n := 0
	for i := 0; i < len(w) && n < 4; i++ {
		c := w[i]
		switch {
		case c == '-' && n > 0:
			continue
		case n < 2 && (!isWord(c) || isDigit(c)), n >= 2 && !isDigit(c):
			return false
		}
		n++
	}
	return n == 4 && len(w) >= 15
}

// eachNumber calls named with the telephone numbers and the account numbers that
// begin at an offset and are written with blanks. Where they end nobody can know:
// every blank is taken for an end.
func eachNumber(s string, at int, named func(Entity)) {
	read, most, of := phone, 32, "0123456789 ().-/"
	least, begun := 7, 0
	switch rest := s[at:]; {
	case rest[0] == '+':
		begun = 1
	case strings.HasPrefix(rest, "00"):
		begun, least = 2, 9
	case len(rest) >= 15 && isWord(rest[0]) && !isDigit(rest[0]) && isWord(rest[1]) && !isDigit(rest[1]) && isDigit(rest[2]) && isDigit(rest[3]):
		read, most, least, of = iban, 64, 8, ""
	default:
		return
	}
	figures := 0
	for i := at + begun; ; i++ {
		end := i == len(s) || i-at == most || of == "" && !isWord(s[i]) && s[i] != ' ' && s[i] != '-' || of != "" && strings.IndexByte(of, s[i]) < 0
		if (end || s[i] == ' ') && s[i-1] != ' ' && figures+begun >= least {
			if e, ok := read(strings.TrimRight(s[at:i], " -.(/")); ok {
				named(e)
			}
		}
		if end {
			return
		}
		if isDigit(s[i]) {
			figures++
		}
	}
}

// isToken says whether a piece is an entity by its length alone: letters and
// figures, as the ids of things are.
func isToken(w string) bool {
	if len(w) < leastToken || len(w) > maxToken {
		return false
	}
	of := classesOf(w)
	return of&(classFigure|classLetter) == classFigure|classLetter && of&(classOdd|classHot&^classFigure) == 0
}

// apart calls visit with what may name something and stands in s between code
// points that part words, if there are any.
func apart(s string, visit func(string)) {
	from := 0
	named := func(run string) {
		of := classesOf(run)
		if of&(classHot&^classStop) != 0 || of&classStop != 0 && of&classLetter != 0 {
			visit(run)
		}
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if interrupts(r) {
			named(s[from:i])
			from = i + n
		}
		i += n
	}
	if from > 0 {
		named(s[from:])
	}
}
