package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func trustRequireCmd(std stdio) *cobra.Command {
	var file string
	var lower, asJSON bool
	cmd := &cobra.Command{
		Use:   "require NAME VERSION",
		Short: "Refuse versions of a plugin that are older",
		Long: "NAME is the plugin's name in full, such as acme/no-exfil. An older VERSION than the one that is asked for already needs\n" +
			"--lower.",
		Args: wants(cobra.ExactArgs(2), "name a plugin and a version, such as acme/no-exfil 1.2.0"),
		RunE: func(_ *cobra.Command, words []string) error {
			return editTrust(std, file, asJSON, func(t *bundle.Trust) (string, []string, error) {
				before, err := t.Require(words[0], words[1], lower)
				if errors.Is(err, bundle.ErrUnchanged) {
					return fmt.Sprintf("%s has to be %s or newer", words[0], words[1]), nil, err
				}
				return fmt.Sprintf("%s has to be %s or newer; before: %s", words[0], words[1], cmp.Or(before, "any version")), nil, err
			})
		},
	}
	trustFlag(cmd, &file)
	cmd.Flags().BoolVar(&lower, "lower", false, "take older versions again")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
