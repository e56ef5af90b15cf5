package abi

import (
	"strconv"
	"time"
)

// View is the snapshot as a plugin gets it: an object of the members that its
// manifest reads, in the form that ABI.md gives. What it does not read is absent.
func (s *Snapshot) View(m *Manifest) Value {
	members := make([]Member, 0, 10)
	members = append(members, Member{"abi", StringValue(m.Speaks())})
	if m.Sees("call") {
		members = append(members, Member{"call", s.viewCall(m)})
	}
	if m.Sees("definition") && s.Call.Kind.IsTool() && s.Phase != PhaseList {
		members = append(members, Member{"definition", s.Definition.view()})
	}
	if m.Sees("list") && s.List.Exists() {
		members = append(members, Member{"list", s.List})
	}
	members = append(members, Member{"phase", StringValue(string(s.Phase))})
	if m.Sees("result") && s.Result.Exists() {
		members = append(members, Member{"result", s.Result})
	}
	if m.Sees("session") {
		members = append(members, Member{"session", s.Session.view(m)})
	}
	settings := s.Settings
	if !settings.Exists() {
		settings = objectOf(nil)
	}
	members = append(members, Member{"settings", settings})
	if m.Sees("taint") && len(s.Taint) > 0 {
		members = append(members, Member{"taint", viewTaint(s.Call.Kind.Base(), s.Taint)})
	}
	if m.Sees("time") && !s.Time.IsZero() {
		members = append(members, Member{"time", StringValue(s.Time.UTC().Format(time.RFC3339Nano))})
	}
	return objectOf(members)
}

// viewCall is the call, with the members of its kind.
func (s *Snapshot) viewCall(m *Manifest) Value {
	c := &s.Call
	kind := c.Kind
	if kind == "" {
		kind = KindTool
	}
	all := [...]struct {
		reads string
		m     Member
	}{
		{"call", Member{"action", textValue(c.Action)}},
		{"call.arguments", Member{"argument", c.Argument}},
		{"call.arguments", Member{"arguments", c.Arguments}},
		{"call.arguments", Member{"context", c.Context}},
		{"call.digest", Member{"digest", textValue(c.Digest)}},
		{"call.id", Member{"id", textValue(c.ID)}},
		{"call.kind", Member{"kind", StringValue(string(kind))}},
		{"call.tool", Member{"method", textValue(c.Method)}},
		{"call.tool", Member{"name", textValue(c.Name)}},
		{"call.arguments", Member{"params", c.Params}},
		{"call.arguments", Member{"ref", c.Ref}},
		{"call.id", Member{"seq", uintValue(c.Seq)}},
		{"call.server", Member{"server", textValue(c.Server)}},
		{"call.arguments", Member{"task", c.Task}},
		{"call.tool", Member{"tool", textValue(c.Tool)}},
		{"call.arguments", Member{"uri", c.uri()}},
	}
	members := make([]Member, 0, len(all))
	for i := range all {
		if all[i].m.Value.Exists() && m.sees(all[i].reads) {
			members = append(members, all[i].m)
		}
	}
	return objectOf(members)
}

// callMembers are the members of the call, by what reads them.
var callMembers = map[string]string{
	"action": "call", "argument": "call.arguments", "arguments": "call.arguments", "context": "call.arguments", "digest": "call.digest", "id": "call.id",
	"kind": "call.kind", "method": "call.tool", "name": "call.tool", "params": "call.arguments", "ref": "call.arguments", "seq": "call.id",
	"server": "call.server", "task": "call.arguments", "tool": "call.tool", "uri": "call.arguments",
}

// sessionMembers are the members of the session, by what reads them.
var sessionMembers = map[string]string{
	"counts": "session.counts", "id": "session", "labels": "session.labels", "principal": "session.principal", "recent": "session.recent",
	"truncated": "session.recent",
}

// Project leaves of a snapshot in the form of ABI.md what the manifest reads, as
// [Snapshot.View] does.
func (m *Manifest) Project(snapshot Value) Value {
	var out []Member
	for _, member := range snapshot.Members() {
		switch member.Name {
		case "abi":
			out = append(out, Member{"abi", StringValue(m.Speaks())})
			continue
		case "phase", "settings":
			out = append(out, member)
			continue
		case "call":
			member.Value = m.part(member.Value, callMembers)
		case "session":
			member.Value = m.part(member.Value, sessionMembers)
		}
		if m.Sees(member.Name) {
			out = append(out, member)
		}
	}
	return ObjectValue(out...)
}

func (m *Manifest) part(v Value, readBy map[string]string) Value {
	var out []Member
	for _, member := range v.Members() {
		if reads, ok := readBy[member.Name]; ok && m.sees(reads) {
			out = append(out, member)
		}
	}
	return ObjectValue(out...)
}

// view is the definition that the tool is judged by.
func (d *Definition) view() Value {
	return objectOfSome(
		Member{"annotations", d.Annotations},
		Member{"pin", textValue(d.Pin)},
		Member{"pinned", BoolValue(d.State == PinOK)},
		Member{"schema", d.Schema},
	)
}

// view is the part of the session that the plugin reads.
func (s *Session) view(m *Manifest) Value {
	members := make([]Member, 0, 6)
	if m.sees("session.counts") {
		members = append(members, Member{"counts", objectOf([]Member{
			{"calls", uintValue(uint64(s.Calls))}, {"denied", uintValue(uint64(s.Denied))}, {"this_tool", uintValue(uint64(s.ThisTool))},
		})})
	}
	if m.sees("session") {
		members = append(members, Member{"id", textValue(s.ID)})
	}
	if m.sees("session.labels") {
		members = append(members, Member{"labels", stringsValue(s.Labels)})
	}
	if m.sees("session.principal") {
		members = append(members, Member{"principal", objectOfSome(
			Member{"actors", stringsValue(s.Principal.Actors)},
			Member{"identity", textValue(s.Principal.Identity)},
			Member{"issuer", textValue(s.Principal.Issuer)},
			Member{"subject", textValue(s.Principal.Subject)},
		)})
	}
	if m.sees("session.recent") {
		items := make([]Value, len(s.Recent))
		for i, r := range s.Recent {
			items[i] = objectOf([]Member{
				{"id", StringValue(r.ID)}, {"outcome", StringValue(r.Outcome.String())}, {"server", StringValue(r.Server)}, {"tool", StringValue(r.Tool)},
			})
		}
		members = append(members, Member{"recent", arrayOf(items)})
		if s.Calls > int64(len(s.Recent)) {
			members = append(members, Member{"truncated", BoolValue(true)})
		}
	}
	return objectOfSome(members...)
}

// viewTaint is what is known of where the arguments came from. Snippets of what
// others wrote stay out.
func viewTaint(base string, taint []Finding) Value {
	items := make([]Value, len(taint))
	for i := range taint {
		f := &taint[i]
		sources := make([]Value, len(f.Evidence))
		for j := range f.Evidence {
			e := &f.Evidence[j]
			sources[j] = objectOfSome(
				Member{"call", textValue(e.Call)}, Member{"length", uintValue(uint64(max(e.Length, 0)))}, Member{"offset", uintValue(uint64(max(e.Offset, 0)))},
				Member{"pointer", StringValue(e.Pointer)}, Member{"position", textValue(string(e.Position))}, Member{"server", textValue(e.Server)},
				Member{"tool", textValue(e.Tool)},
			)
		}
		items[i] = objectOfSome(
			Member{"at", StringValue(base + f.At)}, Member{"key", someTrue(f.Key)}, Member{"kind", textValue(f.Kind)}, Member{"labels", stringsValue(f.Labels)},
			Member{"origin", StringValue(f.Origin.String())}, Member{"part", uintValue(uint64(max(f.Part, 0)))}, Member{"sources", arrayOf(sources)},
		)
	}
	return arrayOf(items)
}

func uintValue(n uint64) Value { return Value{kind: Number, text: strconv.FormatUint(n, 10)} }

func stringsValue(list []string) Value {
	items := make([]Value, len(list))
	for i, s := range list {
		items[i] = StringValue(s)
	}
	return arrayOf(items)
}

// someTrue is true, absent for false.
func someTrue(b bool) Value {
	if !b {
		return Value{}
	}
	return BoolValue(true)
}
