package main

import (
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/policy"
)

func schemaCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a policy file, for editors",
		Long:  "Prints the JSON Schema of a policy file. callgate schema gateway prints that of the configuration of a gateway.",
		Args:  wantsVerb,
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(policy.Schema())
			return err
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "gateway",
		Short: "Print the JSON Schema of the configuration of a gateway",
		Args:  wants(cobra.NoArgs, "it takes none"),
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(policy.GatewaySchema())
			return err
		},
	})
	return cmd
}
