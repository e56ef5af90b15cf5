package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
)

func pluginPushCmd(std stdio) *cobra.Command {
	var plain, move, asJSON bool
	cmd := &cobra.Command{
		Use:   "push BUNDLE oci://REGISTRY/REPOSITORY:TAG",
		Short: "Put a bundle and its signatures into a registry",
		Long: "The signatures that lie beside BUNDLE go along and refer to it; pushing again adds those that were made since. The same bundle\n" +
			"is the same artifact everywhere: its digests do not change. A tag that names something else is left there, unless --move is\n" +
			"given. Logins are those of docker login, with its helpers.",
		Args: wants(cobra.ExactArgs(2), "name a bundle, and a reference such as oci://ghcr.io/acme/no-exfil:1.2.0"),
		RunE: func(cmd *cobra.Command, words []string) error {
			ref, err := remoteRef(words[1])
			if err != nil {
				return err
			}
			data, signatures, err := bundle.ReadSigned(words[0])
			if err != nil {
				return unread(err, "name a bundle, which callgate plugin pack makes")
			}
			b, err := bundle.Open(data)
			if err != nil {
				return failed(fmt.Errorf("%q: %w", words[0], err))
			}
			texts := make([][]byte, len(signatures))
			for i, s := range signatures {
				if _, err := b.IsSignedBy(s.Text); err != nil {
					return failed(fmt.Errorf("%q: %w", s.Name, err))
				}
				texts[i] = s.Text
			}
			c, err := oci.Connect(ref, oci.Options{PlainHTTP: plain})
			if err != nil {
				return err
			}
			p, err := c.Push(cmd.Context(), b, texts, move)
			if err != nil {
				return err
			}
			show := pushedText
			if asJSON {
				show = pushedJSON
			}
			_, err = std.out.Write(show(ref, b, p))
			return err
		},
	}
	cmd.Flags().BoolVar(&move, "move", false, "let the tag name this bundle, whatever it names now")
	plainFlag(cmd, &plain)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func pushedText(ref bundle.Ref, b *bundle.Bundle, p *oci.Pushed) []byte {
	out := fmt.Appendf(nil, "pushed  %s  %s\n", oneLine(ref.Text), oneLine(b.About.Name+" "+b.About.Version))
	if p.Was != "" && p.Was != p.Manifest {
		out = fmt.Appendf(out, "  manifest  %s → %s\n", oneLine(p.Was), p.Manifest)
	} else {
		out = fmt.Appendf(out, "  manifest  %s\n", p.Manifest)
	}
	out = fmt.Appendf(out, "  bundle    %s\n", b.Digest)
	if len(p.Keys) == 0 {
		return append(out, "  no signature lies beside it: unless the registry has one already, nobody can pull it before it is signed, with callgate plugin sign, and pushed again\n"...)
	}
	return fmt.Appendf(out, "  signed    by %s\n", strings.Join(p.Keys, ", "))
}

func pushedJSON(ref bundle.Ref, b *bundle.Bundle, p *oci.Pushed) []byte {
	var was abi.Value
	if p.Was != "" {
		was = abi.StringValue(p.Was)
	}
	return jsonLine(object("ref", ref.Text, "name", b.About.Name, "version", b.About.Version, "manifest", p.Manifest, "was", was, "bundle", b.Digest,
		"key_ids", stringsOf(p.Keys), "signatures", stringsOf(p.Signatures)))
}
