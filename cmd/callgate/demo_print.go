package main

import (
	"fmt"
	"io"
	"strings"
)

// printIntro says what is about to happen, and shows the policy.
func (d *demo) printIntro() {
	if d.json {
		return
	}
	var rules []string
	for line := range strings.Lines(d.policy) {
		if text := strings.TrimRight(line, "\n"); text != "" && !strings.HasPrefix(text, "#") {
			rules = append(rules, "    "+text)
		}
	}
	fmt.Fprintf(d.out, `Callgate demo: one poisoned message, without and with a gate

Two small MCP servers are built into this program: a mailbox and a file area. Each keeps a log of what it
really did. A real MCP client (mcp-go) plays an assistant that does whatever a message tells it. In the
first scene it talks to the mailbox directly; later Callgate stands between them, with this policy:

%s
`, printable(strings.Join(rules, "\n")))
}

// printScene prints one scene that has been played.
func (d *demo) printScene(s *demoScene) error {
	if d.json {
		_, err := io.WriteString(d.out, s.json().String()+"\n")
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d. %s\n\n%s\n", s.number, s.title, demoBlock("   ", "   ", s.story))
	for _, t := range s.steps {
		b.WriteString("\n" + demoBlock("   tried    ", "            ", t.tried) + "\n")
		if t.got != "" {
			b.WriteString(demoBlock("   got      ", "            ", t.got) + "\n")
		}
		if t.log {
			log := strings.Join(t.did, "\n")
			if log == "" {
				log = "(nothing)"
			}
			b.WriteString(demoBlock("   log      ", "            ", log) + "\n")
		}
		if len(t.wrong) > 0 {
			b.WriteString(demoBlock("   DIFFERS  ", "            ", strings.Join(t.wrong, "\n")) + "\n")
			continue
		}
		b.WriteString(demoBlock("   verdict  ", "            ", t.meaning) + "\n")
	}
	_, err := io.WriteString(d.out, printable(b.String()))
	return err
}

// printEnd says what it came to.
func (d *demo) printEnd(wrong int) {
	switch {
	case d.json:
	case wrong == 0:
		fmt.Fprintln(d.out, "\nEverything happened as expected.")
	default:
		fmt.Fprintf(d.out, "\n%s from what is expected.\n", demoPlural(wrong, "step differs", "steps differ"))
	}
}

// demoBlock is text with a prefix on its first line and another on the rest.
func demoBlock(first, rest, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(rest+line, " ")
		if i == 0 {
			lines[i] = first + line
		}
	}
	return strings.Join(lines, "\n")
}
