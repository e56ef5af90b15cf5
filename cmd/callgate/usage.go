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

// policyWords are the policy files that a command names, as words or with --policy. Not
// both: the one named last is the highest layer, and which that is has to be seen.
func policyWords(cmd *cobra.Command, flagged, words []string) ([]string, error) {
	if len(flagged) > 0 && len(words) > 0 {
		return nil, fmt.Errorf("%s: %q beside --policy; name all policy files in one way", cmd.CommandPath(), words[0])
	}
	return append(flagged, words...), nil
}

// needPolicyWords is policyWords for a command that has no policy of its own.
func needPolicyWords(cmd *cobra.Command, flagged, words []string) ([]string, error) {
	if len(flagged)+len(words) == 0 {
		return nil, fmt.Errorf("%s: nothing named; name a policy file, such as %s policy.yaml", cmd.CommandPath(), cmd.CommandPath())
	}
	return policyWords(cmd, flagged, words)
}

// policyWordsFlag declares --policy for a command whose words name policies.
func policyWordsFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "policy", nil, "policy `FILE`, the same as one that is named without a flag; may be repeated")
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
