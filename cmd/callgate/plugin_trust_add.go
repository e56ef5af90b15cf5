package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func trustAddCmd(std stdio) *cobra.Command {
	var file, expires, note string
	var scopes []string
	var threshold int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "add NAME KEY --scope SCOPE",
		Short: "Trust a key with the plugins of a scope",
		Long: "KEY is a public key of minisign, which begins with RW, or its file. NAME is what you call it. SCOPE is acme/ for all plugins\n" +
			"below it, or the whole name of one; the nearest scope alone decides about a plugin. A key that is there already gets more\n" +
			"scopes, another day or another note; where the file says all of it, nothing changes. What follows for scopes that are there is printed.",
		Args: wants(cobra.ExactArgs(2), "say callgate plugin trust add NAME KEY --scope SCOPE"),
		RunE: func(cmd *cobra.Command, words []string) error {
			key, err := readPublicKey(words[1])
			if err != nil {
				return fmt.Errorf("%q: %w", words[1], err)
			}
			g := bundle.Grant{Name: words[0], Public: key, Scopes: scopes, Threshold: threshold}
			if cmd.Flags().Changed("threshold") && (threshold < 1 || len(scopes) == 0) {
				return fmt.Errorf("--threshold %d: want how many keys have to sign, 1 or more, and the scope with --scope", threshold)
			}
			if cmd.Flags().Changed("note") {
				g.Note = &note
			}
			now := time.Now()
			if cmd.Flags().Changed("expires") {
				if g.Expires, err = dayToCome(expires, now); err != nil {
					return err
				}
			}
			return editTrust(std, file, asJSON, func(t *bundle.Trust) (string, []string, error) { return grant(t, g, now) })
		},
	}
	trustFlag(cmd, &file)
	cmd.Flags().StringArrayVar(&scopes, "scope", nil, "the `SCOPE` that the key may sign: acme/, or acme/no-exfil; may be repeated")
	cmd.Flags().StringVar(&expires, "expires", "", "the `DAY`, such as 2028-01-31, from whose start in UTC its signatures do not count")
	cmd.Flags().IntVar(&threshold, "threshold", 0, "the `NUMBER` of different keys of the scope that have to sign, up to all of them and up to 16; 1 for a new scope")
	cmd.Flags().StringVar(&note, "note", "", "`TEXT` to remember the key by")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// grant adds a key, and says what its scopes are then.
func grant(t *bundle.Trust, g bundle.Grant, now time.Time) (done string, notes []string, err error) {
	if notes, err = t.Grant(g); err != nil && !errors.Is(err, bundle.ErrUnchanged) {
		return "", nil, err
	}
	done = g.Name + "  key " + bundle.KeyID(g.Public.ID())
	for _, match := range slices.Compact(slices.Sorted(slices.Values(g.Scopes))) {
		done += "  " + match + " signed by " + signedBy(t.Scopes[match])
	}
	for _, match := range slices.Sorted(maps.Keys(t.Scopes)) {
		if unmet := t.Unmet(match, now); unmet != "" && slices.Contains(t.Scopes[match].Keys, g.Name) {
			notes = append(notes, unmet)
		}
	}
	return done, notes, err
}

// dayToCome reads a day that has not begun.
func dayToCome(text string, now time.Time) (*time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--expires %q: no day; want one like 2028-01-31", text)
	case !now.Before(day):
		return nil, fmt.Errorf("--expires %q: that day has begun, so no signature would count; state one to come", text)
	}
	return &day, nil
}
