// Command probe is a plugin that logs what the view finds in a snapshot, and
// answers with every part of a verdict, for comparing SDKs.
package main

import (
	"strconv"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Evaluate: judge})

func say(words ...string) { callgate.Log(callgate.LogInfo, strings.Join(words, " ")) }

func num(n int64) string { return strconv.FormatInt(n, 10) }

func flag(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func value(what string, v callgate.Value) {
	say(what, v.Pointer(), num(int64(v.Kind())), v.Name(), v.JSON(), v.Text(), flag(v.Bool()), flag(v.IsString()))
}

func judge(s callgate.Snapshot) *callgate.Verdict {
	parts(s)
	c := s.Call()
	for v := range c.Arguments().All() {
		value("all", v)
	}
	for v := range c.Argument("/m").Open().All() {
		value("open", v)
	}
	whole := s.At("").Fetch()
	for p := range c.Argument("/p").Items() {
		value("at", s.At(p.Text()))
		value("within", whole.At(p.Text()))
		value("argument", c.Arguments().Fetch().At(p.Text()))
	}
	for m := range c.Arguments().Members() {
		n, ok := m.Int()
		say("int", m.Name(), num(n), flag(ok))
		value("get", c.Arguments().Get(m.Name()))
	}
	value("index", c.Argument("/p").Index(1))
	value("index", c.Argument("/p").Fetch().Index(1))
	return answer(c.Argument("/v"))
}

func parts(s callgate.Snapshot) {
	c, d, z := s.Call(), s.Definition(), s.Session()
	say(s.Phase(), s.Time(), c.Kind(), c.Server(), c.Tool(), c.ID(), c.Digest(), num(c.Seq()), c.Values().Pointer(), c.Get("uri").Text())
	say(d.Pin(), flag(d.Pinned()), d.Annotations().JSON(), d.Schema().JSON(), s.Settings().JSON(), s.Result().JSON())
	say(z.ID(), flag(z.Has("q")), flag(z.Has("r")), flag(z.Marked("q")), num(z.Count("calls")), z.Principal().JSON(), z.Recent().JSON(), flag(z.Truncated()))
	for l := range z.Labels() {
		say("label", l)
	}
	for f := range s.Taint() {
		say("finding", f.At(), flag(f.IsKey()), f.Origin(), f.Sources().JSON())
		for l := range f.Labels() {
			say("label", l)
		}
	}
	say(s.List().Kind())
	for i := range s.List().Items() {
		value("item", i)
	}
}

func answer(a callgate.Value) *callgate.Verdict {
	v := callgate.Deny("PROBE")
	switch a.Get("outcome").Text() {
	case "ask":
		v = callgate.Ask("PROBE")
	case "abstain":
		v = callgate.Abstain()
	case "none":
		return nil
	case "code":
		v = callgate.Abstain().Code("PROBE")
	}
	v.Because(a.Get("reason").Text())
	for i := range a.Get("list").Items() {
		t := i.Text()
		v.At(t).LabelCall(t).LabelSession(t).Redact(t).Hide(t)
	}
	for i := range a.Get("at").Items() {
		v.At(i.Text())
	}
	for i := range a.Get("labels").Items() {
		v.LabelCall(i.Text()).LabelSession(i.Text())
	}
	for i := range a.Get("redact").Items() {
		v.Redact(i.Text())
	}
	for i := range a.Get("hide").Items() {
		v.Hide(i.Text())
	}
	if n, ok := a.Get("budget").Int(); ok {
		v.Budget(n)
	}
	for m := range a.Get("tags").Members() {
		v.Tag(m.Name(), m.Text())
	}
	return v
}

func main() {}
