package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func trustRemoveCmd(std stdio) *cobra.Command {
	var file string
	var drop, asJSON bool
	var scopes []string
	cmd := &cobra.Command{
		Use:   "rm [NAME|DIGEST...]",
		Short: "Trust keys no more, take out scopes, or take back that digests are revoked",
		Long: "Takes keys out of the trust file, and out of its scopes. Where a scope would be left with fewer keys than have to sign,\n" +
			"nothing is done, unless --drop-scopes takes out such scopes, too: what then holds for their plugins is printed. --scope\n" +
			"takes out a scope and leaves its keys. A digest, sha256:..., is revoked no more.",
		RunE: func(_ *cobra.Command, words []string) error {
			if len(words)+len(scopes) == 0 {
				return errors.New("callgate plugin trust rm: name one or more keys, digests that are revoked, or a --scope")
			}
			return editTrust(std, file, asJSON, func(t *bundle.Trust) (string, []string, error) {
				var names []string
				for _, w := range words {
					if !strings.Contains(w, ":") {
						names = append(names, w)
					} else if err := t.Unrevoke(w); err != nil {
						return "", nil, err
					}
				}
				var notes []string
				for _, match := range scopes {
					note, err := t.Forget(match)
					if err != nil {
						return "", nil, err
					}
					notes = append(notes, note)
				}
				more, err := t.Drop(names, drop)
				return "taken out: " + strings.Join(append(scopes, words...), ", "), append(notes, more...), err
			})
		},
	}
	trustFlag(cmd, &file)
	cmd.Flags().StringArrayVar(&scopes, "scope", nil, "take out this `SCOPE`, as trust ls lists it; may be repeated")
	cmd.Flags().BoolVar(&drop, "drop-scopes", false, "take out as well the scopes that would have too few keys")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
