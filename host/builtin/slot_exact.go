package builtin

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// exactMatcher is a compiled rule about names: allow compares the whole value,
// character by character; deny whatever a reader could take for the name.
type exactMatcher struct {
	class    string
	hasAllow bool
	allow    []string
	deny     []string // loose, see [loosely]
	// forms lists what a value names, besides itself. Each may be the one that is
	// allowed, and none may be denied.
	forms func(s string) []string
}

func newExactMatcher(rule *contract.Arg) (matcher, error) { return exactRule(rule) }

func exactRule(rule *contract.Arg) (*exactMatcher, error) {
	m := &exactMatcher{class: rule.Slot, hasAllow: rule.HasAllow || len(rule.Allow) > 0, allow: rule.Allow}
	for _, entry := range slices.Concat(rule.Allow, rule.Deny) {
		switch why := ambiguous(entry); {
		case strings.TrimSpace(entry) == "":
			return nil, fmt.Errorf("slot %s has an empty entry; write a name", rule.Slot)
		case why != "":
			return nil, fmt.Errorf("slot %s: %q %s; write the plain name", rule.Slot, entry, why)
		case strings.ContainsRune(entry, '*'):
			return nil, fmt.Errorf("slot %s: %q is a pattern, and names are compared as a whole; list each name", rule.Slot, entry)
		}
	}
	for _, entry := range rule.Deny {
		m.deny = append(m.deny, loosely(entry))
	}
	return m, nil
}

func (m *exactMatcher) wants() bool { return m.hasAllow }

func (m *exactMatcher) judge(v abi.Value, _ *place) wrong {
	s, why := nameOf(v)
	if why != "" {
		return m.wrong("UNDECIDABLE", "a name can be read in more than one way: it "+why, "send the plain name")
	}
	return m.name(s)
}

// name judges a name that is beyond doubt.
func (m *exactMatcher) name(s string) wrong {
	forms := []string{s}
	if m.forms != nil {
		forms = append(forms, m.forms(s)...)
	}
	for _, f := range forms {
		if m.denies(f) {
			return m.wrong("DENIED", "a name is one that the rule denies", "use another one, or narrow deny at the rule")
		}
	}
	if !m.hasAllow || slices.ContainsFunc(forms, func(f string) bool { return slices.Contains(m.allow, f) }) {
		return wrong{}
	}
	return m.wrong("OUTSIDE", "a name is none of those that the rule allows", "use an allowed one, or add to allow at the rule")
}

// denies says whether a reader could take a value, or a part of a list, for a
// denied name.
func (m *exactMatcher) denies(s string) bool {
	if len(m.deny) == 0 {
		return false
	}
	loose := loosely(s)
	if slices.Contains(m.deny, loose) {
		return true
	}
	if decoded, err := url.PathUnescape(s); err == nil && decoded != s && slices.Contains(m.deny, loosely(decoded)) {
		return true
	}
	for part := range strings.FieldsFuncSeq(loose, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|", r) }) {
		if slices.Contains(m.deny, part) {
			return true
		}
	}
	return false
}

func (m *exactMatcher) wrong(what, reason, mend string) wrong {
	return wrong{codeOf(m.class, what), reason, mend}
}

// loosely is what two spellings of one name have in common.
func loosely(s string) string { return strings.TrimSpace(provenance.Fold(s)) }

// nameOf returns the text of a name, or what makes it doubtful.
func nameOf(v abi.Value) (s, why string) {
	switch v.Kind() {
	case abi.Number:
		return v.Lexeme(), ""
	case abi.String:
		return v.Str(), ambiguous(v.Str())
	case abi.RawString:
		return "", "is not valid Unicode"
	case abi.Bool:
		return "", "is true or false"
	}
	return "", "is a list or an object"
}

// ambiguous says what a server could read away, or in two ways, in a name.
func ambiguous(s string) string {
	if !utf8.ValidString(s) {
		return "is not valid Unicode"
	}
	if strings.TrimSpace(s) != s {
		return "has white space around it"
	}
	for _, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || unicode.Is(unicode.Variation_Selector, r) {
			return "has a control or an invisible character"
		}
	}
	if !norm.NFC.IsNormalString(s) {
		return "is not in composed form"
	}
	return ""
}

// newActivationMatcher is about executables and hosts: a URL names its host too,
// and for deny a path names the program at its end.
func newActivationMatcher(rule *contract.Arg) (matcher, error) {
	m, err := exactRule(rule)
	if err != nil {
		return nil, err
	}
	return &activationMatcher{*m}, nil
}

type activationMatcher struct{ exactMatcher }

func (m *activationMatcher) judge(v abi.Value, _ *place) wrong {
	s, why := nameOf(v)
	if why != "" {
		return m.wrong("UNDECIDABLE", "a name can be read in more than one way: it "+why, "send the plain name")
	}
	for _, form := range activates(s) {
		if m.denies(form) {
			return m.wrong("DENIED", "a name is one that the rule denies", "use another one, or narrow deny at the rule")
		}
	}
	if host, ok := plainHost(s); ok && m.hasAllow && slices.Contains(m.allow, host) {
		return wrong{}
	}
	return m.name(s)
}

// activates lists what an executable or address could be denied as: the program
// of a command line, with and without its directory, and every host.
func activates(s string) []string {
	list := []string{}
	for _, word := range strings.Fields(s) {
		word = strings.Trim(word, `"'`)
		clean := path.Clean(strings.ReplaceAll(word, `\`, "/"))
		list = append(list, clean, path.Base(clean), strings.TrimSuffix(path.Base(clean), ".exe"))
	}
	entities, _ := provenance.Canonicalise(s)
	for _, e := range entities {
		list = append(list, e.Identity, e.Host())
	}
	return list
}

// plainHost returns the host of a URL that every reader takes for the same one,
// with its port where it is not the usual one.
func plainHost(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Opaque != "" || strings.ContainsAny(s, "\\ %@") {
		return "", false
	}
	usual := ""
	switch u.Scheme {
	case "http", "ws":
		usual = "80"
	case "https", "wss":
		usual = "443"
	default:
		return "", false
	}
	host := u.Host
	if u.Port() == usual {
		host = u.Hostname()
	}
	for i := 0; i < len(host); i++ {
		if c := host[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != ':' && c != '[' && c != ']' {
			return "", false
		}
	}
	return host, host != "" && !strings.HasSuffix(host, ".")
}
