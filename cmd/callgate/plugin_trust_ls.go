package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/plural"
)

func trustListCmd(std stdio) *cobra.Command {
	var file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List whom the trust file trusts, and with what",
		Args:  wants(cobra.NoArgs, "it takes none; name another trust file with --trust"),
		RunE: func(*cobra.Command, []string) error {
			t, hint, err := readTrust(file)
			if err != nil {
				return err
			}
			text := trustText(t, hint, time.Now())
			if asJSON {
				text = trustJSON(t, time.Now())
			}
			_, err = std.out.Write(text)
			return err
		},
	}
	trustFlag(cmd, &file)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func trustText(t *bundle.Trust, hint string, now time.Time) (b []byte) {
	for _, name := range slices.Sorted(maps.Keys(t.Keys)) {
		k := t.Keys[name]
		b = fmt.Appendf(b, "key %s  %s\n    %s\n", oneLine(name), bundle.KeyID(k.Public.ID()), k.Public)
		switch {
		case k.Expires.IsZero():
		case expired(k, now):
			b = fmt.Appendf(b, "    EXPIRED on %s\n", k.Expires.Format(time.DateOnly))
		default:
			b = fmt.Appendf(b, "    expires on %s\n", k.Expires.Format(time.DateOnly))
		}
		if k.Note != "" {
			b = fmt.Appendf(b, "    note: %s\n", oneLine(k.Note))
		}
	}
	for _, match := range slices.Sorted(maps.Keys(t.Scopes)) {
		b = fmt.Appendf(b, "scope %s  signed by %s\n", oneLine(match), signedBy(t.Scopes[match]))
		if unmet := t.Unmet(match, now); unmet != "" {
			b = fmt.Appendf(b, "    TOO FEW: %s\n", oneLine(strings.TrimPrefix(unmet, fmt.Sprintf("scope %q: ", match))))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.MinVersions)) {
		b = fmt.Appendf(b, "require %s %s or newer\n", oneLine(name), oneLine(t.MinVersions[name]))
	}
	for _, digest := range slices.Sorted(maps.Keys(t.Revoked)) {
		b = fmt.Appendf(b, "revoked %s\n    why: %s\n", digest, oneLine(t.Revoked[digest]))
	}
	if t.RefusePlain {
		b = fmt.Appendf(b, "%s\n", plainRefused)
	}
	if hint != "" {
		b = fmt.Appendf(b, "%s\n", oneLine(hint))
	}
	return fmt.Appendf(b, "%s, %s, %d revoked\n", plural.Of(len(t.Keys), "key"), plural.Of(len(t.Scopes), "scope"), len(t.Revoked))
}

// signedBy says how many of which keys have to sign.
func signedBy(s bundle.Scope) string {
	return fmt.Sprintf("%d of %s", max(s.Threshold, 1), strings.Join(slices.Sorted(slices.Values(s.Keys)), ", "))
}

func expired(k bundle.Key, now time.Time) bool { return !k.Expires.IsZero() && !now.Before(k.Expires) }

func trustJSON(t *bundle.Trust, now time.Time) []byte {
	var keys, scopes, versions, revoked []abi.Value
	for _, name := range slices.Sorted(maps.Keys(t.Keys)) {
		k := t.Keys[name]
		day := abi.Value{}
		if !k.Expires.IsZero() {
			day = abi.StringValue(k.Expires.Format(time.DateOnly))
		}
		keys = append(keys, object("name", name, "id", bundle.KeyID(k.Public.ID()), "minisign", k.Public.String(), "expires", day, "expired", expired(k, now), "note", stated(k.Note)))
	}
	for _, match := range slices.Sorted(maps.Keys(t.Scopes)) {
		s := t.Scopes[match]
		scopes = append(scopes, object("scope", match, "keys", stringsOf(slices.Sorted(slices.Values(s.Keys))), "threshold", max(s.Threshold, 1), "unmet", stated(t.Unmet(match, now))))
	}
	for _, name := range slices.Sorted(maps.Keys(t.MinVersions)) {
		versions = append(versions, object("name", name, "version", t.MinVersions[name]))
	}
	for _, digest := range slices.Sorted(maps.Keys(t.Revoked)) {
		revoked = append(revoked, object("digest", digest, "why", t.Revoked[digest]))
	}
	return jsonLine(object("keys", abi.ArrayValue(keys...), "scopes", abi.ArrayValue(scopes...), "min_versions", abi.ArrayValue(versions...), "revoked", abi.ArrayValue(revoked...), "plain_refused", t.RefusePlain))
}
