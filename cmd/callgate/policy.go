package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

func policyCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Write a policy from the servers of a client, from what a session did, or from another product's",
		Args:  wantsVerb,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(policyNewCmd(std), policySuggestCmd(std), policyImportCmd(std))
	return cmd
}

// vacant says why a file can not be written, as far as it can be told before
// there is anything to write.
func vacant(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%q exists; name another file with -o, or move that one away", path)
	case !errors.Is(err, fs.ErrNotExist):
		return unread(err, "name a file that can be written")
	}
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return vacant(path)
	}
	if err != nil {
		return unread(err, "name a file that can be written")
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half a policy is none
	}
	return nil
}

// draftPath is where a draft will stand, absolute: the file that is named, else
// one in the working directory, where a redirection most likely puts it.
func draftPath(named, otherwise string) (string, error) {
	if named == "" {
		named = otherwise
	}
	return filepath.Abs(named)
}

// checkDraft loads a draft as the file that it will be and types it against the
// lists that it was made from.
func checkDraft(path string, data []byte, tools map[string][]abi.Value) error {
	p, err := policy.Load(policy.Options{Files: []string{path}, Specs: builtin.Table(), Read: func(name string) ([]byte, error) {
		if name != path {
			return nil, fs.ErrNotExist
		}
		return data, nil
	}})
	if err != nil {
		return fmt.Errorf("the draft does not load; report it: %w", err)
	}
	c := &checker{policy: p, tools: tools, seen: map[string]bool{}}
	c.servers()
	for _, server := range sortedKeys(tools) {
		c.server(server)
	}
	var errs []error
	for _, x := range c.found {
		if x.fault {
			errs = append(errs, errors.New(strings.Join([]string{x.code, x.rule, x.text}, ": ")))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("the draft does not pass check; report it: %w", errors.Join(errs...))
	}
	return nil
}

// put writes a draft to its file, or to standard output.
func put(out io.Writer, path string, data []byte) error {
	if path == "" {
		_, err := out.Write(data)
		return err
	}
	return writeNew(path, data)
}
