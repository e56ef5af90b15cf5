package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
)

// Law is one thing that holds for every plugin, and how it held for one.
type Law struct {
	Name   string
	Says   string
	Tried  int
	Broken []string // at most [maxBroken]
	More   int      // that are not listed
	Notes  []string // what could not be tried
}

// maxBroken is how many breaches of one law are listed.
const maxBroken = 8

// Holds says whether it was not broken.
func (l *Law) Holds() bool { return len(l.Broken) == 0 }

func (l *Law) fail(format string, args ...any) {
	if len(l.Broken) == maxBroken {
		l.More++
		return
	}
	l.Broken = append(l.Broken, fmt.Sprintf(format, args...))
}

func (l *Law) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

// Check holds a plugin to the laws of ABI.md, "Compatibility", with samples and
// with the cases of its folder. Settings are used for all of them, if there are
// any. An error is of the host.
func (e *Engines) Check(t *Target, settings abi.Value) ([]Law, error) {
	files, err := t.Cases()
	if err != nil {
		return nil, err
	}
	c := checker{engines: e, module: t.Module, loaded: map[string]*Loaded{}, cases: len(files) > 0}
	defer c.close()
	if !c.loads() {
		return c.laws, nil
	}
	c.list = questions(t.Module.Manifest, files, settings, c.asks)
	for _, law := range []func(){c.same, c.verdicts, c.keyOrder, c.moreLabels, c.unrelated, c.hostile, c.declared} {
		law()
	}
	return c.laws, nil
}

type checker struct {
	engines *Engines
	module  *Module
	loaded  map[string]*Loaded // by settings; nil: they are refused
	list    []question
	cases   bool
	said    []abi.Verdict
	laws    []Law
}

func (c *checker) close() {
	for _, l := range c.loaded {
		if l != nil {
			l.Close()
		}
	}
}

func (c *checker) law(name, says string) *Law {
	c.laws = append(c.laws, Law{Name: name, Says: says})
	return &c.laws[len(c.laws)-1]
}

func (c *checker) manifest() *abi.Manifest { return c.module.Manifest }

func (c *checker) name() string { return lastSegment(c.manifest().Name) }

// loads is the law that everything else rests on.
func (c *checker) loads() bool {
	l := c.law("loads", "a host admits it")
	l.Tried = 1
	in := Inspect(c.module, abi.Value{})
	for _, p := range in.Problems {
		l.fail("%s: %s", p.Code, p.Text)
	}
	return l.Holds()
}

// with is the module with settings, nil if it refuses them.
func (c *checker) with(l *Law, settings abi.Value) *Loaded {
	key := settings.String()
	p, known := c.loaded[key]
	if !known {
		var err error
		if p, err = c.engines.Load(c.module, settings); err != nil {
			l.note("settings %s: %v", shortened(key), err)
			if classOf(err) != abi.FailConfigure {
				l.fail("settings %s: %v", shortened(key), err)
			}
		}
		c.loaded[key] = p
	}
	return p
}

// asks is an [asker]. Settings that are refused are for a law to say.
func (c *checker) asks(settings abi.Value) func(abi.Value) wasm.Answer {
	p := c.with(&Law{}, settings)
	if p == nil {
		delete(c.loaded, settings.String())
		return nil
	}
	return p.Once
}

const maxShown = 200

func shortened(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}

// same: an instance that was reset is as good as a fresh one, and the engines
// are alike.
func (c *checker) same() {
	l := c.law("same", "the same answer and fuel on a fresh instance, after a reset and after others, in both engines")
	var views []abi.Value
	for _, q := range c.list {
		views = append(views, q.view)
	}
	for i, q := range c.list {
		p := c.with(l, q.settings)
		if p == nil {
			continue
		}
		l.Tried++
		_, differences := p.Ask(q.view, views[(i+1)%len(views):])
		for _, d := range differences {
			l.fail("%s: %s", q.name, d)
		}
	}
	if l.Tried == 0 {
		l.fail("nothing could be asked: give settings that it takes, or cases")
	}
}

// ask is one evaluation, as a verdict.
func (c *checker) ask(l *Law, q *question) (abi.Verdict, bool) {
	p := c.with(l, q.settings)
	if p == nil {
		return abi.Verdict{}, false
	}
	a := p.Once(q.view)
	v, err := c.verdict(&a, q.phase())
	if err != nil {
		return v, false
	}
	return v, true
}

func (c *checker) verdict(a *wasm.Answer, phase abi.Phase) (abi.Verdict, error) {
	if a.Class != "" {
		return abi.Verdict{}, fmt.Errorf("class %s: %s", a.Class, a.Detail)
	}
	return abi.ParsePluginVerdict(a.Output, c.manifest(), c.name(), phase)
}

// verdicts: what it answers is a verdict that its manifest declares.
func (c *checker) verdicts() {
	l := c.law("verdicts", "every answer is a verdict that its manifest declares")
	for _, q := range c.list {
		p := c.with(l, q.settings)
		if q.fails || p == nil {
			continue
		}
		l.Tried++
		a := p.Once(q.view)
		v, err := c.verdict(&a, q.phase())
		if err != nil {
			l.fail("%s: %v", q.name, err)
			continue
		}
		c.said = append(c.said, v)
	}
}

// hostile: whatever others write, it gives a verdict.
func (c *checker) hostile() {
	l := c.law("hostile", "a hostile snapshot makes it neither trap nor run out of fuel")
	for i := range c.list {
		if q := &c.list[i]; q.fails || !q.sample && i%4 != 0 {
			continue // the cases are alike; the samples have all phases
		}
		for _, h := range hostile(&c.list[i]) {
			p := c.with(l, h.settings)
			if p == nil {
				break
			}
			l.Tried++
			a := p.Once(h.view)
			if _, err := c.verdict(&a, h.phase()); err != nil {
				l.fail("%s: %v", h.name, err)
			}
		}
	}
	if l.Tried == 0 {
		l.note("nothing that others write is read")
	}
}

// declared: what the manifest announces is there.
func (c *checker) declared() {
	l := c.law("declared", "a case shows each code and each effect that the manifest declares")
	used := map[string]bool{}
	for i := range c.said {
		v := &c.said[i]
		o := &v.Obligations
		used["code "+v.Code] = true
		used["effect "+v.Outcome.String()] = true
		used["effect labels"] = used["effect labels"] || len(o.CallLabels)+len(o.SessionLabels) > 0
		used["effect redact"] = used["effect redact"] || len(o.Redact) > 0
		used["effect hide"] = used["effect hide"] || len(o.Hide) > 0
		used["effect budget"] = used["effect budget"] || o.Calls != nil
	}
	var want []string
	for _, code := range c.manifest().Codes {
		want = append(want, "code "+code.Name)
	}
	for _, effect := range c.manifest().Effects {
		want = append(want, "effect "+effect)
	}
	slices.Sort(want)
	for _, w := range want {
		l.Tried++
		switch {
		case used[w]:
		case c.cases:
			l.fail("%s: no case shows it; add one, or take it out of the manifest", w)
		default:
			l.note("%s: not seen; there are no cases", w)
		}
	}
}
