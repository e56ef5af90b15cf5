package provenance

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The kinds of an entity, as they stand in findings.
const (
	KindMail   = "mail"
	KindURL    = "url"
	KindHost   = "host"
	KindIP     = "ip"
	KindIBAN   = "iban"
	KindPhone  = "phone"
	KindHandle = "handle"
	KindPath   = "path"
	KindText   = "text"
)

// The reasons why a value can never be trusted.
const (
	SpoiledControl   = "a control character"
	SpoiledInvisible = "an invisible character"
	SpoiledUserinfo  = "user information in a URL"
	SpoiledForm      = "a spelling that is not in normal form"
	SpoiledEncoded   = "a percent-encoded spelling"
	SpoiledSyntax    = "a malformed address"
)

// Limits of what one scalar is read into.
const (
	maxEntities = 256     // entities of one scalar
	maxRead     = 1 << 20 // bytes of a scalar that are searched for entities
	maxStrong   = 1 << 14 // bytes of one destination with a grammar
)

// Entity is one destination that a string names.
type Entity struct {
	Kind     string
	Identity string // compared exactly for trust
	Value    string // the part of the string
	Spoiled  string // why it can never be trusted, "" if it can
	host     string // lower-case A-label host of a mail address, URL or host
	local    string // local part of a mail address
	embedded bool   // found inside a longer text
}

// Host returns the lower-case host in A-labels of a mail address, a URL or a
// host, else "".
func (e Entity) Host() string { return e.host }

// Canonicalise reads a string into the destinations it names, at least one. A
// string that is no list is one entity. A text that contains addresses or URLs
// is itself one entity, followed by them. The second result says whether there
// was more to read than the limits allow.
func Canonicalise(value string) ([]Entity, bool) {
	read, cut := value, false
	if len(read) > maxRead {
		read, cut = read[:maxRead], true
	}
	entities, more := canonicalise(read)
	if cut {
		entities[0].Value, entities[0].Identity = value, value
		entities[0].Kind = KindText
	}
	cut = cut || more
	if len(entities) > maxEntities {
		entities, cut = entities[:maxEntities], true
	}
	return entities, cut
}

func canonicalise(value string) ([]Entity, bool) {
	trimmed := strings.Trim(value, " \t")
	odd := oddity(trimmed)
	clean := trimmed
	if odd == SpoiledControl || odd == SpoiledInvisible {
		clean = strip(trimmed)
	}
	entities, cut := split(clean)
	if odd == "" {
		return entities, cut
	}
	// A newline inside an address is no border to a lenient server: the value
	// is read with and without its spaces.
	if odd == SpoiledControl && len(clean) <= maxStrong {
		e, ok := strong(strings.Join(strings.Fields(clean), ""))
		if ok && !slices.ContainsFunc(entities, func(have Entity) bool { return have.key() == e.key() }) {
			entities = append(entities, e)
		}
	}
	for i := range entities {
		if entities[i].embedded {
			continue
		}
		entities[i].Spoiled = odd
	}
	return entities, cut
}

// oddity returns why the characters of a value keep it from being trusted.
func oddity(s string) string {
	ascii, hidden := true, false
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7F {
			return SpoiledControl
		}
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return ""
	}
	for _, r := range s {
		if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 {
			return SpoiledControl
		}
		hidden = hidden || invisible(r)
	}
	if hidden {
		return SpoiledInvisible
	}
	if !utf8.ValidString(s) || !norm.NFKC.IsNormalString(s) {
		return SpoiledForm
	}
	return ""
}

// strip drops invisible characters and makes line breaks of control characters,
// so that what they would split is read apart.
func strip(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || r == 0x2028 || r == 0x2029:
			return '\n'
		case invisible(r):
			return -1
		}
		return r
	}, s)
}

// split reads a list of destinations, or one, and says whether there was more.
func split(s string) ([]Entity, bool) {
	if rest, ok := cutPrefixFold(s, "mailto:"); ok {
		return mailto(s, rest), false
	}
	if strings.Contains(s, "@") {
		s = strings.TrimRight(s, ",; \t") // the end of a list, and of no address
	}
	if e, ok := strong(s); ok {
		if e.Kind == KindMail {
			return asides([]Entity{e}, s), false
		}
		return []Entity{e}, false
	}
	if strings.Contains(s, "@") && !strings.Contains(s, "://") {
		if list, cut := mailList(s); list != nil {
			return asides(list, s), cut
		}
	}
	if list := strongList(s); list != nil {
		return list, false
	}
	out := []Entity{text(s)}
	seen := map[string]bool{}
	inside, cut := extract(s)
	for _, e := range inside {
		if !seen[e.key()] {
			seen[e.key()] = true
			out = append(out, e)
		}
	}
	return out, cut
}

// strongList reads a list in which every part has the shape of a destination.
func strongList(s string) []Entity {
	if len(s) > 1<<16 {
		return nil
	}
	var out []Entity
	for p := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }) {
		e, ok := strong(p)
		if !ok || len(out) == maxEntities {
			return nil
		}
		out = append(out, e)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// mailList reads a list of mail addresses, RFC 5322 address-list with
// semicolons as lenient mailers have them; nil if no part is one.
func mailList(s string) ([]Entity, bool) {
	if len(s) > 1<<16 {
		return nil, false
	}
	var out []Entity
	mails, cut := 0, false
	for _, part := range splitList(s) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		e, ok := mail(part)
		if !ok {
			if e, ok = mail(afterGroup(part)); ok {
				e.Value = part
			}
		}
		if !ok {
			if e, ok = strong(part); !ok {
				inside, more := extract(part)
				out, cut = append(append(out, text(part)), inside...), cut || more
				continue
			}
		}
		if e.Kind == KindMail {
			mails++
		}
		out = append(out, e)
	}
	if mails == 0 {
		return nil, false
	}
	return out, cut
}

// splitList splits at commas, semicolons and line breaks outside of quotes and
// angle brackets.
func splitList(s string) []string {
	var parts []string
	quoted, angle, from := false, false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"' && (quoted || strings.Contains(s[i+1:], `"`)):
			quoted = !quoted
		case quoted:
		case c == '<':
			angle = true
		case c == '>':
			angle = false
		case c == '\n', !angle && (c == ',' || c == ';'):
			parts = append(parts, s[from:i])
			from, angle = i+1, false
		}
	}
	return append(parts, s[from:])
}

// afterGroup drops the name of an address group, or of a header.
func afterGroup(s string) string {
	if i := strings.IndexByte(s, ':'); i >= 0 && !strings.ContainsAny(s[:i], "@<\"") {
		return strings.TrimSpace(s[i+1:])
	}
	return s
}

// strong reads a string that has the shape of one destination as a whole.
func strong(s string) (Entity, bool) {
	if s == "" || len(s) > maxStrong {
		return Entity{}, false
	}
	for _, read := range [...]func(string) (Entity, bool){uri, ip, iban, phone, handle, fsPath, mail, hostName} {
		if e, ok := read(s); ok {
			return e, true
		}
	}
	if e, ok := decoded(s); ok {
		return e, true
	}
	return Entity{}, false
}

// decoded reads a value that is percent-encoded as a whole.
func decoded(s string) (Entity, bool) {
	if !strings.Contains(s, "%") || strings.ContainsAny(s, "/ ") {
		return Entity{}, false
	}
	plain, err := url.PathUnescape(s)
	if err != nil || plain == s || oddity(plain) != "" || strings.Contains(plain, "%") {
		return Entity{}, false
	}
	e, ok := strong(plain)
	e.Value, e.Spoiled = s, SpoiledEncoded
	return e, ok
}

// text is an opaque value. Its identity is the value itself.
func text(s string) Entity { return Entity{Kind: KindText, Identity: s, Value: s} }

// cutPrefixFold is strings.CutPrefix without regard to ASCII case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}
