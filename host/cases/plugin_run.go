package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// PluginAnswer is what became of one evaluation of a plugin.
type PluginAnswer struct {
	Output []byte
	Fuel   uint64
	Class  abi.FailureClass // "": there is an output
	Detail string
}

// RunPlugin runs every case of a file. Start loads the plugin with settings, and
// evaluate has it judge one snapshot; a plugin that does not start answers with a
// class.
func RunPlugin(f *PluginFile, m *abi.Manifest, start func(settings abi.Value) (evaluate func(snapshot abi.Value) PluginAnswer)) []Result {
	out := make([]Result, 0, len(f.Cases))
	for i := range f.Cases {
		out = append(out, runPluginCase(&f.Cases[i], m, start(f.Cases[i].Settings)))
	}
	return out
}

func runPluginCase(c *PluginCase, m *abi.Manifest, evaluate func(abi.Value) PluginAnswer) Result {
	r := Result{Name: c.Name, Line: c.Line}
	var labels []string // that the steps before gave the session
	for _, s := range c.Steps {
		fail := func(format string, args ...any) {
			r.Failures = append(r.Failures, Failure{s.Line, fmt.Sprintf(format, args...)})
		}
		view := withLabels(s.Snapshot, labels, m).With("settings", c.Settings)
		a := evaluate(view)
		if c.MaxFuel > 0 && a.Fuel > c.MaxFuel {
			fail("uses %d fuel; at most %d", a.Fuel, c.MaxFuel)
		}
		var v abi.Verdict
		if a.Class == "" {
			var err error
			if v, err = abi.ParsePluginVerdict(a.Output, m, lastSegment(m.Name), abi.Phase(s.Snapshot.Get("phase").Str())); err != nil {
				a.Class, a.Detail = abi.FailProtocol, fmt.Sprintf("%v: %s", err, a.Output)
			}
		}
		if a.Class != "" || s.Want.Class != "" {
			switch {
			case a.Class == s.Want.Class:
			case a.Class == "":
				fail("a verdict; want class %q", s.Want.Class)
			case s.Want.Class == "":
				fail("class %q (%s); want a verdict", a.Class, a.Detail)
			default:
				fail("class %q (%s); want %q", a.Class, a.Detail, s.Want.Class)
			}
			continue
		}
		for _, difference := range s.Want.check(&v, lastSegment(m.Name)+":") {
			fail("%s", difference)
		}
		if v.Outcome != abi.Deny { // a call that is refused labels nothing
			labels = append(labels, v.Obligations.SessionLabels...)
		}
	}
	return r
}

// withLabels adds labels to those of the session, for a plugin that reads them.
func withLabels(v abi.Value, labels []string, m *abi.Manifest) abi.Value {
	if len(labels) == 0 {
		return v
	}
	session := v.Get("session")
	if !session.Exists() {
		session = abi.ObjectValue()
	}
	all := slices.Clone(labels)
	for _, l := range session.Get("labels").Items() {
		all = append(all, l.Str())
	}
	slices.Sort(all)
	var items []abi.Value
	for _, l := range slices.Compact(all) {
		items = append(items, abi.StringValue(l))
	}
	return m.Project(v.With("session", session.With("labels", abi.ArrayValue(items...))))
}

// check lists the differences between a verdict and what is wanted.
func (w *PluginWant) check(v *abi.Verdict, prefix string) (list []string) {
	differ := func(what string, got, want any) {
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			list = append(list, fmt.Sprintf("%s %s; want %s", what, g, w))
		}
	}
	differ("outcome", v.Outcome, w.Outcome)
	if w.Code != "" {
		differ("code", v.Code, w.Code)
	}
	if w.At != nil {
		differ("at", v.At, w.At)
	}
	o := &v.Obligations
	differ("redact", o.Redact, w.Redact)
	hidden := slices.Clone(o.Hide)
	differ("hide", sorted(hidden), w.Hide)
	differ("labels of the call", bare(o.CallLabels, prefix), w.Labels)
	differ("labels of the session", bare(o.SessionLabels, prefix), w.Session)
	left := int64(-1)
	if o.Calls != nil {
		left = *o.Calls
	}
	differ("budget", left, w.Budget)
	if len(list) > 0 && v.Plugin != nil && v.Plugin.Reason != "" {
		list = append(list, "its reason: "+v.Plugin.Reason)
	}
	return list
}

func bare(labels []string, prefix string) []string {
	out := make([]string, 0, len(labels))
	for _, l := range labels {
		out = append(out, strings.TrimPrefix(l, prefix))
	}
	return out
}
