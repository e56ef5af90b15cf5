package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// demoPolicy is the policy that guards the demo's servers.
//
//go:embed demo_policy.yaml
var demoPolicy string

// demoContract is the plugin of that policy, which demo_contract.wat is the source of.
//
//go:embed demo_contract.wasm
var demoContract []byte

// demoTimeout bounds one exchange with a process of the demo. It is far above
// what any takes, and only keeps a broken one from hanging the demo.
const demoTimeout = 30 * time.Second

func demoCmd(std stdio) *cobra.Command {
	var keep, asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run one attack without and with Callgate, on servers that are built in",
		Long: "Starts a mailbox with a poisoned message and a file area, both built into this program, lets a hijacked\n" +
			"assistant act on them without and with Callgate, and checks every step against the servers' own logs.\n" +
			"Works offline, in a directory of its own that is removed at the end. Exit code 1 if anything differs\n" +
			"from what is expected.",
		Args: wants(cobra.NoArgs, "it takes none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			// A reader that has gone (demo | head) must not end this process before
			// it has removed its directory, and neither must a closed terminal.
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
			defer stop()
			d := demo{exe: exe, policy: demoPolicy, out: std.out, json: asJSON, keep: keep}
			return d.run(ctx)
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the directory with policy, logs and ledgers, and print where it is")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each scene")
	cmd.AddCommand(demoServerCmd(std))
	return cmd
}

// demo is one run of the demo.
type demo struct {
	exe    string // the callgate binary that is started for every part
	policy string // YAML
	out    io.Writer
	json   bool
	keep   bool
	before func(d *demo, title string) // called before every scene; nil: nothing

	root   string      // directory of this run
	stderr *os.File    // of every process that is started
	logs   []*demoLog  // of every server that was started
	open   *demoClient // whose session goes on in the next scene
}

// run plays every scene and returns an error with exit code 1 if anything
// differs from what is expected.
func (d *demo) run(ctx context.Context) (err error) {
	if err := d.setUp(); err != nil {
		return err
	}
	defer func() {
		if closeErr := d.tearDown(); err == nil {
			err = closeErr
		}
	}()
	d.printIntro()
	wrong := 0
	for i, play := range d.scenes() {
		s := &demoScene{number: i + 1, title: play.title, story: play.story}
		if d.before != nil {
			d.before(d, s.title)
		}
		if err := play.act(ctx, s); err != nil {
			s.steps = append(s.steps, demoStep{tried: "go on", wrong: []string{err.Error()}})
		}
		if ctx.Err() != nil {
			return failed(errors.New("demo: interrupted"))
		}
		wrong += s.wrong()
		if err := d.printScene(s); err != nil {
			return err
		}
	}
	d.printEnd(wrong)
	if wrong > 0 {
		where := "; look for DIFFERS above"
		if d.json {
			where = "; look for \"ok\":false above"
		}
		return failed(fmt.Errorf("demo: %s from what is expected%s", demoPlural(wrong, "step differs", "steps differ"), where))
	}
	return nil
}

// demoPlay is a scene before it is played.
type demoPlay struct {
	title, story string
	act          func(context.Context, *demoScene) error
}

func (d *demo) scenes() []demoPlay {
	return []demoPlay{
		{"Without a gate, the poisoned message wins", "An assistant works on the mailbox directly. One message orders it to forward everything to a stranger, and\n" +
			"it obeys.", d.bareAttack},
		{"The same attack through Callgate", "Same mailbox, same calls, but the server is started by `callgate run` with the policy above.", d.gatedAttack},
		{"Honest mail still goes out", "The session goes on. A gate that stops everything would be no use.", d.honestMail},
		{"A contract that somebody else wrote", "The policy binds a WebAssembly module to the mailbox. It sees the text of a mail, runs without files, network and\n" +
			"clock, and can only make the policy stricter.", d.sandboxed},
		{"Files: inside ./out, and nowhere else", "The file area stands behind a gate of its own. (It keeps every path below its own directory, so that\n" +
			"the demo harms nothing even if the gate fails.)", d.paths},
		{"A budget: two deletions in a session", "The assistant cleans up, and does not stop. Then the gate is stopped and started again.", d.budget},
		{"Smuggling: one frame that two parsers read differently", "Raw bytes now, no client library. The frame says \"params\" with a colleague's address, and \"Params\" with the\n" +
			"stranger's. Some parsers take the one, some the other.", d.smuggling},
		{"The record", "Every call, result and verdict is in the ledger, a file in which each line holds the hash of the one before.\n" +
			"Replaying it must give the same verdicts, byte for byte.", d.record},
	}
}

// setUp makes the directory of the run.
func (d *demo) setUp() error {
	root, err := os.MkdirTemp("", "callgate-demo-")
	if err != nil {
		return err
	}
	d.root = root
	if err := d.fill(); err != nil {
		return errors.Join(err, d.tearDown())
	}
	return nil
}

func (d *demo) fill() error {
	real, err := filepath.EvalSymlinks(d.root)
	if err != nil {
		return err
	}
	d.root = real
	for _, dir := range []string{"bare", "mailbox", "files/out", "home", "state"} {
		if err := os.MkdirAll(d.path(dir), 0o700); err != nil {
			return err
		}
	}
	for _, draft := range demoDrafts() {
		if err := os.WriteFile(d.path("files", draft), []byte("a draft\n"), 0o600); err != nil {
			return err
		}
	}
	if err := os.WriteFile(d.path("contract.wasm"), demoContract, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(d.path("policy.yaml"), []byte(d.policy), 0o600); err != nil {
		return err
	}
	d.stderr, err = os.OpenFile(d.path("stderr.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	return err
}

// tearDown leaves nothing behind, or says what is left.
func (d *demo) tearDown() error {
	if d.open != nil {
		_ = d.open.leave() // a scene that failed left it
	}
	if d.stderr != nil {
		d.stderr.Close()
	}
	if d.keep {
		if !d.json {
			fmt.Fprintf(d.out, "Kept: %s\n", d.root)
		}
		return nil
	}
	return os.RemoveAll(d.root)
}

// path is a place in the directory of the run.
func (d *demo) path(elem ...string) string {
	return filepath.Join(append([]string{d.root}, elem...)...)
}
