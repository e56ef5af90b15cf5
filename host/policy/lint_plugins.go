package policy

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// plugins looks at the entries of plugins:. Which tools they name, check knows.
func (l *linter) plugins(y *layer) {
	for i := range y.doc.Plugins {
		p, at := &y.doc.Plugins[i], abi.JoinIndex("/plugins", i)
		if text(p.Mode) == "observe" {
			l.add(codePluginObserves, y.rule(at+"/mode"), "what %s says is recorded and not enforced; remove mode once it says the right things", p.Name)
		}
		if slices.Contains(y.unpinned, i) {
			l.add(codePluginDigest, y.rule(at), "whatever the file of %s holds when the policy is loaded counts; pin it with digest: %q", p.Name, p.Digest)
		}
		for j, name := range p.On.Tools {
			l.key(y, abi.JoinIndex(at+"/on/tools", j), parseKey(name))
		}
	}
}

// pluginLabels finds rules that wait for a label of a plugin that gives none.
func (l *linter) pluginLabels() {
	l.p.waits(func(y *layer, at, label string) {
		name, _, ok := strings.Cut(label, ":")
		why := ""
		for _, o := range l.files() {
			for i := range o.doc.Plugins {
				switch {
				case !ok || o.doc.Plugins[i].Name != name:
				case slices.Contains(o.silent, i):
					why = "the manifest of " + name + " has no effect labels"
				case text(o.doc.Plugins[i].Mode) == "observe":
					why = "what " + name + " says is not enforced: mode: observe"
				default: // another entry of the name does
					return
				}
			}
		}
		if why != "" {
			l.add(codeLabelNever, y.rule(at), "nothing gives the label %q, so this never holds: %s", label, why)
		}
	})
}
