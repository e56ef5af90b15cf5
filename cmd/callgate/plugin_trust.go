package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func pluginTrustCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Say whose plugins may be used: keys, scopes, oldest versions, revoked digests, plain modules",
		Long: "The trust file, " + bundle.TrustFile + " in the directory of state or the one that --trust names, says who may sign which plugins.\n" +
			"Nobody is trusted whom it does not name. docs/distribution.md has its form.",
		Args: wantsVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(trustAddCmd(std), trustRemoveCmd(std), trustListCmd(std), trustRevokeCmd(std), trustRequireCmd(std), trustPlainCmd(std))
	return cmd
}

// editTrust changes the trust file. notes are what follows from it, done what was
// done. What the file says already is no error: whoever sets up machines says it
// again.
func editTrust(std stdio, named string, asJSON bool, change func(*bundle.Trust) (done string, notes []string, err error)) error {
	path, err := trustPath(named)
	if err != nil {
		return err
	}
	var done string
	var notes []string
	var refused error
	err = bundle.EditTrust(path, func(t *bundle.Trust) error {
		done, notes, refused = change(t)
		return refused
	})
	same := errors.Is(refused, bundle.ErrUnchanged)
	switch {
	case same:
	case refused != nil:
		return failed(fmt.Errorf("%s stays as it was: %w", path, refused))
	case err != nil:
		return unread(err, "name another trust file with --trust")
	}
	text := fmt.Appendf(nil, "%s\n", oneLine(done))
	if same {
		text = fmt.Appendf(nil, "there already: %s\n", oneLine(done))
	}
	for _, n := range notes {
		text = fmt.Appendf(text, "note: %s\n", oneLine(n))
	}
	if asJSON {
		text = jsonLine(object("file", path, "changed", !same, "done", done, "notes", stringsOf(notes)))
	}
	_, err = std.out.Write(text)
	return err
}
