package abi

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
)

// reader takes the members of one object apart, strictly: the first member of
// the wrong type, and every member that nobody asked for, is an error.
type reader struct {
	of   string
	v    Value
	seen int
	err  error
}

func read(of string, v Value) reader {
	r := reader{of: of, v: v}
	if v.Kind() != Object {
		r.fail("want an object")
	}
	return r
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(r.of+": "+format, args...)
	}
}

func (r *reader) val(name string) Value {
	v := r.v.Get(name)
	if v.Exists() {
		r.seen++
	}
	return v
}

func (r *reader) str(name string) string {
	v := r.val(name)
	if v.Exists() && !v.IsString() {
		r.fail("%s: want a string", name)
	}
	return v.Str()
}

func (r *reader) yes(name string) bool {
	v := r.val(name)
	if v.Exists() && v.Kind() != Bool {
		r.fail("%s: want true or false", name)
	}
	return v.True()
}

func (r *reader) num(name string) int64 {
	v := r.val(name)
	if !v.Exists() {
		return 0
	}
	n, err := strconv.ParseInt(v.Lexeme(), 10, 64)
	if err != nil || v.Kind() != Number {
		r.fail("%s: want a whole number", name)
	}
	return n
}

func (r *reader) time(name string) time.Time {
	s := r.str(name)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		r.fail("%s: %q is not a time; want RFC 3339, such as 2026-11-29T18:00:00Z", name, s)
	}
	return t
}

func (r *reader) strs(name string) []string {
	var out []string
	for _, item := range r.array(name) {
		if !item.IsString() {
			r.fail("%s: want strings", name)
		}
		out = append(out, item.Str())
	}
	return out
}

func (r *reader) array(name string) []Value {
	v := r.val(name)
	if v.Exists() && v.Kind() != Array {
		r.fail("%s: want a list", name)
	}
	return v.Items()
}

func (r *reader) outcome(name string) Outcome {
	s := r.str(name)
	o, ok := ParseOutcome(s)
	if !ok {
		r.fail("%s: unknown outcome %q; want deny, ask, allow or abstain", name, s)
	}
	return o
}

// done reports the first error, or a member that nobody asked for.
func (r *reader) done(known ...string) error {
	if r.err == nil && r.seen != len(r.v.Members()) {
		for _, m := range r.v.Members() {
			if !contains(known, m.Name) {
				r.fail("unknown member %q", m.Name)
			}
		}
	}
	return r.err
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// items decodes a list of objects.
func items[T any](r *reader, name string, one func(*reader) T, known ...string) []T {
	var out []T
	for i, v := range r.array(name) {
		o := read(fmt.Sprintf("%s: %s[%d]", r.of, name, i), v)
		out = append(out, one(&o))
		if err := o.done(known...); err != nil && r.err == nil {
			r.err = err
		}
	}
	return out
}

var eventHeader = []string{"v", "seq", "prev", "time", "cause", "text", "redacted"}

// eventDepth is how much deeper an event nests than the value inside it.
const eventDepth = 16

// ParseEventValue is [Parse] for the JSON form of an event: a value that is as
// deep as a frame may be is deeper inside its event, and must be readable there.
func ParseEventValue(line []byte) (Value, error) { return parse(line, eventDepth) }

// ParseEvent reads the one JSON form of an event. Unknown members, kinds and
// versions are errors.
func ParseEvent(line []byte) (Event, error) {
	v, err := ParseEventValue(line)
	if err != nil {
		return Event{}, err
	}
	return EventFrom(v)
}

// EventFrom is [ParseEvent] for a parsed value.
func EventFrom(v Value) (Event, error) {
	r := read("event", v)
	var e Event
	if n := r.num("v"); r.err == nil && n != EventVersion {
		r.fail("version %d; this build reads version %d", n, EventVersion)
	}
	e.Seq = uint64(r.num("seq"))
	e.Prev = r.str("prev")
	e.Time = r.time("time")
	if v.Get("cause").Exists() {
		e.Cause, e.Caused = uint64(r.num("cause")), true
	}
	e.Redacted = r.yes("redacted")
	if t := r.val("text"); t.Exists() {
		o := read("event: text", t)
		e.Text = &Text{Digest: o.str("digest"), Segment: o.str("segment"), Offset: o.num("offset"), Length: o.num("length"), Error: o.yes("error")}
		if err := o.done("digest", "segment", "offset", "length", "error"); err != nil {
			return Event{}, err
		}
	}
	if r.err != nil {
		return Event{}, r.err
	}
	kinds := 0
	for _, m := range v.Members() {
		if contains(eventHeader, m.Name) {
			continue
		}
		kinds++
		if err := e.decode(m.Name, m.Value); err != nil {
			return Event{}, err
		}
	}
	if kinds > 1 {
		return Event{}, fmt.Errorf("event: %d kinds in one event; want one", kinds)
	}
	return e, nil
}

func (e *Event) decode(kind string, v Value) error {
	r := read(kind, v)
	switch kind {
	case "session":
		return e.readSession(&r)
	case "policy":
		e.Policy = &PolicyEvent{Digest: r.str("digest"), Policy: r.val("policy"), Files: items(&r, "files", func(o *reader) PolicyFile {
			return PolicyFile{Path: o.str("path"), Digest: o.str("digest")}
		}, "path", "digest")}
		return r.done("digest", "policy", "files")
	case "server":
		e.Server = &ServerEvent{Server: r.str("server"), Result: r.val("result")}
		return r.done("server", "result")
	case "tools":
		return e.readTools(&r)
	case "call":
		return e.readCall(&r)
	case "result":
		e.Result = &ResultEvent{Call: r.str("call"), Server: r.str("server"), Bytes: r.num("bytes"), Broken: r.yes("failed"), Value: r.val("value"), Error: r.val("error")}
		return r.done("call", "server", "bytes", "failed", "value", "error")
	case "user":
		e.User = &UserEvent{Text: r.str("text")}
		return r.done("text")
	case "facts":
		e.Facts = &FactsEvent{Facts: v}
		return readFacts(&r)
	case "approval":
		e.Approval = &ApprovalEvent{Call: r.str("call"), By: r.str("by")}
		switch a := r.str("answer"); a {
		case "yes", "no":
			e.Approval.Yes = a == "yes"
		default:
			r.fail("answer: %q; want yes or no", a)
		}
		return r.done("call", "by", "answer")
	case "frame":
		e.Frame = &FrameEvent{Server: r.str("server"), Method: r.str("method"), Request: r.yes("request"), Frame: r.val("frame")}
		return r.done("server", "method", "request", "frame")
	case "refused":
		return e.readRefused(&r)
	case "read":
		e.Read = &ReadEvent{File: r.str("file"), Server: r.str("server"), Lines: uint64(r.num("lines")), Last: r.str("last"), Past: r.yes("past"), Broken: r.str("broken")}
		return r.done("file", "server", "lines", "last", "past", "broken")
	case "lapsed":
		e.Lapsed = &LapsedEvent{Call: r.str("call"), Cancelled: r.yes("cancelled")}
		return r.done("call", "cancelled")
	}
	return e.decodeAnswer(kind, &r)
}

// decodeAnswer reads the kinds of event that the gate itself makes.
func (e *Event) decodeAnswer(kind string, r *reader) error {
	switch kind {
	case "verdict":
		v := readVerdict(r)
		e.Verdict = &v
		return r.done(verdictMembers...)
	case "edit":
		e.Edit = &EditEvent{Call: r.str("call"), Of: r.str("of"), Digest: r.str("digest"), Edits: items(r, "edits", readEdit, "at", "with", "cuts")}
		return r.done("call", "of", "digest", "edits")
	case "ask":
		return e.readAsk(r)
	case "label":
		e.Label = &LabelEvent{Call: r.str("call"), Session: r.strs("session"), Data: r.strs("data"), Files: readFiles(r)}
		return r.done("call", "session", "data", "files")
	case "receipt":
		e.Receipt = &ReceiptEvent{Call: r.str("call"), Shown: r.strs("shown")}
		return r.done("call", "shown")
	case "evicted":
		e.Evicted = &EvictedEvent{Segment: r.str("segment")}
		return r.done("segment")
	case "reload":
		e.Reload = readReload(r)
		return r.done("state", "digest", "why")
	case "closed":
		e.Closed = &ClosedEvent{Reason: r.str("reason"), Exit: int(r.num("exit"))}
		return r.done("reason", "exit")
	}
	return fmt.Errorf("event: unknown kind %q", kind)
}

func (e *Event) readSession(r *reader) error {
	e.Session = &SessionEvent{
		ID: r.str("id"), New: r.yes("new"), Group: r.str("group"), Server: r.str("server"), File: r.str("file"),
		Version:   r.str("version"),
		Principal: Principal{Identity: r.str("identity"), Subject: r.str("subject"), Issuer: r.str("issuer"), Actors: r.strs("actors")},
		Place:     Place{Dir: r.str("dir"), Home: r.str("home"), Platform: r.str("platform")},
		Protected: r.strs("protected"), Previous: r.str("previous"), Cut: r.num("cut"),
	}
	return r.done("id", "new", "group", "server", "file", "version", "identity", "subject", "issuer", "actors", "dir", "home", "platform", "protected", "previous", "cut")
}

func (e *Event) readCall(r *reader) error {
	c := &Call{
		ID: r.str("id"), Kind: CallKind(r.str("kind")), Server: r.str("server"), Tool: r.str("tool"), Digest: r.str("digest"),
		Bytes: r.num("bytes"), Arguments: r.val("arguments"), Task: r.val("task"), URI: r.str("uri"), Action: r.str("action"),
		URIs: r.strs("uris"), Name: r.str("name"), Ref: r.val("ref"), Argument: r.val("argument"), Context: r.val("context"),
		Method: r.str("method"), Params: r.val("params"), Continues: r.str("continues"), Facts: r.val("facts"), Seq: e.Seq,
	}
	if links := c.Facts.Get("links"); c.Facts.Exists() && (links.Kind() != Object || c.Facts.Len() != 1) {
		r.fail("facts: want links, from paths to what they lead to")
	}
	if c.Kind.IsTool() && c.Arguments.Exists() && c.Arguments.Kind() != Object {
		r.fail("arguments: want an object")
	}
	e.Call = c
	return r.done("id", "kind", "server", "tool", "digest", "bytes", "arguments", "task", "uri", "uris",
		"action", "name", "ref", "argument", "context", "method", "params", "continues", "facts")
}

func (e *Event) readRefused(r *reader) error {
	raw, err := base64.StdEncoding.DecodeString(r.str("base64"))
	if err != nil {
		r.fail("base64: %v", err)
	}
	e.Refused = &RefusedEvent{
		Server: r.str("server"), From: r.str("from"), Code: r.str("code"), Reason: r.str("reason"), Pointer: r.str("pointer"),
		Call: r.str("call"), Tool: r.str("tool"), Size: r.num("size"), Bytes: raw,
	}
	return r.done("server", "from", "code", "reason", "pointer", "call", "tool", "size", "base64")
}

func (e *Event) readAsk(r *reader) error {
	e.Ask = &AskEvent{
		Call: r.str("call"), Kind: CallKind(r.str("kind")), Server: r.str("server"), Tool: r.str("tool"), Fingerprint: r.str("fingerprint"),
		Shared: r.yes("shared"), Risk: r.str("risk"), Channels: r.strs("channels"), Definition: r.val("definition"), Identity: r.val("identity"),
		DefinitionWas: r.val("definition_was"), IdentityWas: r.val("identity_was"),
		Items: items(r, "items", func(o *reader) AskItem {
			item := AskItem{Contract: o.str("contract"), Code: o.str("code"), Reason: o.str("reason"), Once: o.yes("once")}
			if v := o.val("finding"); v.Exists() {
				f := read(o.of+": finding", v)
				item.Finding = readFinding(&f)
				if err := f.done("at", "key", "part", "kind", "identity", "value", "origin", "spoiled", "labels", "sources"); err != nil {
					o.fail("%v", err)
				}
			}
			return item
		}, "contract", "code", "reason", "once", "finding"),
	}
	return r.done("call", "kind", "server", "tool", "fingerprint", "shared", "risk", "channels", "definition", "definition_was", "identity", "identity_was", "items")
}

func readFinding(o *reader) *Finding {
	f := &Finding{
		At: o.str("at"), Key: o.yes("key"), Part: int(o.num("part")), Kind: o.str("kind"), Identity: o.str("identity"),
		Value: o.str("value"), Spoiled: o.str("spoiled"), Labels: o.strs("labels"), Evidence: items(o, "sources", readEvidence, evidenceMembers...),
	}
	f.Origin = readOrigin(o.str("origin"))
	return f
}

func readOrigin(s string) Origin {
	for i, n := range originNames {
		if n == s {
			return Origin(i)
		}
	}
	return OriginTainted
}

var evidenceMembers = []string{"seq", "call", "server", "tool", "pointer", "offset", "length", "position", "label", "kind", "view", "snippet", "labels"}

func readEvidence(o *reader) Evidence {
	return Evidence{
		Seq: uint64(o.num("seq")), Call: o.str("call"), Server: o.str("server"), Tool: o.str("tool"), Pointer: o.str("pointer"), Offset: o.num("offset"),
		Length: o.num("length"), Position: Position(o.str("position")), Label: readOrigin(o.str("label")), Kind: o.str("kind"),
		View: o.str("view"), Snippet: o.str("snippet"), Labels: o.strs("labels"),
	}
}
