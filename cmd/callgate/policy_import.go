package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

type policyImportFlags struct{ from, out, zone, cases string }

func policyImportCmd(std stdio) *cobra.Command {
	var f policyImportFlags
	formats := strings.Join(policy.ImportFormats(), "|")
	cmd := &cobra.Command{
		Use:   "import --from " + formats + " FILE [-o OUT]",
		Short: "Translate the policy of another product",
		Long: "Translates a policy of Bouncer or MCP Visor. What has no exact translation is an error with its line in FILE, and\n" +
			"nothing is written then; what the other product does where its file says nothing is written out. docs/migrate-bouncer.md\n" +
			"and docs/migrate-visor.md show each key beside its translation, and where the translation is the stricter one.",
		Example: "  callgate policy import --from bouncer bouncer.yaml -o policy.yaml",
		Args:    wants(cobra.ExactArgs(1), "name the file to translate"),
		RunE:    func(_ *cobra.Command, args []string) error { return policyImport(std, f, args[0]) },
	}
	cmd.Flags().StringVar(&f.from, "from", "", "format of FILE: "+strings.Join(policy.ImportFormats(), " or "))
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "file to write, which must not exist (default: standard output)")
	cmd.Flags().StringVar(&f.zone, "zone", "", "time zone that times without one are of, such as Europe/Berlin")
	cmd.Flags().StringVar(&f.cases, "cases", "", "file to write, with a case for each entry of redact:; it must not exist, and wants -o")
	return cmd
}

func policyImport(std stdio, f policyImportFlags, name string) error {
	if f.from == "" {
		return errors.New("no format; name it with --from " + strings.Join(policy.ImportFormats(), " or --from "))
	}
	if f.cases != "" && f.out == "" {
		return errors.New("--cases is about a policy in a file; name that with -o")
	}
	for _, name := range []string{f.out, f.cases} {
		if name == "" {
			continue
		}
		if err := vacant(name); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return unread(err, "name a readable policy file")
	}
	path, err := draftPath(f.out, "policy.yaml")
	if err != nil {
		return err
	}
	text, err := policy.Import(data, policy.ImportOptions{
		From: f.from, Name: name, Dir: filepath.ToSlash(filepath.Dir(path)), Zone: f.zone, Specs: builtin.Table(),
	})
	if err != nil {
		return err
	}
	if err := checkDraft(path, text, nil); err != nil {
		return err
	}
	if err := put(std.out, f.out, text); err != nil {
		return err
	}
	if f.cases != "" {
		if err := importCases(std, f.cases, path, text); err != nil {
			return err
		}
	}
	if f.out != "" {
		_, err = fmt.Fprintf(std.err, "%q is written; read it, and try it with callgate lint and callgate check\n", f.out)
	}
	return err
}
