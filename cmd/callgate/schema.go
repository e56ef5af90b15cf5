package main

import (
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/policy"
)

func schemaCmd(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a policy file, for editors",
		Args:  wants(cobra.NoArgs, "it takes none"),
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(policy.Schema())
			return err
		},
	}
}
