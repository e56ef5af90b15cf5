package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// wants is a check of the words behind a command whose error says what was
// wanted: mend.
func wants(check cobra.PositionalArgs, mend string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, words []string) error {
		switch {
		case check(cmd, words) == nil:
			return nil
		case len(words) == 0:
			return fmt.Errorf("%s: nothing named; %s", cmd.CommandPath(), mend)
		}
		return fmt.Errorf("%s: unexpected argument %q; %s", cmd.CommandPath(), words[len(words)-1], mend)
	}
}

// wantsVerb refuses words behind a command that only has commands.
func wantsVerb(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	near := ""
	cmd.SuggestionsMinimumDistance = 2
	if s := cmd.SuggestionsFor(words[0]); len(s) > 0 {
		near = fmt.Sprintf("did you mean %q? ", s[0])
	}
	return fmt.Errorf("unknown command %q for %q; %s%s --help lists them", words[0], cmd.CommandPath(), near, cmd.CommandPath())
}

// flagMistake says where the flags of a command are listed.
func flagMistake(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w; %s --help lists the flags", err, cmd.CommandPath())
}

// serverFlagMistake is flagMistake for a command that is followed by another's.
func serverFlagMistake(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w; %s --help lists the flags, and the command of a server with its own goes behind --", err, cmd.CommandPath())
}

// unread says which file cannot be read, and the mend.
func unread(err error, mend string) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%q: %w; %s", p.Path, p.Err, mend)
	}
	return err
}

// plainJSON is an error of the JSON reader without the name of its package.
func plainJSON(err error) string {
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}
