package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/segment"
	drafts "github.com/callgate/callgate/host/suggest"
	"github.com/callgate/callgate/host/wire"
)

type policySuggestFlags struct{ out, cases string }

func policySuggestCmd(std stdio) *cobra.Command {
	var f policySuggestFlags
	cmd := &cobra.Command{
		Use:   "suggest [flags] LEDGER|DIR|GROUP",
		Short: "Write the least policy that allows what a session did",
		Long: "Reads a ledger, or those of a group, named by it or by its directory, and writes the least policy that allows the calls that were made: run a\n" +
			"session under settings: {mode: observe} first. Each tool is granted by its name, for the directories, listed values and\n" +
			"destinations that were used, and for a few calls more than were made. What came from an output never becomes a trusted\n" +
			"destination; what was denied for its arguments, its definition or its frame is not granted. Comments say what was left\n" +
			"out, and why. Before anything is written, the ledger is replayed under the policy and its cases are run.",
		Example: "  callgate policy suggest -o policy.yaml --cases cases.yaml claude-desktop",
		Args:    wants(cobra.ExactArgs(1), "name a ledger file (callgate ledger path lists them), or a group, such as claude-desktop"),
		RunE: func(_ *cobra.Command, args []string) error {
			return policySuggest(std, f, args[0])
		},
	}
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "policy file to write, which must not exist (default: standard output)")
	cmd.Flags().StringVar(&f.cases, "cases", "", "cases file to write, which must not exist; needs -o")
	return cmd
}

func policySuggest(std stdio, f policySuggestFlags, input string) error {
	if f.cases != "" && f.out == "" {
		return errors.New("--cases without -o: the cases name the policy, so name its file with -o")
	}
	for _, path := range []string{f.out, f.cases} {
		if path == "" {
			continue
		}
		if err := vacant(path); err != nil {
			return err
		}
	}
	ledgers, text, err := ledgersOf(input)
	if err != nil {
		return err
	}
	defer text.Close()
	o := drafts.Options{Specs: builtin.Table()}
	if o.Path, err = draftPath(f.out, "policy.yaml"); err != nil {
		return err
	}
	if o.Cases, err = draftPath(f.cases, "cases.yaml"); err != nil {
		return err
	}
	s, err := drafts.FromLedgers(ledgers, o)
	if err != nil {
		return err
	}
	if err := put(std.out, f.out, s.Policy); err != nil {
		return err
	}
	if f.cases != "" {
		if err := writeNew(f.cases, s.Cases); err != nil {
			return errors.Join(err, os.Remove(f.out)) // one without the other is not what was asked for
		}
	}
	fmt.Fprintf(std.err, "%s: %d allowed, %d asked about, %d not granted; %s granted; cases that hold: %d\n",
		plural.Of(s.Calls, "call"), s.Allowed, s.Asked, s.Refused, plural.Of(s.Tools, "tool"), s.Tested)
	if s.Unreplayable > 0 {
		fmt.Fprintf(std.err, "%s could not be replayed, since the text is not in the ledger\n", plural.Of(s.Unreplayable, "verdict"))
	}
	return nil
}

// ledgersOf lists the ledger files that are named: one, or those of a group; and
// opens the text that they refer to.
func ledgersOf(input string) ([]drafts.Ledger, *segment.Reader, error) {
	info, err := os.Stat(input)
	if dir := dirOfGroup(input); errors.Is(err, fs.ErrNotExist) && dir != "" {
		input = dir
		info, err = os.Stat(dir)
	}
	if err != nil {
		return nil, nil, unread(err, "it is no group either; callgate ledger path lists the ledgers that there are")
	}
	dir, only := input, ""
	switch {
	case info.Mode().IsRegular():
		dir, only = filepath.Dir(input), filepath.Base(input)
	case !info.IsDir():
		return nil, nil, fmt.Errorf("%q is no regular file, and a ledger is read more than once; write it into one", input)
	}
	group, err := ledger.Group(dir)
	if err != nil && only == "" {
		return nil, nil, err
	}
	text := segment.NewReader(dir)
	var out []drafts.Ledger
	for _, file := range group {
		if only == "" || filepath.Base(file.Path) == only {
			out = append(out, drafts.Ledger{
				Name: file.Path, ID: file.ID, Events: func() iter.Seq2[abi.Value, error] { return eventLines(file.Path) },
				Prior: func() func(abi.ReadEvent, func(abi.Event) error) error { return replay.Files(group) },
				Text:  text,
			})
		}
	}
	switch {
	case len(out) > 0:
		return out, text, nil
	case only == "":
		return nil, nil, fmt.Errorf("%q holds no ledger files; name the directory of a group (callgate ledger path lists them)", input)
	}
	return []drafts.Ledger{{Name: input, Events: func() iter.Seq2[abi.Value, error] { return eventLines(input) }, Text: text}}, text, nil
}

// dirOfGroup is the directory of a group that has ledgers, "" if there is none.
func dirOfGroup(name string) string {
	states, err := ledger.StateDirs(os.Getenv)
	if err != nil || name == "" {
		return ""
	}
	for _, state := range states {
		if info, err := os.Stat(ledger.GroupDir(state, name)); err == nil && info.IsDir() {
			return ledger.GroupDir(state, name)
		}
	}
	return ""
}

// eventLines reads the lines of a ledger. A last line without its end was torn
// by a kill, and is left out.
func eventLines(path string) iter.Seq2[abi.Value, error] {
	return func(yield func(abi.Value, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(abi.Value{}, err)
			return
		}
		defer f.Close()
		kept := textOf(f.Name())
		defer kept.Close()
		in := wire.NewReader(f, replay.MaxLine)
		for {
			line, err := in.Next()
			if errors.Is(err, io.EOF) || err == nil && !bytes.HasSuffix(line.Bytes, []byte("\n")) && !line.TooLong {
				return
			}
			if err == nil && line.TooLong {
				err = fmt.Errorf("a line of more than %d bytes", replay.MaxLine)
			}
			var v abi.Value
			if text := bytes.TrimSpace(line.Bytes); err == nil {
				if len(text) == 0 {
					continue
				}
				if v, err = wholeValue(text, kept); err != nil {
					err = errors.New(plainJSON(err) + "; name a ledger file (callgate ledger path lists them)")
				}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}
