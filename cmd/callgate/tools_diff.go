package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
)

func toolsDiffCmd(std stdio) *cobra.Command {
	var place pinPlace
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff SERVER [TOOL]",
		Short: "Compare what is pinned with what was listed last, place by place",
		Long: "Compares the pins of a server with what it listed, and said of itself, last, as the ledger has it. Each place in which\n" +
			"they differ is shown with its grade: instructions and widening deny calls, text and narrowing ask, cosmetic is let go.\n" +
			"Exits with 1 if anything differs.",
		Args: wants(cobra.RangeArgs(1, 2), "want a SERVER, and perhaps one TOOL, as callgate tools ls shows them"),
		RunE: func(_ *cobra.Command, args []string) error {
			k, list, err := place.meant(args)
			if err != nil {
				return err
			}
			var moved []standing
			for _, s := range list {
				if s.state != stateSame && s.state != stateUnpinned {
					moved = append(moved, s)
				}
			}
			out := []byte(k.diffText(moved) + k.acceptText(moved))
			if asJSON {
				out = jsonLine(k.diffValue(moved))
			}
			if _, err := std.out.Write(out); err != nil {
				return err
			}
			if len(moved) > 0 {
				return exitError{1, nil}
			}
			return nil
		},
	}
	place.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// meant finds the server that is named, with its pins: of one tool, if that is
// named too.
func (p *pinPlace) meant(args []string) (*pinned, []standing, error) {
	k, err := p.one(args[0])
	if err != nil {
		return nil, nil, err
	}
	list := k.standings()
	if len(args) == 1 {
		return k, list, nil
	}
	for _, s := range list {
		if s.tool == args[1] && s.tool != "" {
			return k, []standing{s}, nil
		}
	}
	return nil, nil, failed(fmt.Errorf("server %q has no tool %q that is pinned or was listed; callgate tools ls lists them", args[0], args[1]))
}

// diffText is for people: nothing of what servers wrote can act on a terminal.
func (k *pinned) diffText(moved []standing) string {
	if len(moved) == 0 {
		return oneLine(k.server) + ": nothing differs from what is pinned\n"
	}
	var b strings.Builder
	for _, s := range moved {
		fmt.Fprintf(&b, "%s  %s: %s\n", oneLine(k.server), s.title(), s.says())
		for _, c := range s.changes {
			fmt.Fprintf(&b, "  %s  %s: %s\n", pointerShown(c.At), c.Grade, c.Why)
			fmt.Fprintf(&b, "    - %s\n    + %s\n", shownValue(c.Was), shownValue(c.Is))
		}
		switch {
		case s.state == stateNew:
			fmt.Fprintf(&b, "    + %s\n", shownValue(s.now.Definition))
		case s.state == stateGone:
			fmt.Fprintf(&b, "    - %s\n", shownValue(s.pin.Definition))
		}
	}
	return b.String()
}

// acceptText says what to type where a difference is wanted.
func (k *pinned) acceptText(moved []standing) string {
	what := ""
	for _, s := range moved {
		switch {
		case !s.moved():
			continue
		case what == "":
			what = " " + oneLine(s.tool)
		default:
			what = " --all"
		}
	}
	if what == "" {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf("\nIf it is wanted: callgate tools accept %s%s", oneLine(k.server), what), " ") + "\n"
}

func shownValue(v abi.Value) string {
	m := marked{}
	m.value("", v)
	return m.b.String()
}

func pointerShown(at string) string {
	if at == "" {
		return "(all of it)"
	}
	return oneLine(shorten(at, maxShown))
}

func (k *pinned) diffValue(moved []standing) abi.Value {
	list := []abi.Value{}
	for _, s := range moved {
		var changes []abi.Value
		for _, c := range s.changes {
			changes = append(changes, object("at", c.At, "grade", c.Grade.String(), "why", c.Why, "was", c.Was, "is", c.Is))
		}
		list = append(list, object("tool", stated(s.tool), "state", s.state, "why", stated(s.why), "changes", abi.ArrayValue(changes...),
			"was", s.pin.Definition, "is", s.now.Definition))
	}
	return object("server", k.server, "group", k.groupName(), "moved", abi.ArrayValue(list...))
}
