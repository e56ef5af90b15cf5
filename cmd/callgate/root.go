package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

// stdio is what a command reads from and writes to.
type stdio struct {
	in  io.ReadCloser
	out io.Writer
	err *os.File
}

// root is the command tree: one file per verb.
func root(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "callgate",
		Short:         "A deterministic policy host for MCP tool calls",
		Long:          "Callgate stands between an MCP client and an MCP server, relays what it need not touch byte for byte,\nand judges every call with contracts: of tools, resources, prompts, and what servers ask of clients. No model, no score and no network in the decision path.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          wantsVerb,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	cmd.SetOut(std.out)
	cmd.SetErr(std.err)
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.SetFlagErrorFunc(flagMistake)
	cmd.AddCommand(
		runCmd(std), evalCmd(std), checkCmd(std), lintCmd(std), testCmd(std), policyCmd(std), pluginCmd(std), schemaCmd(std), ledgerCmd(std), whyCmd(std),
		doctorCmd(std), attestCmd(std), reloadCmd(std), pendingCmd(std), approveCmd(std), denyCmd(std), contextCmd(std), wrapCmd(std), unwrapCmd(std), statusCmd(std), toolsCmd(std), demoCmd(std), benchCmd(std), gatewayCmd(std), versionCmd(std),
	)
	return cmd
}

// place is where relative and home paths start in this process.
func place() (abi.Place, error) {
	dir, err := os.Getwd()
	if err != nil {
		return abi.Place{}, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // a path below ~ is then undecidable, and refused
	}
	return abi.Place{Dir: dir, Home: home, Platform: runtime.GOOS}, nil
}

// readTools reads the SERVER=FILE pairs of --tools.
func readTools(pairs []string) (map[string][]abi.Value, error) {
	out := map[string][]abi.Value{}
	for _, pair := range pairs {
		server, file, ok := strings.Cut(pair, "=")
		if !ok || server == "" || file == "" {
			return nil, errors.New("--tools " + strconv.Quote(pair) + ": want SERVER=FILE")
		}
		if err := abi.CheckServerName(server); err != nil {
			return nil, errors.New("--tools " + strconv.Quote(pair) + ": " + err.Error())
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, unread(err, "name a file that holds the server's answer to tools/list")
		}
		list, err := toolList(data)
		if err != nil {
			return nil, errors.New("--tools " + strconv.Quote(file) + ": " + err.Error())
		}
		out[server] = append(out[server], list...)
	}
	return out, nil
}

// printable escapes what a terminal could act on, and what nobody could see.
// Line feeds and tabs stay.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || approval.Visible(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "{U+%04X}", r)
	}
	return b.String()
}
