package provenance

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mail reads one mailbox of RFC 5322: an addr-spec, alone or in angle brackets
// behind a display name, with comments. Only the address counts.
func mail(s string) (Entity, bool) {
	if !strings.Contains(s, "@") {
		return Entity{}, false
	}
	addr, spoiled := strings.TrimSpace(uncomment(s)), ""
	if i := strings.LastIndexByte(addr, '<'); i >= 0 && !insideQuotes(addr, i) {
		end := strings.IndexByte(addr[i:], '>')
		if end < 0 || strings.TrimSpace(addr[i+end+1:]) != "" {
			return Entity{}, false
		}
		if strings.ContainsAny(unquoteDisplay(addr[:i]), "<>@,;") {
			return Entity{}, false
		}
		addr = strings.TrimSpace(addr[i+1 : i+end])
		if rest, ok := cutPrefixFold(addr, "mailto:"); ok {
			addr = rest
		}
	}
	tidy := strings.Trim(addr, "`'*()[]{},;:!? ")
	if n := len(tidy); n > 1 && tidy[0] == '"' && tidy[n-1] == '"' && !strings.Contains(tidy[1:n-1], `"`) {
		tidy = tidy[1 : n-1]
	}
	if tidy != addr && !strings.HasSuffix(addr, "]") {
		addr, spoiled = tidy, SpoiledSyntax
	}
	e, ok := addrSpec(addr)
	e.Value = s
	if spoiled != "" {
		e.Spoiled = spoiled
	}
	return e, ok
}

// addrSpec reads local@domain.
func addrSpec(s string) (Entity, bool) {
	at := strings.LastIndexByte(s, '@')
	if at <= 0 {
		return Entity{}, false
	}
	local, domain := s[:at], s[at+1:]
	e := Entity{Kind: KindMail}
	if n := len(local); n > 2 && local[0] == '"' && local[n-1] == '"' {
		if inner := local[1 : n-1]; dotAtom(inner) {
			local = inner
		} else {
			e.Spoiled = SpoiledSyntax
		}
	} else if !dotAtom(local) {
		return Entity{}, false
	}
	if strings.ContainsAny(local, "%!") {
		e.Spoiled = SpoiledSyntax // some hosts send such mail on, to where it says
	}
	host, ok := mailHost(domain)
	if !ok {
		return Entity{}, false
	}
	e.local, e.host = local, host
	e.Identity = local + "@" + host
	return e, true
}

// mailHost reads the domain of an address, or an address literal.
func mailHost(domain string) (string, bool) {
	if strings.HasPrefix(domain, "[") && strings.HasSuffix(domain, "]") {
		inner := domain[1 : len(domain)-1]
		inner, _ = cutPrefixFold(inner, "IPv6:")
		e, ok := ip(inner)
		return "[" + e.Identity + "]", ok
	}
	return canonicalHost(domain)
}

// dotAtom says whether s is a dot-atom of RFC 6532, dots in odd places allowed.
func dotAtom(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < utf8.RuneSelf && !isWord(c) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~.", rune(c)) {
			return false
		}
	}
	return s != ""
}

// mailto reads a mailto URI (RFC 6068): the path and every field with an address
// that is not text. A line break in a field can begin another.
func mailto(whole, rest string) []Entity {
	path, query, _ := strings.Cut(rest, "?")
	query, _, _ = strings.Cut(query, "#")
	list, broken := []string{path}, ""
	for _, field := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' || r == '?' }) {
		name, value, _ := strings.Cut(field, "=")
		name, value = strings.ToLower(strings.Trim(unescapePercent(name), " +\t\r\n")), unescapePercent(value)
		if name == "body" {
			continue
		}
		if oddity(value) == SpoiledControl {
			broken = SpoiledControl
		}
		switch name {
		case "subject", "in-reply-to", "references", "message-id", "keywords", "comments":
		default:
			if strings.Contains(value, "@") {
				list = append(list, value)
			}
		}
	}
	var out []Entity
	for i, item := range list {
		if i == 0 {
			item = unescapePercent(item)
		}
		out = append(out, mailboxes(whole, item, broken)...)
	}
	if out == nil {
		e := text(whole)
		e.Spoiled = SpoiledSyntax
		return []Entity{e}
	}
	return out
}

// mailboxes reads the addresses of one field of a mailto URI, which are spoiled
// by what spoils the URI.
func mailboxes(whole, field, spoiled string) []Entity {
	odd := oddity(field)
	if odd != "" {
		field, spoiled = strip(field), odd
	}
	var out []Entity
	for _, part := range splitList(field) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		e, ok := mail(strings.TrimSpace(part))
		if !ok {
			e = text(part)
			e.Spoiled = SpoiledSyntax
		}
		e.Value = whole
		if spoiled != "" {
			e.Spoiled = spoiled
		}
		out = append(out, e)
	}
	return asides(out, field)
}

// asides adds to a list of addresses those that stand between commas in its
// comments and quoted names. Mail does not go there, but whoever splits the list
// at every comma sends it.
func asides(list []Entity, s string) []Entity {
	if !strings.ContainsAny(s, ",;") || !strings.ContainsAny(s, "(\"") {
		return list
	}
	for _, aside := range dropped(s) {
		if !strings.ContainsAny(aside, ",;") {
			continue
		}
		inside, _ := extract(aside)
		for _, e := range inside {
			if !slices.ContainsFunc(list, func(have Entity) bool { return have.key() == e.key() }) {
				list = append(list, e)
			}
		}
	}
	return list
}

// dropped returns the quoted strings and the comments of a list of addresses.
func dropped(s string) []string {
	var out []string
	depth, quoted, from := 0, false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && (quoted || depth > 0):
			i++
		case c == '"' && depth == 0:
			if quoted {
				out = append(out, s[from:i])
			}
			quoted, from = !quoted, i+1
		case quoted:
		case c == '(':
			if depth++; depth == 1 {
				from = i + 1
			}
		case c == ')' && depth > 0:
			if depth--; depth == 0 {
				out = append(out, s[from:i])
			}
		}
	}
	return out
}

// uncomment drops RFC 5322 comments outside of quotes.
func uncomment(s string) string {
	if !strings.Contains(s, "(") {
		return s
	}
	var b strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' && depth == 0:
			quoted = !quoted
			b.WriteByte(c)
		case c == '(' && !quoted:
			depth++
		case c == ')' && depth > 0 && !quoted:
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	if depth > 0 || quoted {
		return s
	}
	return b.String()
}

// insideQuotes says whether offset i of s is inside a quoted string.
func insideQuotes(s string, i int) bool {
	quoted := false
	for j := 0; j < i; j++ {
		switch {
		case s[j] == '\\' && quoted:
			j++
		case s[j] == '"':
			quoted = !quoted
		}
	}
	return quoted
}

// unquoteDisplay drops quoted strings from a display name.
func unquoteDisplay(s string) string {
	out, quoted := []byte(nil), false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted:
			out = append(out, s[i])
		}
	}
	return string(out)
}
