package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func trustPlainCmd(std stdio) *cobra.Command {
	var file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plain refuse|allow",
		Short: "Say whether policies may name modules that came in no bundle, which nobody has to have signed",
		Long: "With refuse, no policy loads whose use: names the file of a module: only bundles are served, which somebody signed whom the\n" +
			"trust file trusts. allow takes that back. build, run, test, check and bench of a module are not concerned.",
		Args: wants(cobra.ExactArgs(1), "say refuse or allow"),
		RunE: func(_ *cobra.Command, words []string) error {
			refuse := words[0] == "refuse"
			if !refuse && words[0] != "allow" {
				return fmt.Errorf("callgate plugin trust plain: %q: want refuse or allow", words[0])
			}
			return editTrust(std, file, asJSON, func(t *bundle.Trust) (string, []string, error) {
				err := t.Plain(refuse)
				if !refuse {
					return "plain modules are served as the policy names them", nil, err
				}
				return plainRefused, nil, err
			})
		},
	}
	trustFlag(cmd, &file)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

const plainRefused = "plain modules are refused: policies serve signed bundles only"
