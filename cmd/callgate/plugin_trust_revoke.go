package main

import (
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func trustRevokeCmd(std stdio) *cobra.Command {
	var file, reason string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "revoke DIGEST --why TEXT",
		Short: "Refuse a bundle or a module from now on, whoever signed it",
		Long: "DIGEST is that of a bundle, or of a module with its manifest or without, as callgate plugin verify and inspect print them:\n" +
			"the one of the module refuses it in whatever bundle it comes.",
		Args: wants(cobra.ExactArgs(1), "name one digest, sha256:..."),
		RunE: func(_ *cobra.Command, words []string) error {
			return editTrust(std, file, asJSON, func(t *bundle.Trust) (string, []string, error) {
				return "revoked: " + words[0], nil, t.Revoke(words[0], reason)
			})
		},
	}
	trustFlag(cmd, &file)
	cmd.Flags().StringVar(&reason, "why", "", "the reason, a `TEXT` that is shown to those who meet it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
