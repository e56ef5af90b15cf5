package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
)

func ledgerCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Verify, show and find ledgers",
		Args:  wantsVerb,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(verifyCmd(std), tailCmd(std), pathCmd(std))
	return cmd
}

// ledgerDir adds the flag that names a ledger's directory.
func ledgerDir(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "ledger", "", "directory of a ledger (default: those of all groups, under $XDG_STATE_HOME/callgate)")
}

// groupDirs lists the directories of the groups: the one that is named, or all
// under the state directories.
func groupDirs(dir string) ([]string, error) {
	if dir != "" {
		return []string{dir}, nil
	}
	states, err := ledger.StateDirs(os.Getenv)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, state := range states {
		groups := filepath.Join(state, "groups")
		entries, err := os.ReadDir(groups)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() {
				out = append(out, filepath.Join(groups, e.Name()))
			}
		}
	}
	return out, nil
}

// noLedger is the error where there is nothing to look at.
func noLedger(paths []string) error {
	if len(paths) == 0 {
		return failed(errors.New("no ledger yet; start a server through callgate run, or name a directory with --ledger"))
	}
	return failed(fmt.Errorf("no ledger files in %q", paths))
}

// ledgerFiles lists the ledger files of directories, oldest first, with a file
// that is named directly as it is.
func ledgerFiles(paths []string) ([]ledger.File, error) {
	var out []ledger.File
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, unread(err, "callgate ledger path lists the ledgers that there are")
		}
		if info.IsDir() {
			files, err := ledger.Group(path)
			if err != nil {
				return nil, err
			}
			out = append(out, files...)
			continue
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%q is not a regular file", path)
		}
		out = append(out, ledger.File{Path: path, Modified: info.ModTime(), Size: info.Size()})
	}
	slices.SortStableFunc(out, func(a, b ledger.File) int { return a.Modified.Compare(b.Modified) })
	return out, nil
}

func verifyCmd(std stdio) *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [FILE|DIR]...",
		Short: "Check the hash chain of ledgers, and the text that they refer to",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				dirs, err := groupDirs(dir)
				if err != nil {
					return err
				}
				args = dirs
			} else if dir != "" {
				return errors.New("--ledger beside FILE or DIR: name one of them")
			}
			return verify(std.out, args, asJSON)
		},
	}
	ledgerDir(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func verify(out io.Writer, paths []string, asJSON bool) error {
	var reports []ledger.Report
	var breaks []error
	for _, path := range paths {
		r, err := verifyPath(path)
		reports = append(reports, r...)
		var broken *ledger.Break
		if err != nil && !errors.As(err, &broken) {
			return err
		}
		if err != nil {
			breaks = append(breaks, err)
		}
	}
	if len(reports)+len(breaks) == 0 {
		return noLedger(paths)
	}
	texts, err := checkTexts(reports)
	if err != nil {
		return err
	}
	show := verifyText
	if asJSON {
		show = verifyJSON
	}
	if _, err := out.Write(show(reports, breaks, texts)); err != nil {
		return err
	}
	if wrong := append(breaks, texts.errs()...); len(wrong) > 0 {
		return failed(errors.Join(wrong...))
	}
	return nil
}

func verifyPath(path string) ([]ledger.Report, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, unread(err, "callgate ledger path lists the ledgers that there are")
	}
	if info.IsDir() {
		return ledger.VerifyGroup(path)
	}
	r, err := ledger.Verify(path)
	if err != nil {
		return nil, err
	}
	return []ledger.Report{r}, nil
}

func verifyText(reports []ledger.Report, breaks []error, texts *textCheck) []byte {
	var b []byte
	lines := 0
	for _, r := range reports {
		lines += r.Lines
		b = fmt.Appendf(b, "%s: %s", oneLine(r.Path), plural.Of(r.Lines, "event"))
		if r.Last != "" {
			b = fmt.Appendf(b, ", last %s", r.Last[:12])
		}
		if r.Torn > 0 {
			b = fmt.Appendf(b, ", %s of a torn last line", plural.Of(r.Torn, "byte"))
		}
		if r.Alive {
			b = append(b, ", in use"...)
		}
		b = append(b, '\n')
	}
	b = fmt.Appendf(b, "%s, %s, %d broken\n", plural.Of(len(reports)+len(breaks), "file"), plural.Of(lines, "event"), len(breaks))
	return append(b, texts.summary()...)
}

func verifyJSON(reports []ledger.Report, breaks []error, texts *textCheck) []byte {
	var files, broken []abi.Value
	for _, r := range reports {
		files = append(files, object("path", r.Path, "server", r.Server, "id", r.ID, "lines", r.Lines, "first", r.First,
			"last", r.Last, "torn", r.Torn, "alive", r.Alive))
	}
	for _, err := range breaks {
		var b *ledger.Break
		if errors.As(err, &b) {
			broken = append(broken, object("path", b.Path, "line", b.Line, "offset", b.Offset, "found", b.Found, "want", b.Want, "mend", b.Mend))
		}
	}
	return jsonLine(object("ok", len(breaks)+len(texts.errs()) == 0, "files", abi.ArrayValue(files...), "breaks", abi.ArrayValue(broken...),
		"texts", texts.there, "lost", texts.value()))
}

func pathCmd(std stdio) *cobra.Command {
	var dir, server, group string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print the paths of ledger files, oldest first",
		Args:  wants(cobra.NoArgs, "name a directory with --ledger"),
		RunE: func(*cobra.Command, []string) error {
			dirs, err := groupDirs(dir)
			if err != nil {
				return err
			}
			if group != "" {
				if dir != "" {
					return errors.New("--group beside --ledger: a directory given by --ledger has no groups; name one of them")
				}
				states, err := ledger.StateDirs(os.Getenv)
				if err != nil {
					return err
				}
				dirs = slices.DeleteFunc(dirs, func(d string) bool {
					return !slices.ContainsFunc(states, func(state string) bool { return d == ledger.GroupDir(state, group) })
				})
			}
			files, err := ledgerFiles(dirs)
			if err != nil {
				return err
			}
			if server != "" {
				files = slices.DeleteFunc(files, func(f ledger.File) bool { return f.Server != server })
			}
			if len(files) == 0 && server == "" && group == "" {
				return noLedger(dirs)
			}
			if len(files) == 0 {
				return failed(errors.New("no ledger files of that kind; callgate ledger path without flags lists all"))
			}
			return paths(std.out, files, asJSON)
		},
	}
	ledgerDir(cmd, &dir)
	cmd.Flags().StringVar(&server, "server", "", "only files of this server")
	cmd.Flags().StringVar(&group, "group", "", "only files of this group")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each file")
	return cmd
}

func paths(out io.Writer, files []ledger.File, asJSON bool) error {
	var b []byte
	for _, f := range files {
		if asJSON {
			b = append(b, jsonLine(object("path", f.Path, "server", f.Server, "id", f.ID, "size", f.Size))...)
			continue
		}
		b = append(b, oneLine(f.Path)+"\n"...)
	}
	_, err := out.Write(b)
	return err
}
