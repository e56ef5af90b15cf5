package plugin

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/wasm"
)

// question is a snapshot that a module is asked about, as it sees it.
type question struct {
	name     string
	settings abi.Value
	view     abi.Value // settings included
	fails    bool      // a case wants a failure
	sample   bool
}

func (q *question) phase() abi.Phase { return abi.Phase(q.view.Get("phase").Str()) }

// asker has the plugin with settings judge a snapshot; it returns nil where they are
// refused.
type asker func(settings abi.Value) func(view abi.Value) wasm.Answer

// questions are the samples and the cases of a plugin. A plugin that needs
// settings is asked with those of its first case, unless some are given. Where a
// case has steps, the plugin is asked what labels each gives to the next.
func questions(m *abi.Manifest, files []CasesFile, settings abi.Value, ask asker) (list []question) {
	given := settings
	if !given.Exists() {
		given = firstSettings(files)
	}
	samples := Samples(m)
	for i := range samples {
		list = append(list, question{name: "sample " + samples[i].Name, settings: given, view: samples[i].View(m, given), sample: true})
	}
	for _, f := range files {
		for _, c := range f.File.Cases {
			with := c.Settings
			if settings.Exists() {
				with = settings
			}
			c.Settings = with
			list = append(list, ofCase(m, &c, ask)...)
		}
	}
	return list
}

func ofCase(m *abi.Manifest, c *cases.PluginCase, ask asker) (list []question) {
	views := stepsOf(m, c, ask)
	for i, s := range c.Steps {
		name := fmt.Sprintf("case %q", c.Name)
		if len(c.Steps) > 1 {
			name += fmt.Sprintf(", step %d", i+1)
		}
		list = append(list, question{name: name, settings: c.Settings, view: views[i], fails: s.Want.Class != ""})
	}
	return list
}

// stepsOf are the snapshots of a case's steps, with the labels that the steps before
// give the session.
func stepsOf(m *abi.Manifest, c *cases.PluginCase, ask asker) (views []abi.Value) {
	var judge func(abi.Value) wasm.Answer
	if len(c.Steps) > 1 {
		judge = ask(c.Settings)
	}
	if judge == nil {
		for _, s := range c.Steps {
			views = append(views, s.Snapshot.With("settings", c.Settings))
		}
		return views
	}
	cases.RunPlugin(&cases.PluginFile{Cases: []cases.PluginCase{*c}}, m, func(abi.Value) func(abi.Value) cases.PluginAnswer {
		return func(view abi.Value) cases.PluginAnswer {
			views = append(views, view)
			a := judge(view)
			return cases.PluginAnswer{Output: a.Output, Fuel: a.Fuel, Class: a.Class, Detail: a.Detail}
		}
	})
	return views
}

// firstSettings are those of the first case, an empty object without one.
func firstSettings(files []CasesFile) abi.Value {
	for _, f := range files {
		for _, c := range f.File.Cases {
			return c.Settings
		}
	}
	return abi.ObjectValue()
}

// backwards is a value as JSON with the members of all objects in the wrong order.
func backwards(dst []byte, v abi.Value) []byte {
	switch v.Kind() {
	case abi.Object:
		dst = append(dst, '{')
		members := v.Members()
		for i := len(members) - 1; i >= 0; i-- {
			dst = append(abi.AppendString(dst, members[i].Name), ':', ' ')
			dst = backwards(dst, members[i].Value)
			if i > 0 {
				dst = append(dst, ',', ' ')
			}
		}
		return append(dst, '}')
	case abi.Array:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = backwards(dst, item)
		}
		return append(dst, ']')
	}
	return v.Append(dst)
}

// deepest leaves room below abi.MaxDepth for where a value is put.
const deepest = abi.MaxDepth - 100

// hostileValues are what a server or a model could put anywhere.
func hostileValues() []abi.Value {
	deep := ""
	for range deepest {
		deep += "["
	}
	for range deepest {
		deep += "]"
	}
	long := make([]byte, 64<<10)
	for i := range long {
		long[i] = "a ü,"[i%5]
	}
	many := make([]abi.Value, 2000)
	for i := range many {
		many[i] = abi.IntValue(int64(i))
	}
	return []abi.Value{
		must(`null`), must(`false`), must(`""`), must(`{}`), must(`[]`), must(`-0`), must(`1e999`), must(`123456789012345678901234567890.5`),
		must(`"\ud800"`), must(`"\u0000\u001b[2J\u202e\ufeff"`), must(`{"":{"~":1,"/":2,"~1":3,"\ud800":4}}`), must(`"{\"to\":\"x\"}"`), must(deep),
		abi.StringValue(string(long)), abi.ArrayValue(many...),
	}
}

// replaceable are the parts of a snapshot that others write.
var replaceable = []string{"/call/arguments", "/call/params", "/call/argument", "/call/ref", "/result", "/list/items"}

// maxHostile bounds how many hostile snapshots are made of one.
const maxHostile = 120

// hostile are snapshots with a hostile value in place of each part that others
// write, one at a time.
func hostile(q *question) (list []question) {
	for _, base := range replaceable {
		part := q.view.At(base)
		if !part.Exists() {
			continue
		}
		var at []string
		part.Walk(base, func(pointer string, v abi.Value, key bool) {
			if !key && pointer != base {
				at = append(at, pointer)
			}
		})
		for _, pointer := range at {
			for i, v := range hostileValues() {
				if view, ok := q.view.Set(pointer, v); ok && len(list) < maxHostile {
					list = append(list, question{name: fmt.Sprintf("%s, hostile value %d at %s", q.name, i+1, pointer), settings: q.settings, view: view})
				}
			}
		}
		if view, ok := q.view.Set(base, abi.ObjectValue()); ok && part.Kind() == abi.Object {
			list = append(list, question{name: q.name + ", nothing at " + base, settings: q.settings, view: view})
		}
	}
	return list
}
