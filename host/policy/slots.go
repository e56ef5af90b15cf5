package policy

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// ofSlots lists the members of an entry that only classes of arguments take.
func (a *arg) ofSlots() present {
	return present{
		{"allow", a.Allow != nil}, {"deny", a.Deny != nil}, {"literal", a.Literal != nil}, {"fold", a.Fold != nil},
		{"symlinks", a.Symlinks != nil}, {"allow_pattern", a.AllowPattern != nil}, {"deny_pattern", a.DenyPattern != nil},
		{"deny_keyword", a.DenyKeyword != nil}, {"options", a.Options != nil}, {"env", a.Env != nil}, {"writes", a.Writes != nil}, {"reads", a.Reads != nil}, {"schemes", a.Schemes != nil},
		{"ports", a.Ports != nil}, {"private", a.Private != nil}, {"except", a.Except != nil}, {"json", a.JSON != nil},
	}
}

// ofArgs lists the members of an entry about one argument.
func (a *arg) ofArgs() present {
	return present{
		{"match", a.Match != nil}, {"in", a.In != nil}, {"max", a.Max != nil}, {"min", a.Min != nil},
		{"max_bytes", a.MaxBytes != nil}, {"forbid", a.Forbid != nil}, {"require", a.Require != nil}, {"origin", a.Origin != nil},
	}
}

// checkSlot finds what an entry says that its class does not take, and whether
// it says anything at all.
func (c *issues) checkSlot(a *arg, at string) {
	slot, ok := contract.SlotNamed(a.Slot)
	if !ok {
		return // the word itself is a mistake, which is reported
	}
	for i, text := range a.Env {
		if name, _, _ := strings.Cut(text, "="); !variableName.MatchString(name) {
			c.add(abi.JoinIndex(at+"/env", i), "%q is not a variable; want NAME, or NAME=value", text)
		}
	}
	needed := slot.Needs == nil
	for _, m := range append(a.ofSlots(), a.ofArgs()...) {
		switch {
		case !m.is || m.name == "json":
		case !slices.Contains(slot.Takes, m.name):
			c.add(at+"/"+m.name, "%s is not for slot: %s; slot: %s takes %s", m.name, slot.Name, slot.Name, listed(slot.Takes, "and"))
		case m.name != "forbid" || yes(a.Forbid):
			needed = needed || slices.Contains(slot.Needs, m.name)
		}
	}
	c.checkRecipients(a, at)
	switch {
	case !needed:
		c.entry(at, "says nothing of the values; slot: %s wants %s", slot.Name, listed(slot.Needs, "or"))
	case a.Except != nil && a.Private == nil:
		c.add(at+"/except", "except is about private: deny, and there is none; add it, or write allow")
	case yes(a.Also) && a.Allow == nil && a.AllowPattern == nil:
		c.entry(at+"/also", "also is about an allow or in list, and there is none; remove it")
	}
}

// listed names words in a sentence: "a, b and c".
func listed(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		if n == 0 && last == "or" && words[0] == "forbid" {
			return "forbid: true"
		}
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// slotMembers compiles what only classes of arguments take.
func slotMembers(e *arg, a *contract.Arg) {
	a.Resolve = e.Symlinks != nil && *e.Symlinks == "resolve"
	a.HasPatterns, a.AllowPattern, a.DenyPattern = e.AllowPattern != nil, e.AllowPattern, e.DenyPattern
	a.DenyKeyword, a.Options, a.Schemes, a.Ports = e.DenyKeyword, e.Options, e.Schemes, e.Ports
	a.Env, a.Writes, a.Reads = e.Env, e.Writes, e.Reads
	a.Private, a.Except, a.JSON = e.Private != nil, e.Except, yes(e.JSON)
}

// patternTag is the tag of a member of an entry. What a class is compared with
// is a path, which starts from the file's directory, only of classes of paths.
func patternTag(f field, of reflect.Type, slot string) reflect.StructTag {
	if of == reflect.TypeFor[arg]() && f.tag.Get("is") == "pattern" && f.tag.Get("key") != "writes" && f.tag.Get("key") != "reads" && slot != "" && !contract.PathSlot(slot) {
		return `is:"text"`
	}
	return f.tag
}

// slotOfNode is the class that a map of a file names, or "".
func slotOfNode(n *yaml.Node) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "slot" && n.Content[i+1].Kind == yaml.ScalarNode {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// variableName is the name of a variable of the environment.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
