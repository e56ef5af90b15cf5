package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
)

func toolsAcceptCmd(std stdio) *cobra.Command {
	var place pinPlace
	var all, yes bool
	cmd := &cobra.Command{
		Use:   "accept SERVER [TOOL | --all]",
		Short: "Pin what a server listed last in place of what is pinned",
		Long: "Pins the definition that TOOL was last listed with; without TOOL, what the server says of itself; with --all, both of\n" +
			"everything that differs. It shows what differs and asks, or takes --yes. A running process takes it in at once, if what\n" +
			"it has listed since is the same; otherwise it holds from the next start.",
		Args: wants(cobra.RangeArgs(1, 2), "want a SERVER, and one TOOL or --all, as callgate tools diff shows them"),
		RunE: func(_ *cobra.Command, args []string) error {
			if all && len(args) == 2 {
				return errors.New("--all beside a TOOL: name either one or all")
			}
			if err := ofPerson(); err != nil {
				return err
			}
			k, list, err := place.meant(args)
			if err != nil {
				return err
			}
			moved, err := acceptable(list, all || len(args) == 2)
			if err != nil {
				return err
			}
			if len(moved) == 0 {
				return k.nothing(std, list)
			}
			return k.accept(std, moved, yes)
		},
	}
	place.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "everything that differs: what the server says of itself, and every tool")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// nothing says that nothing of what was named differs, and what else does.
func (k *pinned) nothing(std stdio, list []standing) error {
	text := oneLine(k.server) + ": nothing differs that could be accepted\n"
	if slices.ContainsFunc(list, standing.moved) {
		text = fmt.Sprintf("%[1]s: what the server says of itself does not differ; tools do: callgate tools diff %[1]s, and name one, or --all\n", oneLine(k.server))
	}
	_, err := io.WriteString(std.out, text)
	return err
}

// ofPerson says why this process may not pin anything: a server that Callgate
// wraps could have started it.
func ofPerson() error { return approval.CheckOwnDescent(approval.SocketDirs(os.Getenv)) }

// acceptable keeps what can be pinned: of tools, or of the server alone.
func acceptable(list []standing, tools bool) ([]standing, error) {
	var out []standing
	for _, s := range list {
		switch {
		case s.tool != "" && !tools:
		case s.moved():
			out = append(out, s)
		case len(list) == 1 && s.state == stateTwice:
			return nil, failed(fmt.Errorf("tool %q was listed twice, differently; list the tools anew when the server is mended", s.tool))
		case len(list) == 1 && s.state == stateUnfit:
			return nil, failed(fmt.Errorf("tool %q has a name that can imitate another, and can not be pinned", s.tool))
		}
	}
	return out, nil
}

// accept shows what is about to be pinned, asks, and pins it.
func (k *pinned) accept(std stdio, moved []standing, yes bool) error {
	if _, err := io.WriteString(std.out, k.diffText(moved)); err != nil {
		return err
	}
	if !yes {
		if err := confirm(std, fmt.Sprintf("Pin %s of %s? [y/N] ", plural.Of(len(moved), "change"), oneLine(k.server))); err != nil {
			return err
		}
	}
	live, err := k.live()
	if err != nil {
		return err
	}
	if len(live) > 0 {
		return k.tell(std.out, live, moved)
	}
	if err := k.write(moved); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "pinned: %s; no process of the server runs, so it holds from the next start\n", plural.Of(len(moved), "change"))
	return err
}

// confirm asks on a terminal; without one, nobody can be asked. Anything but a
// yes is an error.
func confirm(std stdio, question string) error {
	f, ok := std.in.(*os.File)
	if !ok {
		return errNoTerminal
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return errNoTerminal
	}
	if _, err := io.WriteString(std.out, question); err != nil {
		return err
	}
	line, err := bufio.NewReader(std.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return failed(errors.New("nothing was pinned"))
	}
	return nil
}

var errNoTerminal = errors.New("standard input is no terminal, so nobody can be asked; give --yes")

// live lists the processes that wrap the server now. One that does not answer
// would write its own pins over ours.
func (k *pinned) live() ([]approval.Process, error) {
	running, err := ledger.Running(k.dir, k.server)
	if err != nil || !running {
		return nil, err
	}
	list, err := processes("")
	list = slices.DeleteFunc(list, func(p approval.Process) bool {
		return p.Info.Server != k.server || !sameDir(filepath.Dir(p.Info.Ledger), k.dir)
	})
	if len(list) == 0 {
		return nil, failed(errors.Join(fmt.Errorf("a process of the server %q runs and can not be told; end it, and accept the change then", k.server), err))
	}
	return list, nil
}

// tell has the live processes pin what was shown. Each pins it only if it has
// the same in front of it.
func (k *pinned) tell(out io.Writer, live []approval.Process, moved []standing) error {
	refused := 0
	for _, p := range live {
		for _, s := range moved {
			said := "pinned"
			if err := p.Accept(s.tool, s.now.Digest()); err != nil {
				refused++
				said = "not pinned: " + err.Error()
			}
			if _, err := fmt.Fprintf(out, "%s  %s: %s\n", oneLine(processName(p)), s.title(), oneLine(said)); err != nil {
				return err
			}
		}
	}
	if refused > 0 {
		return exitError{1, nil}
	}
	return nil
}

// write keeps the pins with the changes in them, where no process does.
func (k *pinned) write(moved []standing) error {
	now := time.Now().UTC().Truncate(time.Second)
	for _, s := range moved {
		p := s.now
		if p.At = now; s.tool == "" {
			k.identity = p
		} else {
			k.tools[s.tool] = p
		}
	}
	var lines [][]byte
	if k.identity.Identity.Exists() {
		lines = append(lines, k.identity.Value().Append(nil))
	}
	for _, name := range slices.Sorted(maps.Keys(k.tools)) {
		lines = append(lines, k.tools[name].Value().Append(nil))
	}
	return ledger.WritePins(k.dir, k.server, lines)
}

func sameDir(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}
