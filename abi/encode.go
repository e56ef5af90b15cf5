package abi

import (
	"encoding/base64"
	"strconv"
	"time"
)

// writer appends the members of one JSON object. Members are written in the
// order of the calls; empty values are left out.
type writer struct {
	b     []byte
	first bool
}

func open(dst []byte) writer { return writer{append(dst, '{'), true} }

func (w *writer) name(n string) {
	if !w.first {
		w.b = append(w.b, ',')
	}
	w.first = false
	w.b = append(w.b, '"')
	w.b = append(w.b, n...)
	w.b = append(w.b, '"', ':')
}

func (w *writer) str(n, s string) {
	if s != "" {
		w.name(n)
		w.b = AppendString(w.b, s)
	}
}

func (w *writer) num(n string, i int64) {
	if i != 0 {
		w.name(n)
		w.b = strconv.AppendInt(w.b, i, 10)
	}
}

func (w *writer) yes(n string, v bool) {
	if v {
		w.name(n)
		w.b = append(w.b, "true"...)
	}
}

func (w *writer) val(n string, v Value) {
	if v.Exists() {
		w.name(n)
		w.b = v.Append(w.b)
	}
}

func (w *writer) time(n string, t time.Time) {
	if !t.IsZero() {
		w.name(n)
		w.b = append(t.UTC().AppendFormat(append(w.b, '"'), time.RFC3339Nano), '"')
	}
}

func (w *writer) strs(n string, list []string) {
	if len(list) == 0 {
		return
	}
	w.name(n)
	w.b = append(w.b, '[')
	for i, s := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = AppendString(w.b, s)
	}
	w.b = append(w.b, ']')
}

// each writes an array of objects.
func each[T any](w *writer, n string, list []T, one func(*writer, T)) {
	if len(list) == 0 {
		return
	}
	w.name(n)
	w.b = append(w.b, '[')
	for i, item := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		o := open(w.b)
		one(&o, item)
		w.b = append(o.b, '}')
	}
	w.b = append(w.b, ']')
}

// object writes a nested object, even an empty one.
func object(w *writer, n string, fill func(*writer)) {
	w.name(n)
	o := open(w.b)
	fill(&o)
	w.b = append(o.b, '}')
}

// Append appends the one JSON form of the event: header, then the payload with
// members in a fixed order, canonical values and no white space.
func (e Event) Append(dst []byte) []byte {
	w := open(dst)
	w.name("v")
	w.b = strconv.AppendInt(w.b, EventVersion, 10)
	w.name("seq")
	w.b = strconv.AppendUint(w.b, e.Seq, 10)
	w.str("prev", e.Prev)
	w.time("time", e.Time)
	return e.rest(w)
}

// AppendAnswer appends an answer of the gate without a place of its own: only
// the event it answers, and what it says.
func (e Event) AppendAnswer(dst []byte) []byte {
	return e.rest(open(dst))
}

func (e Event) rest(w writer) []byte {
	if e.Caused {
		w.name("cause")
		w.b = strconv.AppendUint(w.b, e.Cause, 10)
	}
	e.payload(&w)
	w.yes("redacted", e.Redacted)
	if e.Text != nil {
		object(&w, "text", func(o *writer) {
			o.str("digest", e.Text.Digest)
			o.str("segment", e.Text.Segment)
			o.num("offset", e.Text.Offset)
			o.num("length", e.Text.Length)
			o.yes("error", e.Text.Error)
		})
	}
	return append(w.b, '}')
}

// String returns the JSON form of the event.
func (e Event) String() string { return string(e.Append(nil)) }

func (e Event) payload(w *writer) {
	switch {
	case e.Session != nil:
		object(w, "session", e.Session.write)
	case e.Policy != nil:
		object(w, "policy", e.Policy.write)
	case e.Server != nil:
		object(w, "server", func(o *writer) {
			o.str("server", e.Server.Server)
			o.val("result", e.Server.Result)
		})
	case e.Tools != nil:
		object(w, "tools", e.Tools.write)
	case e.Call != nil:
		object(w, "call", e.Call.write)
	case e.Result != nil:
		object(w, "result", e.Result.write)
	case e.User != nil:
		object(w, "user", func(o *writer) { o.str("text", e.User.Text) })
	case e.Facts != nil:
		w.val("facts", e.Facts.Facts)
	case e.Approval != nil:
		object(w, "approval", func(o *writer) {
			o.str("call", e.Approval.Call)
			o.str("answer", answer(e.Approval.Yes))
			o.str("by", e.Approval.By)
		})
	case e.Frame != nil:
		object(w, "frame", func(o *writer) {
			o.str("server", e.Frame.Server)
			o.str("method", e.Frame.Method)
			o.yes("request", e.Frame.Request)
			o.val("frame", e.Frame.Frame)
		})
	case e.Refused != nil:
		object(w, "refused", e.Refused.write)
	case e.Read != nil:
		object(w, "read", func(o *writer) {
			o.str("file", e.Read.File)
			o.str("server", e.Read.Server)
			o.num("lines", int64(e.Read.Lines))
			o.str("last", e.Read.Last)
			o.yes("past", e.Read.Past)
			o.str("broken", e.Read.Broken)
		})
	case e.Lapsed != nil:
		object(w, "lapsed", func(o *writer) {
			o.str("call", e.Lapsed.Call)
			o.yes("cancelled", e.Lapsed.Cancelled)
		})
	default:
		e.answers(w)
	}
}

// answers writes the kinds of event that the gate itself makes.
func (e Event) answers(w *writer) {
	switch {
	case e.Verdict != nil:
		object(w, "verdict", e.Verdict.write)
	case e.Edit != nil:
		object(w, "edit", func(o *writer) {
			o.str("call", e.Edit.Call)
			o.str("of", e.Edit.Of)
			each(o, "edits", e.Edit.Edits, writeEdit)
			o.str("digest", e.Edit.Digest)
		})
	case e.Ask != nil:
		object(w, "ask", e.Ask.write)
	case e.Label != nil:
		object(w, "label", func(o *writer) {
			o.str("call", e.Label.Call)
			o.strs("session", e.Label.Session)
			o.strs("data", e.Label.Data)
			writeFiles(o, e.Label.Files)
		})
	case e.Receipt != nil:
		object(w, "receipt", func(o *writer) {
			o.str("call", e.Receipt.Call)
			o.strs("shown", e.Receipt.Shown)
		})
	case e.Evicted != nil:
		object(w, "evicted", func(o *writer) { o.str("segment", e.Evicted.Segment) })
	case e.Reload != nil:
		object(w, "reload", func(o *writer) {
			o.str("state", string(e.Reload.State))
			o.str("digest", e.Reload.Digest)
			o.strs("why", e.Reload.Why)
		})
	case e.Closed != nil:
		object(w, "closed", func(o *writer) {
			o.str("reason", e.Closed.Reason)
			o.num("exit", int64(e.Closed.Exit))
		})
	}
}

func answer(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func (s *SessionEvent) write(w *writer) {
	w.str("id", s.ID)
	w.yes("new", s.New)
	w.str("group", s.Group)
	w.str("server", s.Server)
	w.str("file", s.File)
	w.str("version", s.Version)
	w.str("identity", s.Principal.Identity)
	w.str("subject", s.Principal.Subject)
	w.str("issuer", s.Principal.Issuer)
	w.strs("actors", s.Principal.Actors)
	w.str("dir", s.Place.Dir)
	w.str("home", s.Place.Home)
	w.str("platform", s.Place.Platform)
	w.strs("protected", s.Protected)
	w.str("previous", s.Previous)
	w.num("cut", s.Cut)
}

func (p *PolicyEvent) write(w *writer) {
	w.str("digest", p.Digest)
	each(w, "files", p.Files, func(o *writer, f PolicyFile) {
		o.str("path", f.Path)
		o.str("digest", f.Digest)
	})
	w.val("policy", p.Policy)
}

func (t *ToolsEvent) write(w *writer) {
	w.str("server", t.Server)
	w.str("source", string(t.Source))
	if t.Paged {
		w.name("cursor")
		w.b = AppendString(w.b, t.Cursor)
	}
	if t.More {
		w.name("next")
		w.b = AppendString(w.b, t.Next)
	}
	w.name("list")
	w.b = ArrayValue(t.List...).Append(w.b)
}

func (r *ResultEvent) write(w *writer) {
	w.str("call", r.Call)
	w.str("server", r.Server)
	w.num("bytes", r.Bytes)
	w.yes("failed", r.Broken)
	w.val("value", r.Value)
	w.val("error", r.Error)
}

func (r *RefusedEvent) write(w *writer) {
	w.str("server", r.Server)
	w.str("from", r.From)
	w.str("code", r.Code)
	w.str("reason", r.Reason)
	w.str("pointer", r.Pointer)
	w.str("call", r.Call)
	w.str("tool", r.Tool)
	w.num("size", r.Size)
	if len(r.Bytes) > 0 {
		w.str("base64", base64.StdEncoding.EncodeToString(r.Bytes))
	}
}

func (a *AskEvent) write(w *writer) {
	w.str("call", a.Call)
	w.str("kind", string(a.Kind))
	w.str("server", a.Server)
	w.str("tool", a.Tool)
	w.str("fingerprint", a.Fingerprint)
	w.yes("shared", a.Shared)
	w.str("risk", a.Risk)
	w.strs("channels", a.Channels)
	each(w, "items", a.Items, func(o *writer, item AskItem) {
		o.str("contract", item.Contract)
		o.str("code", item.Code)
		o.str("reason", item.Reason)
		o.yes("once", item.Once)
		if item.Finding != nil {
			object(o, "finding", item.Finding.write)
		}
	})
	w.val("definition", a.Definition)
	w.val("definition_was", a.DefinitionWas)
	w.val("identity", a.Identity)
	w.val("identity_was", a.IdentityWas)
}

func (c *Call) write(w *writer) {
	w.str("id", c.ID)
	w.str("kind", string(c.Kind))
	w.str("server", c.Server)
	w.str("tool", c.Tool)
	w.str("digest", c.Digest)
	w.num("bytes", c.Bytes)
	w.val("arguments", c.Arguments)
	w.val("task", c.Task)
	w.str("uri", c.URI)
	w.strs("uris", c.URIs)
	w.str("action", c.Action)
	w.str("name", c.Name)
	w.val("ref", c.Ref)
	w.val("argument", c.Argument)
	w.val("context", c.Context)
	w.str("method", c.Method)
	w.val("params", c.Params)
	w.str("continues", c.Continues)
	w.val("facts", c.Facts)
}

func (f *Finding) write(w *writer) {
	w.str("at", f.At)
	w.yes("key", f.Key)
	w.num("part", int64(f.Part))
	w.str("kind", f.Kind)
	w.str("identity", f.Identity)
	w.str("value", f.Value)
	w.str("origin", f.Origin.String())
	w.str("spoiled", f.Spoiled)
	w.strs("labels", f.Labels)
	each(w, "sources", f.Evidence, func(o *writer, e Evidence) { e.write(o) })
}

func (e Evidence) write(w *writer) {
	w.num("seq", int64(e.Seq))
	w.str("call", e.Call)
	w.str("server", e.Server)
	w.str("tool", e.Tool)
	w.str("pointer", e.Pointer)
	w.num("offset", e.Offset)
	w.num("length", e.Length)
	w.str("position", string(e.Position))
	if e.Label == OriginTrusted {
		w.str("label", e.Label.String())
	}
	w.str("kind", e.Kind)
	w.str("view", e.View)
	w.str("snippet", e.Snippet)
	w.strs("labels", e.Labels)
}
