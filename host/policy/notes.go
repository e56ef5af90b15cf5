package policy

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// The codes of a [Note]. They are stable.
const (
	CodeDefaultAbsent = "DEFAULT_ABSENT" // no layer states settings.default
	CodeIgnored       = "LOOSER_IGNORED" // a higher layer is looser; it does not count
	CodeLoosened      = "LOOSENED"       // a higher layer is looser, and counts
	CodeReplaced      = "REPLACED"       // what replace dropped
	CodeSuperseded    = "LIST_REPLACED"  // a lower layer's allow or in list that no longer holds
	CodeDenyRelative  = "DENY_RELATIVE"  // a deny pattern that holds in one directory only
	CodePacksDropped  = "PACKS_NARROWED" // a higher layer lets fewer packs bind than a lower one; it does not count
	CodeRunRefuses    = "RUN_REFUSES"    // eval, check and test load it, and run without --group does not
)

// Codes of what a newcomer is likely to have meant otherwise.
const (
	CodeSlashInTool = "SLASH_IN_TOOL"    // a key that reads as if a server had a slash in its name
	CodeTrustsHost  = "TRUSTS_HOST_ONLY" // a bare domain that is trusted where mail is sent
	CodeNobodySays  = "NOBODY_SAYS"      // origin: client where nobody can say anything
)

// Note is what lint and check report of a policy that loads.
type Note struct {
	Code string
	Rule string // file:line: path
	Text string // what, and the mend
}

// notes collects notes once each. A nil collector drops them.
type notes struct {
	list []Note
	seen map[Note]bool
}

func (n *notes) add(code, rule, text string) {
	note := Note{code, rule, text}
	if n == nil || n.seen[note] {
		return
	}
	n.seen[note] = true
	n.list = append(n.list, note)
}

func (n *notes) ignored(rule, by string) {
	n.add(CodeIgnored, rule, "looser than "+by+", which holds; remove it, or start the entry with replace")
}

func (n *notes) loosened(rule, than string) {
	n.add(CodeLoosened, rule, "looser than "+than+", which it overrides; make sure that is meant")
}

func (n *notes) superseded(by, rule string) {
	n.add(CodeSuperseded, rule, "its list no longer holds, "+by+" has one for the same argument; write also: true there to keep both")
}

func (n *notes) replaced(by *hit, lower []level) {
	for _, l := range lower {
		for i := range l.hits {
			n.add(CodeReplaced, by.rule("/replace"), "forgets "+l.hits[i].rule(""))
		}
	}
}

// Notes lists what is legal in the policy but worth a look, in a stable order.
func (p *Policy) Notes() []Note { return p.allNotes() }

// ToolNotes lists what is worth a look in the rules of one tool. It sees what
// [Policy.Notes] cannot: packs that bind by fit, and heuristics.
func (p *Policy) ToolNotes(server string, definition abi.Value) []Note {
	n := &notes{seen: map[Note]bool{}}
	p.rules(server, definition, n)
	p.budgets(server, definition, n)
	return n.list
}

// allNotes finds the notes of the files alone: every key is tried as if it were
// the name of a tool.
func (p *Policy) allNotes() []Note {
	n := &notes{seen: map[Note]bool{}}
	p.joinSettings(n)
	if p.settings.DefaultAt == "default: settings.default" && !p.isFloor {
		n.add(CodeDefaultAbsent, p.layers[0].rule("/settings"), "no layer states settings.default, so a tool that nothing grants is denied; write default: deny, ask or allow")
	}
	for _, y := range p.layers {
		for i := range y.keys {
			k := &y.keys[i]
			definition := abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(k.key.tool)})
			p.rules(k.key.server, definition, n)
			p.budgets(k.key.server, definition, n)
			y.denyNotes(k, n)
			y.keyNotes(k, n)
			y.trustNotes(k, n)
			p.originNotes(y, k, n)
		}
		y.besideNotes(n)
		for _, server := range sortedKeys(y.doc.Servers) {
			p.rules(server, abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue("*")}), n)
			p.kindNotes(server, y.doc.Servers[server].Methods, n)
		}
	}
	p.packNotes(n)
	p.runNotes(n)
	if p.floor != nil {
		n.list = append(n.list, p.floor.allNotes()...)
	}
	return n.list
}

// denyNotes reports deny patterns that look as if they held everywhere.
func (y *layer) denyNotes(k *keyed, n *notes) {
	args := k.tool().Args
	for i := range args {
		if !contract.PathSlot(args[i].Slot) {
			continue
		}
		for j, pattern := range args[i].Deny {
			at := abi.JoinIndex(k.at+"/args", i)
			if y.beside[abi.JoinIndex(at+"/deny", j)] != "" {
				continue
			}
			if dir, base := splitPattern(pattern); dir != "" && isGlob(base) && !isGlob(dir) && base != "**" && base != "*" {
				n.add(CodeDenyRelative, y.rule(at), "deny "+base+" holds in "+dir+" only, not below it; for every directory write \"**/"+base+"\"")
			}
		}
	}
}

// besideNotes reports the patterns of a guard that hold in the directory of the
// file only, and do not say so.
func (y *layer) besideNotes(n *notes) {
	for _, at := range sortedKeys(y.beside) {
		tokens, _ := abi.Tokens(at)
		k := len(tokens)
		if k < 4 || tokens[k-2] != "deny" && tokens[k-3] != "where" {
			continue
		}
		s := y.beside[at]
		n.add(CodeDenyRelative, y.rule(at), fmt.Sprintf("%q holds in the directory of this file only; write %q to say so, or %q for every directory", s, "./"+s, "**/"+s))
	}
}

func splitPattern(s string) (dir, base string) {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == '/' {
			return s[:i], s[i+1:]
		}
	}
	return "", s
}

// packNotes reports a packs: that a lower layer makes void.
func (p *Policy) packNotes(n *notes) {
	for i, y := range p.layers {
		c := y.doc.Packs
		if c == nil {
			continue
		}
		for _, lower := range p.layers[i+1:] {
			d := lower.doc.Packs
			if d != nil && (isAuto(d) && !isAuto(c) || d.Of != nil && slices.ContainsFunc(*d.Of, func(name string) bool {
				return name != "auto" && !bindsPack(c, name)
			})) {
				n.add(CodePacksDropped, y.rule("/packs"), "fewer packs than "+lower.rule("/packs")+", which holds; change it there")
			}
		}
	}
}

// runNotes reports what keeps callgate run from loading the policy.
func (p *Policy) runNotes(n *notes) {
	for _, y := range p.layers {
		for i := range y.doc.Budgets {
			if what := shared(y.doc.Budgets[i].Tools); what != "" {
				n.add(CodeRunRefuses, y.rule(abi.JoinIndex("/budgets", i)+"/tools"), "callgate run loads this policy with --group only: "+sharedText(what))
			}
		}
	}
}
