package suggest

import (
	"fmt"
	"strings"
)

// maxNotes bounds the lines of one list of comments.
const maxNotes = 40

// policy writes the draft.
func (d *draft) policy() []byte {
	var b strings.Builder
	d.header(&b)
	b.WriteString("callgate: 1\n\nsettings:\n  mode: enforce\n  default: deny\n\n")
	writeServers(&b, d.s, true)
	granted := d.granted()
	if len(granted) > 0 {
		b.WriteString("\ntools:\n")
	}
	for _, g := range granted {
		g.write(&b)
	}
	d.left(&b)
	return []byte(b.String())
}

func (d *draft) header(b *strings.Builder) {
	b.WriteString("# The least policy that allows what was recorded. Read it before you use it:\n")
	b.WriteString("# what a session did is not yet what it should have done.\n")
	if len(d.s.files) > 0 {
		b.WriteString("#\n# It stands alone. These files were in force; what they say beyond this, grants too, holds\n# again when they are included:\n")
		for _, f := range d.s.files[:min(len(d.s.files), maxNotes)] {
			b.WriteString("#   include: " + quotes([]string{f}) + "\n")
		}
	}
	if d.s.wire > 0 {
		fmt.Fprintf(b, "#\n# %d frames could be read in more than one way and were refused (wire); nothing is granted for them.\n", d.s.wire)
		for _, t := range d.s.wireTools {
			b.WriteString("#   a frame that named the tool " + short(t) + "\n")
		}
	}
}

// write writes one granted tool.
func (g *grant) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s:  # %s\n", Quote(g.key), counted(len(g.calls), "call"))
	if g.ask {
		b.WriteString("    verdict: ask  # as the policy that was in force did\n")
	} else {
		b.WriteString("    verdict: allow\n")
	}
	fmt.Fprintf(b, "    max_calls: %d\n", g.most)
	g.writeArgs(b)
	g.carried.write(b, g.trusted)
	for i, k := range g.kept {
		if i == maxNotes {
			fmt.Fprintf(b, "    # … and %d more destinations\n", len(g.kept)-i)
			break
		}
		b.WriteString("    # not trusted: " + short(k.value) + ": " + Quote(k.why) + "\n")
	}
	for _, rule := range g.carried.rules[:min(len(g.carried.rules), maxNotes)] {
		b.WriteString("    # restricted, too, by " + Quote(rule) + "\n")
	}
	if n := len(g.refused); n > 0 {
		fmt.Fprintf(b, "    # %s more of this tool is not what this is made for:\n", counted(n, "call"))
		g.reasons(b, "    #   ")
	}
}

func (g *grant) writeArgs(b *strings.Builder) {
	if len(g.globs)+len(g.values) > 0 {
		b.WriteString("    args:\n")
	}
	if len(g.globs) > 0 {
		b.WriteString("      - slot: path\n        allow:\n")
		for _, glob := range g.globs {
			b.WriteString("          - " + Quote(glob) + "\n")
		}
		b.WriteString("        deny:  # keys, passwords and tokens, wherever they are\n          [")
		writeWrapped(b, secretPaths(), "\n           ")
		b.WriteString("]\n")
	}
	for _, v := range g.values {
		b.WriteString("      - {arg: " + Quote(v.arg) + ", in: [")
		for i, one := range v.used {
			if i > 0 {
				b.WriteString(", ")
			}
			appendYAML(b, one)
		}
		b.WriteString("]}\n")
	}
}

// writeWrapped writes scalars with commas, some on each line.
func writeWrapped(b *strings.Builder, list []string, indent string) {
	const each = 6
	for i, s := range list {
		switch {
		case i == 0:
		case i%each == 0:
			b.WriteString("," + indent)
		default:
			b.WriteString(", ")
		}
		b.WriteString(Quote(s))
	}
}

// left lists what is not granted at all.
func (d *draft) left(b *strings.Builder) {
	first := true
	for _, g := range d.tools {
		if len(g.calls) > 0 {
			continue
		}
		if first {
			b.WriteString("\n# Not granted:\n")
			first = false
		}
		fmt.Fprintf(b, "#   %s, %s:\n", g.name.shown(), counted(len(g.refused), "call"))
		g.reasons(b, "#     ")
	}
}

// reasons lists why calls were left out, each reason once.
func (g *grant) reasons(b *strings.Builder, indent string) {
	var all []string
	for _, c := range g.refused {
		why := c.refused
		if from := c.from(); from != "" && c.tainted {
			why += ", " + from
		}
		add(&all, why)
	}
	for i, why := range all {
		if i == maxNotes {
			fmt.Fprintf(b, "%s… and %d more reasons\n", indent, len(all)-i)
			return
		}
		b.WriteString(indent + why + "\n")
	}
}

// counted is a number of things.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
