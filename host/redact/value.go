package redact

import (
	"strconv"

	"github.com/callgate/callgate/abi"
)

// Found is what is to be edited in a value.
type Found struct {
	Edits []abi.Edit
	Rule  string // of the first entry that is among them, "" for none
	// Key is the pointer of a member in whose name something was found: a name can
	// not be edited. Stuck is one of a value in which there is always more.
	Key, Stuck string
	FailedRule string // of Key and Stuck
}

// Failed says that the value can not be edited as the policy wants.
func (f *Found) Failed() bool { return f.Key != "" || f.Stuck != "" }

// Value finds what is to be edited in a value for it to stand in these places.
// body says that it is what MCP calls a result, or params: the bytes of pictures,
// sounds and files in it are no text.
func (s *Set) Value(w Where, v abi.Value, body bool) Found {
	if !s.Covers(w) {
		return Found{}
	}
	k := walk{set: s, where: w, rules: 0}
	k.value(v, nil, body)
	k.found.Rule = s.rule(k.rules)
	return k.found
}

type walk struct {
	set   *Set
	where Where
	way   []string
	found Found
	rules uint64
}

// inside are the members of what MCP sends that hold blocks of content, or
// contents of resources.
var inside = map[string]bool{"content": true, "contents": true, "messages": true, "resource": true}

func (k *walk) value(v abi.Value, names []string, body bool) {
	switch v.Kind() {
	case abi.String, abi.RawString:
		k.leaf(v.Str(), names)
	case abi.Array:
		for i, item := range v.Items() {
			switch item.Kind() {
			case abi.Array, abi.Object, abi.String, abi.RawString:
				k.way = append(k.way, strconv.Itoa(i))
				k.value(item, names, body)
				k.way = k.way[:len(k.way)-1]
			}
		}
	case abi.Object:
		media := body && isMedia(v)
		for _, m := range v.Members() {
			k.way = append(k.way, m.Name)
			k.key(m.Name)
			if !(body && (m.Name == "blob" || media && m.Name == "data") && isBase64(m.Value.Str())) {
				k.value(m.Value, k.set.under(k.where, names, v, &m, body), body && inside[m.Name])
			}
			k.way = k.way[:len(k.way)-1]
		}
	}
}

// isMedia says whether an object is a block of content whose data is no text.
func isMedia(v abi.Value) bool {
	kind := v.Get("type").Str()
	return kind == "image" || kind == "audio"
}

func (k *walk) pointer() string {
	at := ""
	for _, token := range k.way {
		at = abi.Join(at, token)
	}
	return at
}

// key looks for what can not be edited.
func (k *walk) key(name string) {
	if k.found.Key != "" {
		return
	}
	if found := k.set.spans(k.where, name, nil); len(found) > 0 {
		k.found.Key, k.found.FailedRule = k.pointer(), k.set.entries[found[0].entry].Rule
	}
}

func (k *walk) leaf(text string, names []string) {
	if hasData(text) {
		return
	}
	r := k.set.leaf(k.where, text, names)
	switch {
	case r.failed:
		k.found.Stuck, k.found.FailedRule = k.pointer(), k.set.rule(r.rules)
		return
	case r.text == text:
		return
	}
	k.rules |= r.rules
	e := abi.Edit{At: k.pointer(), Cuts: r.cuts}
	if r.cuts == nil {
		e.With = abi.StringValue(r.text)
	}
	k.found.Edits = append(k.found.Edits, e)
}

// Kept returns a value as it may be kept in these places, and whether that is
// another one. Nothing fails here: names are redacted too, and what can not be
// is replaced.
func (s *Set) Kept(w Where, v abi.Value, body bool) (abi.Value, bool) {
	if !s.Covers(w) {
		return v, false
	}
	f := s.Value(w, v, body)
	if !f.Failed() && len(f.Edits) == 0 {
		return v, false
	}
	return s.kept(w, v, nil, body), true
}

func (s *Set) kept(w Where, v abi.Value, names []string, body bool) abi.Value {
	switch v.Kind() {
	case abi.String, abi.RawString:
		if hasData(v.Str()) {
			return v
		}
		r := s.leaf(w, v.Str(), names)
		if r.failed {
			return abi.StringValue(s.fallback(w))
		}
		return abi.StringValue(r.text)
	case abi.Array:
		items := make([]abi.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = s.kept(w, item, names, body)
		}
		return abi.ArrayValue(items...)
	case abi.Object:
		media := body && isMedia(v)
		taken := map[string]bool{}
		members := make([]abi.Member, 0, v.Len())
		for _, m := range v.Members() {
			at := s.Text(w, m.Name)
			for taken[at] {
				at += "'"
			}
			taken[at] = true
			if !(body && (m.Name == "blob" || media && m.Name == "data") && isBase64(m.Value.Str())) {
				m.Value = s.kept(w, m.Value, s.under(w, names, v, &m, body), body && inside[m.Name])
			}
			members = append(members, abi.Member{Name: at, Value: m.Value})
		}
		return abi.ObjectValue(members...)
	}
	return v
}
