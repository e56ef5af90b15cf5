package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/plugin"
)

func pluginNewCmd(std stdio) *cobra.Command {
	var lang, dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "new [--lang LANG] NAME",
		Short: "Make a folder with a plugin that builds and passes its cases",
		Long: "Makes a folder called by the last part of NAME: a plugin, its manifest, cases, a test, a page, a license to fill in, and\n" +
			"the SDK of the language, so that nothing is downloaded to build it, but for the compiler of AssemblyScript. It is the same\n" +
			"plugin in every language, with the same cases. README.md in it says what to install.",
		Args: wants(cobra.ExactArgs(1), "name the plugin, such as callgate plugin new acme/no-exfil"),
		RunE: func(_ *cobra.Command, words []string) error {
			files, err := plugin.New(lang, words[0])
			if err != nil {
				return fmt.Errorf("callgate plugin new: %w", err)
			}
			to := dir
			if to == "" {
				to = path.Base(words[0])
			}
			if err := plugin.Create(to, files); err != nil {
				return unread(err, "choose a folder that can be written to with --dir")
			}
			text := []byte(oneLine(to) + ": a plugin with its cases; README.md says what it takes; next\n" +
				"  cd " + shellWord(oneLine(to)) + "\n" + first(lang) + "  callgate plugin build\n  callgate plugin test\n  callgate plugin check\n")
			if asJSON {
				names := make([]string, len(files))
				for i, f := range files {
					names[i] = f.Name
				}
				text = jsonLine(object("name", words[0], "lang", lang, "dir", to, "files", stringsOf(names)))
			}
			_, err = std.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&lang, "lang", "go", "the `LANGUAGE`: "+strings.Join(plugin.Langs, ", "))
	cmd.Flags().StringVar(&dir, "dir", "", "the `FOLDER`, instead of one by the plugin's name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// first is what has to be run once before a new plugin is built.
func first(lang string) string {
	if lang == "assemblyscript" {
		return "  npm ci --ignore-scripts\n"
	}
	return ""
}

// shellWord is a text as a word that a shell takes for itself, and a command for no
// option.
func shellWord(text string) string {
	if strings.HasPrefix(text, "-") {
		text = "./" + text
	}
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-/+,:@%", c)
	}
	if text != "" && !strings.ContainsFunc(text, func(c rune) bool { return !plain(c) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
