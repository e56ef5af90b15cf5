package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/facts"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
)

func attestCmd(std stdio) *cobra.Command {
	var server, entries string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "attest [flags] COMMAND [ARGS...]",
		Short: "Print what a policy says so that nothing but COMMAND is launched as a server",
		Long: "Measures the program, all its arguments, and the files that arguments name, and prints the entry for servers: of a policy.\n" +
			"Name the command as the client's configuration does, and run it in the directory that the client starts servers in.\n" +
			"Other files that the program reads are not measured.",
		Example: "  callgate attest --server mail -- node /opt/mail/server.js",
		Args:    wants(cobra.MinimumNArgs(1), "name the command of a server behind --, such as callgate attest -- node server.js"),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := entryArgs(entries, args)
			if err != nil {
				return err
			}
			if server == "" {
				server = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
			}
			return attest(std, server, args, set, asJSON)
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the command belongs to it
	cmd.Flags().StringVar(&server, "server", "", "the name that policies know the server by (default: the base name of COMMAND)")
	cmd.Flags().StringVar(&entries, "entry-args", "", "the arguments that are files whose content counts, such as 0,2, where 0 is the first behind the program; none (default: all that name a file)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// entryArgs reads which arguments are files; those that are one if nothing says
// it.
func entryArgs(said string, command []string) ([]int, error) {
	var set []int
	switch said {
	case "none":
		return set, nil
	case "":
		for i, arg := range command[1:] {
			if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
				set = append(set, i)
			}
		}
		return set, nil
	}
	for _, word := range strings.Split(said, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 || slices.Contains(set, n) {
			return nil, fmt.Errorf("--entry-args: %q is no argument; want none, or distinct numbers from 0 on, such as 0,2", word)
		}
		set = append(set, n)
	}
	slices.Sort(set)
	return set, nil
}

func attest(std stdio, server string, command []string, set []int, asJSON bool) error {
	if why := facts.Unpinnable(command); why != "" {
		return fmt.Errorf("callgate attest: %s", why)
	}
	launch, err := facts.Measure(facts.Command{Argv: command}, [][]int{set})
	if err != nil {
		return fmt.Errorf("callgate attest: %w", err)
	}
	defer launch.Close()
	sum := launch.Sums()[0]
	if asJSON {
		args := make([]abi.Value, len(set))
		for i, n := range set {
			args[i] = abi.IntValue(int64(n))
		}
		files := make([]abi.Value, len(launch.Files()))
		for i, f := range launch.Files() {
			files[i] = abi.StringValue(f)
		}
		_, err := std.out.Write(jsonLine(object("server", server, "sha256", sum, "entry_args", abi.ArrayValue(args...), "files", abi.ArrayValue(files...))))
		return err
	}
	var b strings.Builder
	for _, f := range launch.Files() {
		b.WriteString("# measured: " + oneLine(f) + "\n")
	}
	fmt.Fprintf(&b, "servers:\n  %s:\n    attest: {sha256: %q", yamlName(server), sum)
	if len(set) > 0 {
		fmt.Fprintf(&b, ", entry_args: [%s]", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(set)), ", "), "[]"))
	}
	b.WriteString("}\n")
	_, err = std.out.Write([]byte(b.String()))
	return err
}

// yamlName is a name as a key, in quotes where it could be anything but text.
func yamlName(s string) string {
	for _, r := range s {
		if (r < 'a' || r > 'z') && r != '-' && r != '_' {
			return strconv.QuoteToASCII(s)
		}
	}
	if slices.Contains([]string{"", "y", "n", "yes", "no", "on", "off", "true", "false", "null"}, s) || strings.HasPrefix(s, "-") {
		return strconv.QuoteToASCII(s)
	}
	return s
}

// attestable says why what the policy says may be launched as a server can not
// be held to.
func attestable(p *policy.Policy, server string, command []string, remote bool) error {
	for _, a := range p.Attests(server) {
		if remote {
			return fmt.Errorf("%s: the server is at a URL, and nothing is launched; remove the entry", a.Rule)
		}
		if why := facts.Unpinnable(command); why != "" {
			return fmt.Errorf("%s: %w", a.Rule, errors.New(why))
		}
		for _, n := range a.EntryArgs {
			if n >= len(command)-1 {
				return fmt.Errorf("%s: entry_args names argument %d, and the command has %d behind the program; print the entry with callgate attest", a.Rule, n, len(command)-1)
			}
		}
	}
	return nil
}

// attestation is what a policy says may be launched as a server.
func attestation(p *policy.Policy, server string) proxy.Attest {
	return proxy.Attest{Server: server, Want: p.Attests(server), Enforce: p.Settings().Mode != policy.ModeObserve}
}
