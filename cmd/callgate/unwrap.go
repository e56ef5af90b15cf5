package main

import (
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/clients"
)

func unwrapCmd(std stdio) *cobra.Command {
	var c chosen
	var force bool
	cmd := &cobra.Command{
		Use:   "unwrap [flags] [CLIENT...]",
		Short: "Take callgate away from the servers that clients start",
		Long: "Restores the entries that `callgate wrap` edited, byte for byte. Where an entry was edited since, so that what\n" +
			"it was can not be restored, nothing is written; --force makes an entry of what follows -- then.",
		Example: "  callgate unwrap claude-desktop\n  callgate unwrap --all --dry-run",
		RunE: func(_ *cobra.Command, words []string) error {
			c.clients = words
			found, err := c.find()
			if err != nil {
				return err
			}
			if found == nil {
				return c.offer(std, "unwrap")
			}
			return c.edit(std, found, func(f clients.Found, data []byte, servers []string) ([]byte, []clients.Outcome, error) {
				return f.Unwrap(data, clients.UnwrapOptions{Servers: servers, Force: force})
			})
		},
	}
	c.add(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "make an entry of what follows -- where the original can not be restored")
	return cmd
}
