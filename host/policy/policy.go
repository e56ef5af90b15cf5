package policy

import (
	"path"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/redact"
	"github.com/callgate/callgate/packs"
)

// Policy is a joined policy. It is immutable. The zero Policy grants nothing.
type Policy struct {
	layers  []*layer // highest first
	packs   []*layer // that may bind, by name
	floor   *Policy
	isFloor bool
	under   *whenEntry // the one conditional entry that counts, see [Policy.RulesUnder]

	settings   Settings
	redact     *redact.Set // of this policy and its floor
	hasResults bool        // or its floor
	value      abi.Value
	digest     string
}

// finish computes what every caller asks for, once the layers are final.
func (p *Policy) finish() {
	for _, y := range slices.Concat(p.layers, p.packs) {
		y.index()
	}
	if p.floor != nil {
		p.floor.finish()
	}
	p.countResults()
	p.settings = p.joinSettings(nil)
	p.value = p.encode(true)
	p.digest = p.encode(false).Digest()
}

// Value returns the whole policy as one canonical JSON value: the layers, the
// packs that may bind and the floor, with the line of every rule.
func (p *Policy) Value() abi.Value { return p.value }

// Digest returns the digest of what the policy means: comments, the order of
// keys, the names of files and the numbers of lines do not change it.
func (p *Policy) Digest() string { return p.digest }

// Settings returns the joined settings, with the defaults filled in.
func (p *Policy) Settings() Settings { return p.settings }

// Floor returns the floor, or nil.
func (p *Policy) Floor() *Policy { return p.floor }

// Name returns the name of the highest layer, or the base name of its file.
func (p *Policy) Name() string {
	for _, y := range p.layers {
		if y.doc.Name != nil {
			return *y.doc.Name
		}
		if y.label != "" {
			return path.Base(y.label)
		}
	}
	return ""
}

// Files lists the files that the policy was read from, highest layer first,
// then those of the floor. A decoded policy has none.
func (p *Policy) Files() []abi.PolicyFile {
	var list []abi.PolicyFile
	for _, y := range p.layers {
		if y.digest != "" {
			list = append(list, abi.PolicyFile{Path: y.path, Digest: y.digest})
		}
	}
	if p.floor != nil {
		list = append(list, p.floor.Files()...)
	}
	return list
}

// packChoice joins packs: over the layers. More packs are stricter, so a pack
// that any layer lets bind may bind. One that is about every server does where a
// list names it.
func (p *Policy) packChoice() func(name string) bool {
	said := false
	for _, y := range p.layers {
		said = said || y.doc.Packs != nil
	}
	return func(name string) bool {
		if !said {
			return !packs.ForAll(name)
		}
		return slices.ContainsFunc(p.layers, func(y *layer) bool { return bindsPack(y.doc.Packs, name) })
	}
}

// bindsPack says whether a packs: lets a pack bind. The word auto in a list stands
// for all that auto alone stands for.
func bindsPack(c *orWord[[]string], name string) bool {
	switch {
	case c == nil:
		return false
	case c.Of != nil && slices.Contains(*c.Of, name):
		return true
	}
	return isAuto(c) && !packs.ForAll(name)
}

func isAuto(c *orWord[[]string]) bool {
	return c != nil && (c.Word == "auto" || c.Of != nil && slices.Contains(*c.Of, "auto"))
}
