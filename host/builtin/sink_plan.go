package builtin

import (
	"strings"
	"unicode"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// sinkScalar names a scalar of the arguments, or a member name.
type sinkScalar struct {
	at  string
	key bool
}

// sinkPlan says what of a call is judged as what.
type sinkPlan struct {
	destinations []sinkScalar
	content      []sinkScalar
	refused      []sinkScalar // undeclared arguments under `undeclared: deny`
	nowhere      bool         // a sink call without any destination
}

// part is the share of an argument in the call.
type part uint8

const (
	partOther part = iota
	partDestination
	partContent
	partSilent // an undeclared argument that the policy allows
	partExtra  // an undeclared argument that the policy takes for a destination
)

// planner walks the arguments once.
type planner struct {
	sink  *sink
	known map[string]bool // every property name of the pinned schema
	top   schema          // the pinned schema
	sinkPlan
	named  bool // a declared destination holds a value
	others []sinkScalar
	shaped []sinkScalar // of others, what can only be a destination
	texts  []sinkScalar // of others, the other strings
	likely []sinkScalar // of content, what can only be a destination
}

// plan sorts the scalars of a call into destinations and content.
func (s *sink) plan(snap *abi.Snapshot) sinkPlan {
	p := s.sorted(snap)
	switch {
	case !s.declared:
	case s.rules.All || !p.named:
		p.destinations = append(p.destinations, p.others...)
		if !s.rules.Spare && len(p.destinations) == 0 {
			p.destinations = append(p.destinations, p.likely...)
		}
		p.nowhere = len(p.destinations) == 0 && !s.rules.Spare
	default:
		// What nobody listed goes out with the rest: as content does.
		p.destinations = append(p.destinations, p.shaped...)
		p.content = append(p.content, p.texts...)
	}
	return p.sinkPlan
}

// sorted walks the arguments of a call, and leaves open what those are that the
// rules do not list.
func (s *sink) sorted(snap *abi.Snapshot) *planner {
	p := &planner{sink: s, known: map[string]bool{}, top: schemaOf(&snap.Definition.Schema)}
	p.properties(snap.Definition.Schema, 0)
	for _, m := range snap.Call.Arguments.Members() {
		p.argument(m)
	}
	return p
}

// properties collects the property names of a schema at any depth.
func (p *planner) properties(v abi.Value, depth int) {
	if depth > 32 {
		return
	}
	for _, m := range v.Members() {
		if m.Name == "properties" {
			for _, property := range m.Value.Members() {
				p.known[property.Name] = true
			}
		}
		p.properties(m.Value, depth+1)
	}
	for _, item := range v.Items() {
		p.properties(item, depth+1)
	}
}

// argument judges one argument and what is below it.
func (p *planner) argument(m abi.Member) {
	at := abi.Join("", m.Name)
	as := p.share(at, m.Name, partOther)
	if as == partOther && !p.top.declares(m.Name) {
		switch p.sink.undeclared {
		case contract.UndeclaredDeny:
			// A schema that takes further arguments declares them all. They are
			// still looked at for the shape of a destination.
			if !p.top.open() {
				p.refused = append(p.refused, sinkScalar{at: at})
				return
			}
		case contract.UndeclaredSink:
			as = partExtra
		case contract.UndeclaredAllow:
			as = partSilent
		}
		if shapedLikeDestination(m.Name) || as == partOther && wordy(m.Name) {
			p.key(at, m.Name, as)
		}
	}
	p.walk(at, m.Value, as)
}

// share says what the value at a pointer is. A destination stays one whatever
// it is called inside, and wins over content around it.
func (p *planner) share(at, name string, outer part) part {
	switch {
	case outer == partDestination || p.sink.names(p.sink.rules.To, at, name):
		return partDestination
	case outer == partExtra:
		return partExtra
	case outer == partContent || p.sink.names(p.sink.rules.Content, at, name):
		return partContent
	}
	return outer
}

func (p *planner) walk(at string, v abi.Value, as part) {
	switch v.Kind() {
	case abi.Array:
		for i, item := range v.Items() {
			inner := abi.JoinIndex(at, i)
			p.walk(inner, item, p.share(inner, "", as))
		}
	case abi.Object:
		for _, m := range v.Members() {
			inner := abi.Join(at, m.Name)
			share := p.share(inner, m.Name, as)
			p.key(inner, m.Name, as)
			if (as == partDestination || as == partExtra) && besideAddress(v, m) {
				continue
			}
			p.walk(inner, m.Value, share)
		}
	default:
		p.scalar(sinkScalar{at: at}, v, as)
	}
}

// scalar sorts a scalar. Null and empty strings name nothing, and a flag names
// no destination unless it is declared as one.
func (p *planner) scalar(d sinkScalar, v abi.Value, as part) {
	empty := v.Kind() == abi.Null || v.IsString() && strings.TrimSpace(v.Str()) == ""
	if empty {
		return
	}
	switch as {
	case partDestination, partExtra:
		p.destinations = append(p.destinations, d)
		p.named = p.named || as == partDestination
	case partContent:
		if v.IsString() {
			p.content = append(p.content, d)
			if shapedLikeDestination(v.Str()) {
				p.likely = append(p.likely, d)
			}
		}
	case partOther, partSilent:
		if v.Kind() == abi.Bool {
			return
		}
		p.others = append(p.others, d)
		switch {
		case as != partOther || !v.IsString():
		case shapedLikeDestination(v.Str()):
			p.shaped = append(p.shaped, d)
		default:
			p.texts = append(p.texts, d)
		}
	}
}

// key sorts a member name. Names that a schema defines, or that address
// objects usually have, are structure; any other name inside a destination is
// one, and so is any name with the shape of one.
func (p *planner) key(at, name string, as part) {
	d := sinkScalar{at: at, key: true}
	shaped := shapedLikeDestination(name)
	switch as {
	case partDestination, partExtra:
		if shaped || !p.known[name] && !structural(name) && strings.TrimSpace(name) != "" {
			p.destinations = append(p.destinations, d)
			p.named = p.named || as == partDestination
		}
	case partContent:
		if shaped || wordy(name) {
			p.content = append(p.content, d)
		}
	case partOther:
		switch {
		case shaped:
			p.others = append(p.others, d)
			p.shaped = append(p.shaped, d)
		case wordy(name) && !p.known[name]:
			if strings.Contains(name, "@") || strings.Contains(name, "//") {
				p.others = append(p.others, d)
			}
			p.texts = append(p.texts, d)
		}
	}
}

// wordy says whether a member name is more than a name: a text that can hold an
// address.
func wordy(name string) bool { return strings.ContainsAny(name, "@/\\.:%& ") }

// structural says whether a name is what members of address objects are called.
func structural(name string) bool {
	s := squash(name)
	switch string(s.text()) {
	case "email", "mail", "address", "emailaddress", "name", "displayname", "fullname", "type", "kind", "id", "role", "value",
		"url", "uri", "href", "link", "host", "hostname", "port", "path", "phone", "number", "phonenumber", "channel", "channelid",
		"user", "userid", "username", "handle", "recipient", "recipients", "to", "cc", "bcc", "iban", "bic", "account", "optional",
		"status", "responsestatus":
		return true
	}
	return false
}

// besideAddress says whether a member describes the mail address beside it: its
// display name, or a plain word or flag about it. Mail goes to the address.
func besideAddress(object abi.Value, m abi.Member) bool {
	s := squash(m.Name)
	switch string(s.text()) {
	case "name", "displayname", "fullname":
		if m.Value.Kind() != abi.Null && !plainName(m.Value) {
			return false
		}
	case "type", "kind", "role", "status", "responsestatus", "optional":
		if m.Value.Kind() != abi.Bool && !plainWord(m.Value.Str()) {
			return false
		}
	default:
		return false
	}
	for _, m := range object.Members() {
		other := squash(m.Name)
		switch string(other.text()) {
		case "email", "mail", "address", "emailaddress":
			entities, _ := provenance.Canonicalise(m.Value.Str())
			if len(entities) == 1 && entities[0].Kind == provenance.KindMail && entities[0].Spoiled == "" {
				return true
			}
		}
	}
	return false
}

// plainName says whether a value is a name that stays one where it is put in
// front of an address.
func plainName(v abi.Value) bool {
	return v.IsString() && !strings.ContainsAny(v.Str(), "@＠<>") && !strings.ContainsFunc(v.Str(), unicode.IsControl)
}

// plainWord says whether s is a word of letters, as the members of an
// enumeration are.
func plainWord(s string) bool {
	return s != "" && len(s) <= 16 && !strings.ContainsFunc(s, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && r != '_' && r != '-' })
}

// maxShaped is the length of a text from which it is no list of destinations.
const maxShaped = 1 << 16

// shapedLikeDestination says whether a value can only be a destination: mail
// address, URL, IBAN, international phone number or #channel, or a list of them.
func shapedLikeDestination(s string) bool {
	if len(s) > maxShaped/16 {
		s = strings.Join(strings.Fields(s), " ") // blanks make a list no longer
	}
	if strings.TrimSpace(s) == "" || len(s) > maxShaped {
		return false
	}
	entities, _ := provenance.Canonicalise(s)
	for _, e := range entities {
		switch e.Kind {
		case provenance.KindMail, provenance.KindURL, provenance.KindIBAN:
		case provenance.KindPhone:
			if !strings.Contains(s, "+") {
				return false
			}
		case provenance.KindHandle:
			if !strings.HasPrefix(strings.TrimSpace(s), "#") {
				return false
			}
		default:
			return false
		}
	}
	return true
}
