package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// benchFlags say what is measured.
type benchFlags struct {
	policyFlags
	json                           bool
	calls, rounds                  int
	server, tool, arguments, where string
}

func benchCmd(std stdio) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [flags] [-- COMMAND ARGS...]",
		Short: "Measure what Callgate adds to a tool call",
		Long: "Measures, in one alternating run: the server directly, a bare relay of whole lines, the same relay with one fsync for\n" +
			"each line of the client, Callgate, and Callgate with a ledger in memory, which no other command can have. All numbers are\n" +
			"medians over rounds; ratios are medians of the ratios within a round. The targets are shown, not enforced.\n" +
			"COMMAND is a stdio server to measure instead of the built-in one. It is called many times.",
		Example: "  callgate bench\n  callgate bench --tool list_allowed_directories -- npx -y @modelcontextprotocol/server-filesystem .",
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBench(cmd.Context(), std, f, args)
		},
	}
	f.add(cmd)
	cmd.SetFlagErrorFunc(serverFlagMistake)
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print everything that was measured as JSON")
	flags.IntVar(&f.calls, "calls", 500, "calls for each path, measurement and round")
	flags.IntVar(&f.rounds, "rounds", 7, "rounds")
	flags.StringVar(&f.server, "server", "", "the name that policies know the server by (default: the base name of COMMAND)")
	flags.StringVar(&f.tool, "tool", "", "tool of COMMAND to call (default: the first read-only one without required arguments)")
	flags.StringVar(&f.arguments, "arguments", "{}", "arguments of --tool, as JSON")
	flags.StringVar(&f.where, "dir", "", "directory to keep ledgers in meanwhile (default: the state directory, where real ones are)")
	cmd.AddCommand(benchUpstreamCmd(std), benchRelayCmd(std), benchGateCmd(std))
	return cmd
}

func runBench(ctx context.Context, std stdio, f benchFlags, command []string) error {
	b, err := newBench(f, command)
	if err != nil {
		return err
	}
	// Who ends it has what it started ended, and its folder removed.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	b.dir, err = benchDir(f.where)
	if err != nil {
		return err
	}
	report, err := b.run(ctx)
	if err := errors.Join(err, os.RemoveAll(b.dir)); err != nil {
		return err
	}
	if f.json {
		return report.writeJSON(std.out)
	}
	return report.writeTable(std.out)
}

// bench is one run of the measurements.
type bench struct {
	f         benchFlags
	self      string
	upstream  []string
	builtin   bool // the upstream is ours
	dir       string
	tool      string
	arguments string
	files     int // made so far in dir
}

func newBench(f benchFlags, command []string) (*bench, error) {
	if f.calls < 1 || f.rounds < 1 {
		return nil, fmt.Errorf("--calls %d --rounds %d: want at least one of each", f.calls, f.rounds)
	}
	if v, err := abi.Parse([]byte(f.arguments)); err != nil || v.Kind() != abi.Object || strings.ContainsAny(f.arguments, "\r\n") {
		return nil, fmt.Errorf("--arguments %q: want one JSON object on one line", f.arguments)
	}
	// A policy that does not load would end every gate before its first answer.
	if _, err := f.loadRun(false); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &bench{f: f, self: self, upstream: command, tool: f.tool, arguments: f.arguments}
	if len(command) == 0 {
		if f.tool != "" {
			return nil, fmt.Errorf("--tool %q: name the server that has it, after --", f.tool)
		}
		b.builtin, b.upstream, b.tool, b.arguments = true, []string{self, "bench", "upstream"}, benchEcho, benchArguments
	}
	if err := startable(b.upstream[0], policy.Server{}); err != nil {
		return nil, err
	}
	if b.f.server == "" {
		b.f.server = strings.TrimSuffix(filepath.Base(b.upstream[0]), filepath.Ext(b.upstream[0]))
	}
	return b, nil
}

// benchDir makes a directory on the disk that ledgers are kept on: where
// temporary files are, an fsync may cost nothing.
func benchDir(where string) (string, error) {
	if where == "" {
		state, err := ledger.StateDir(os.Getenv)
		if err != nil {
			return "", err
		}
		where = state
	}
	if err := os.MkdirAll(where, 0o700); err != nil {
		return "", err
	}
	where, err := filepath.Abs(where)
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(where, "bench-")
}

// The paths from client to server, in the order of the table.
const (
	pathDirect = "direct"
	pathRelay  = "relay"
	pathFsync  = "relay+fsync"
	pathGate   = "callgate"
	pathMemory = "callgate, ledger in memory"
)

func benchPaths() []string { return []string{pathDirect, pathRelay, pathFsync, pathGate, pathMemory} }

// command is what a client starts to reach the upstream on a path. Each start
// has a ledger of its own, so that none pays for the one before it.
func (b *bench) command(path string) []string {
	var own []string
	switch path {
	case pathDirect:
		return b.upstream
	case pathRelay:
		own = []string{"bench", "relay"}
	case pathFsync:
		own = []string{"bench", "relay", "--fsync", b.fresh()}
	case pathGate:
		own = append([]string{"run", "--server", b.f.server, "--ledger", b.fresh()}, b.policies()...)
	default:
		own = append([]string{"bench", "gate", "--server", b.f.server}, b.policies()...)
	}
	return slices.Concat([]string{b.self}, own, []string{"--"}, b.upstream)
}

func (b *bench) policies() []string {
	var out []string
	for _, file := range b.f.files {
		out = append(out, "--policy", file)
	}
	if b.f.floor != "" {
		out = append(out, "--floor", b.f.floor)
	}
	return out
}

// fresh returns a path in the directory that nothing has used.
func (b *bench) fresh() string {
	b.files++
	return filepath.Join(b.dir, fmt.Sprint(b.files))
}
