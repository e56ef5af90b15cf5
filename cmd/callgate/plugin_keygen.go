package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func pluginKeygenCmd(std stdio) *cobra.Command {
	var name string
	var unencrypted, asJSON bool
	cmd := &cobra.Command{
		Use:   "keygen [-o NAME]",
		Short: "Make a pair of keys to sign bundles with",
		Long: "Writes NAME" + bundle.SecretSuffix + ", the secret key, which you alone may read, and NAME" + bundle.PublicSuffix + ", the public key. No file is overwritten. The secret key is\n" +
			"encrypted with a password, which is asked for twice on the terminal, or is a line of the standard input where there is\n" +
			"none. Both are files of minisign, which can use them.",
		Args: wants(cobra.NoArgs, "name the key with -o"),
		RunE: func(*cobra.Command, []string) error { return pluginKeygen(std, name, unencrypted, asJSON) },
	}
	cmd.Flags().StringVarP(&name, "output", "o", "callgate", "`NAME` of the files")
	cmd.Flags().BoolVar(&unencrypted, "unencrypted", false, "ask for no password: whoever reads the secret key can sign")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func pluginKeygen(std stdio, name string, unencrypted, asJSON bool) error {
	if err := bundle.CanWriteKey(name); err != nil {
		return unread(err, "choose another name with -o")
	}
	password := ""
	if !unencrypted {
		var err error
		if password, err = askPassword(std, "the new key", true); err != nil {
			return fmt.Errorf("callgate plugin keygen: %w; say --unencrypted for a key without one", err)
		}
	}
	public, secret, err := bundle.NewKey(password)
	if err != nil {
		return err
	}
	key, err := bundle.ParsePublicKey(public)
	if err != nil {
		return err
	}
	if err := bundle.WriteKey(name, public, secret); err != nil {
		return unread(err, "choose another name with -o")
	}
	how := "encrypted"
	if unencrypted {
		how = "NOT encrypted"
	}
	text := fmt.Appendf(nil, "%s  the secret key, %s: keep it to yourself, and keep a copy\n%s  the public key, for those who trust you\nkey  %s\n%s\n",
		oneLine(name+bundle.SecretSuffix), how, oneLine(name+bundle.PublicSuffix), bundle.KeyID(key.ID()), key.String())
	if asJSON {
		text = jsonLine(object("secret", name+bundle.SecretSuffix, "public", name+bundle.PublicSuffix, "id", bundle.KeyID(key.ID()), "key", key.String(), "encrypted", !unencrypted))
	}
	_, err = std.out.Write(text)
	return err
}
