package builtin

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// recipientMatcher is a compiled rule about recipients: mail addresses, handles,
// channels, numbers of telephones. All header fields are one set.
type recipientMatcher struct {
	hasAllow bool
	allow    []sinkEntry
	deny     []sinkEntry
}

func newRecipientMatcher(rule *contract.Arg) (matcher, error) {
	m := &recipientMatcher{hasAllow: rule.HasAllow || len(rule.Allow) > 0}
	for _, text := range rule.Allow {
		e, err := newRecipientEntry(text)
		if err != nil {
			return nil, err
		}
		m.allow = append(m.allow, e)
	}
	for _, text := range rule.Deny {
		e, err := newRecipientEntry(text)
		if err != nil {
			return nil, err
		}
		m.deny = append(m.deny, e)
	}
	return m, nil
}

// newRecipientEntry reads *@domain, *@*.domain, or an exact recipient.
func newRecipientEntry(text string) (sinkEntry, error) {
	bad := func(why string) (sinkEntry, error) { return sinkEntry{}, fmt.Errorf("recipient %q: %s", text, why) }
	e, err := newSinkEntry(text)
	switch {
	case err != nil:
		return bad("it is no single recipient in its plain spelling; write an address, a channel, *@domain or *@*.domain")
	case e.domain != "" && !e.mail, e.kind == provenance.KindHost:
		return bad("it is a domain; write *@domain, or *@*.domain for what is below it, too")
	case e.kind == provenance.KindMail && localDoubt(e.identity) != "":
		return bad("it has " + localDoubt(e.identity) + "; write the plain address")
	}
	return e, nil
}

// localDoubt says why mail servers may deliver an address elsewhere than its
// domain says, or "".
func localDoubt(identity string) string {
	local := identity[:strings.LastIndexByte(identity, '@')]
	switch {
	case strings.ContainsAny(local, `"\`):
		return "a quoted local part"
	case strings.ContainsAny(local, "%!"):
		return "a route in its local part"
	case strings.Contains(local, "=?"):
		return "an encoded word in its local part"
	}
	return ""
}

// recipientNames are the names of arguments that hold recipients.
var recipientNames = naming([]string{"to", "cc", "bcc", "recipient", "recipients", "email", "emails", "email address", "email addresses",
	"to address", "to addresses", "cc address", "cc addresses", "bcc address", "bcc addresses", "mail address", "mail addresses",
	"channel", "channels", "channel id", "channel ids", "channel name", "attendee", "attendees", "invitee", "invitees", "addressee", "addressees",
	"participants", "guests", "phone", "phones", "phone number", "phone numbers", "chat id", "jid", "share with", "mailto", "recipient list", "grantee", "grantees", "collaborator", "collaborators", "subscriber", "subscribers", "=room", "room id", "=notify"})

// recipientName says whether an argument of this name holds recipients. Whom
// something comes from gets nothing.
func recipientName(name string) bool {
	s := squash(name)
	for _, from := range [...]string{"from", "sender", "author", "committer"} {
		if strings.HasPrefix(string(s.text()), from) {
			return false
		}
	}
	return recipientNames.match(name)
}

// addressMember says whether a member of an address object is the address.
func addressMember(name string) bool {
	s := squash(name)
	switch string(s.text()) {
	case "email", "mail", "address", "emailaddress", "emailaddresses", "addresses", "emails", "addr":
		return true
	}
	return false
}

// addressObject says whether an object is one recipient: an address and what is
// said about it.
func addressObject(v abi.Value) bool {
	for _, m := range v.Members() {
		if addressMember(m.Name) {
			return true
		}
	}
	return false
}

func (m *recipientMatcher) wants() bool { return m.hasAllow }

// judge judges one value: a text, which may list several, or an address object.
func (m *recipientMatcher) judge(v abi.Value, p *place) wrong {
	switch v.Kind() {
	case abi.Object:
		return m.object(v, p)
	case abi.Array:
		for _, item := range v.Items() {
			if w := m.judge(item, p); w.code != "" {
				return w
			}
		}
	case abi.Number:
		return m.text(v.Lexeme())
	case abi.String, abi.RawString:
		if strings.TrimSpace(v.Str()) != "" {
			return m.text(v.Str())
		}
	}
	return wrong{}
}

// object judges an object: every address of it, and whatever else in it has the
// sign of one.
func (m *recipientMatcher) object(v abi.Value, p *place) wrong {
	found := false
	for _, member := range v.Members() {
		var w wrong
		switch is := addressMember(member.Name) || recipientName(member.Name); {
		case is:
			found = found || member.Value.Kind() != abi.Null && (!member.Value.IsString() || strings.TrimSpace(member.Value.Str()) != "")
			w = m.judge(member.Value, p)
		default:
			w = m.beside(member.Value)
		}
		if w.code == "" && strings.Contains(member.Name, "@") {
			w = m.text(member.Name)
		}
		if w.code != "" {
			return w
		}
	}
	if !found && m.hasAllow {
		return undecidableRecipient("it is an object without an address")
	}
	return wrong{}
}

// beside judges what stands beside an address, such as its display name, which
// servers put in front of it.
func (m *recipientMatcher) beside(v abi.Value) wrong {
	switch v.Kind() {
	case abi.String, abi.RawString:
		if why := unreadable(v.Str()); why != "" {
			return undecidableRecipient(why)
		}
		return m.tokens(v.Str())
	case abi.Array:
		for _, item := range v.Items() {
			if w := m.beside(item); w.code != "" {
				return w
			}
		}
	case abi.Object:
		for _, member := range v.Members() {
			if w := m.beside(member.Value); w.code != "" {
				return w
			}
		}
	}
	return wrong{}
}

// gather reads a header that is an object: {name: Bcc, value: …}.
func (m *recipientMatcher) gather(object abi.Value, named func(string) bool) (abi.Value, []string) {
	value, names, header := abi.Value{}, []string(nil), false
	for _, member := range object.Members() {
		s := squash(member.Name)
		switch string(s.text()) {
		case "name", "key", "header", "field":
			if member.Value.IsString() && named(member.Value.Str()) {
				names, header = append(names, member.Name), true
			}
		case "value", "values":
			value, names = member.Value, append(names, member.Name)
		}
	}
	if !header || !value.Exists() {
		return abi.Value{}, nil
	}
	return value, names
}

func undecidableRecipient(why string) wrong {
	return wrong{"ARGS_RECIPIENT_UNDECIDABLE", "a recipient can be read in more than one way: " + why, "send each recipient by itself, in its plain spelling"}
}

var deniedRecipient = wrong{"ARGS_RECIPIENT_DENIED", "a recipient is one that the rule denies", "send to somebody else, or narrow deny at the rule"}

// text judges everything that a text names.
func (m *recipientMatcher) text(s string) wrong {
	if why := unreadable(s); why != "" {
		return undecidableRecipient(why)
	}
	entities, cut := provenance.Canonicalise(s)
	if cut {
		return undecidableRecipient("it lists more than can be looked at")
	}
	for i := range entities {
		if w := m.one(&entities[i]); w.code != "" {
			return w
		}
	}
	if hasPrefixFold(s, "mailto:") {
		return wrong{}
	}
	if scheme, rest, ok := strings.Cut(s, ":"); ok && schemeWord(scheme) && !strings.HasPrefix(rest, "//") && rest != "" {
		// whatsapp:+1555…, sip:a@b: what stands behind is who gets it.
		inner, _ := provenance.Canonicalise(rest)
		for i := range inner {
			if m.denies(&inner[i]) {
				return deniedRecipient
			}
		}
	}
	return m.tokens(s)
}

// tokens judges every word of a text that has an @ inside, as servers do that
// split a list wherever they see a sign of one.
func (m *recipientMatcher) tokens(s string) wrong {
	if strings.Count(s, "@") == 0 || strings.Contains(s, "://") {
		return wrong{}
	}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,;<>\"'()\t", r) }) {
		if strings.IndexByte(word, '@') < 1 {
			continue
		}
		entities, _ := provenance.Canonicalise(word)
		for i := range entities {
			if w := m.one(&entities[i]); w.code != "" {
				return w
			}
		}
	}
	return wrong{}
}

// one judges one recipient.
func (m *recipientMatcher) one(e *provenance.Entity) wrong {
	if e.Spoiled != "" {
		return undecidableRecipient("it has " + e.Spoiled)
	}
	if e.Kind == provenance.KindMail {
		if why := localDoubt(e.Identity); why != "" {
			return undecidableRecipient("it has " + why)
		}
	}
	if m.denies(e) {
		return deniedRecipient
	}
	if !m.hasAllow {
		return wrong{}
	}
	f := abi.Finding{Kind: e.Kind, Identity: e.Identity}
	for i := range m.allow {
		if m.allow[i].names(&f) {
			return wrong{}
		}
	}
	return wrong{"ARGS_RECIPIENT_OUTSIDE", "a recipient is none that the rule allows", "send to one that it allows, or add to allow at the rule"}
}

// denies says whether a deny entry is about a recipient, in any spelling that
// reaches the same one.
func (m *recipientMatcher) denies(e *provenance.Entity) bool {
	f := abi.Finding{Kind: e.Kind, Identity: e.Identity}
	for i := range m.deny {
		d := &m.deny[i]
		switch {
		case d.names(&f):
			return true
		case d.domain == "" && looseRecipient(d.identity) == looseRecipient(e.Identity):
			return true
		case d.domain == "" && d.kind == provenance.KindMail && looseRecipient(d.identity) == looseRecipient(untagged(e.Identity)):
			return true
		}
	}
	return false
}

// looseRecipient is a recipient without letter case and sigil; a number of a
// telephone without what stands in front of its digits.
func looseRecipient(identity string) string {
	s := strings.TrimLeft(strings.ToLower(identity), "@#")
	number := strings.Map(func(r rune) rune {
		if strings.ContainsRune("+ ()-./", r) {
			return -1
		}
		return r
	}, s)
	if number != "" && strings.Trim(number, "0123456789") == "" {
		return strings.TrimLeft(number, "0")
	}
	return s
}

// untagged is a mail address without the tag behind a plus.
func untagged(identity string) string {
	at := strings.LastIndexByte(identity, '@')
	if at < 0 {
		return identity
	}
	local, _, _ := strings.Cut(identity[:at], "+")
	return local + identity[at:]
}
