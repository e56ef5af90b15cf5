package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func trustRemoveCmd(std stdio) *cobra.Command {
	var file string
	var drop, asJSON bool
	cmd := &cobra.Command{
		Use:   "rm NAME|DIGEST...",
		Short: "Trust keys no more, or take back that digests are revoked",
		Long: "Takes keys out of the trust file, and out of its scopes. Where a scope would be left with fewer keys than have to sign,\n" +
			"nothing is done, unless --drop-scopes takes out such scopes, too: what then holds for their plugins is printed. A digest,\n" +
			"sha256:…, is revoked no more.",
		Args: wants(cobra.MinimumNArgs(1), "name one or more keys, or digests that are revoked"),
		RunE: func(_ *cobra.Command, words []string) error {
			return editTrust(std, file, asJSON, func(t *bundle.Trust) (string, []string, error) {
				var names []string
				for _, w := range words {
					if !strings.Contains(w, ":") {
						names = append(names, w)
					} else if err := t.Unrevoke(w); err != nil {
						return "", nil, err
					}
				}
				notes, err := t.Drop(names, drop)
				return "taken out: " + strings.Join(words, ", "), notes, err
			})
		},
	}
	trustFlag(cmd, &file)
	cmd.Flags().BoolVar(&drop, "drop-scopes", false, "take out as well the scopes that would have too few keys")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
