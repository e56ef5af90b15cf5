package policy

import (
	"slices"

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
