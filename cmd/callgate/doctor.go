package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

func doctorCmd(std stdio) *cobra.Command {
	var asJSON bool
	var configs []string
	cmd := &cobra.Command{
		Use:   "doctor [--json]",
		Short: "Say what is wrapped, running, pinned, outdated or broken, and how to mend it",
		Args:  wants(cobra.NoArgs, "it takes none; --config FILE names a file that no client is known to read"),
		RunE: func(*cobra.Command, []string) error {
			d := doctor{}
			if err := d.examine(configs); err != nil {
				return err
			}
			out := []byte(d.text())
			if asJSON {
				out = jsonLine(d.value())
			}
			if _, err := std.out.Write(out); err != nil {
				return err
			}
			if d.problems > 0 {
				return exitError{1, nil}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&configs, "config", nil, "a configuration file besides those that are found")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// doctor gathers what it finds.
type doctor struct {
	found    []diagnosis
	problems int
	running  []approval.Process
	states   []string // state directories
}

// diagnosis is one thing that was looked at.
type diagnosis struct {
	state string // ok, note or problem
	about string
	says  string
	mend  string
}

func (d *doctor) say(state, about, mend, format string, args ...any) {
	if state == "problem" {
		d.problems++
	}
	d.found = append(d.found, diagnosis{state, about, fmt.Sprintf(format, args...), mend})
}

func (d *doctor) examine(configs []string) error {
	found, err := allConfigs(configs)
	if err != nil {
		return err
	}
	d.processes()
	if d.states, err = ledger.StateDirs(os.Getenv); err != nil {
		d.say("problem", "state", "", "%v", err)
	}
	for _, f := range found {
		d.config(stateOf(f))
	}
	if len(found) == 0 {
		d.say("note", "clients", "name a file with --config", "no configuration of any client is found")
	}
	d.others(found)
	d.ledgers()
	return nil
}

// processes finds the processes that run now.
func (d *doctor) processes() {
	if _, err := approval.SocketDir(os.Getenv); err != nil {
		d.say("problem", "terminal", "", "nobody can answer from a terminal: %v", err)
	}
	seen := map[string]bool{}
	for _, dir := range approval.SocketDirs(os.Getenv) {
		list, err := approval.Processes(dir)
		if err != nil {
			d.say("problem", "terminal", "end the process, or wait until it answers", "%v", err)
		}
		for _, p := range list {
			if !seen[p.Info.ID] {
				seen[p.Info.ID] = true
				d.running = append(d.running, p)
			}
		}
	}
}

// config examines one configuration.
func (d *doctor) config(s fileState) {
	if s.err != nil {
		d.say("problem", heading(s.Found), "mend the file; wrap and unwrap do not touch it until then", "%v", s.err)
		return
	}
	for _, e := range s.entries {
		about := heading(s.Found) + "  " + nameOf(e)
		switch e.State {
		case clients.Wrapped:
			d.wrapped(about, selector(s.Found), e)
		case clients.ByHand:
			d.say("note", about, "", "by hand: %s", e.Why)
		case clients.Plain:
			d.say("note", about, "callgate wrap "+selector(s.Found), "not behind callgate")
		case clients.Edited, clients.Broken:
			d.say("problem", about, "", "%s: %s", e.State, e.Why)
		default:
			d.say("note", about, "", "%s", e.Why)
		}
	}
}

// selector is how a configuration is named on the command line.
func selector(f clients.Found) string {
	if f.Client == "" {
		return "--config " + oneLine(f.Path)
	}
	return f.Client
}

// wrapped examines a server that is behind callgate.
func (d *doctor) wrapped(about, named string, e clients.Entry) {
	before := d.problems
	if err := abi.CheckServerName(e.Name); err != nil {
		d.say("problem", about, "unwrap the server, rename it in the client's configuration, and run callgate wrap "+named+" again", "callgate run does not start: %v", err)
	}
	if _, err := exec.LookPath(e.Callgate); err != nil {
		d.say("problem", about, "run callgate wrap "+named+" again: the program has moved", "%q is no program: %v", e.Callgate, cause(err))
	}
	if len(e.Command) > 0 {
		if _, err := exec.LookPath(e.Command[0]); err != nil {
			why := "it is not found; the client may have another PATH"
			if filepath.IsAbs(e.Command[0]) {
				why = cause(err).Error()
			}
			d.say("note", about, "", "%q can not be started from here: %s", e.Command[0], why)
		}
	}
	p, err := wrappedPolicy(e)
	if err != nil {
		d.say("problem", about, "mend the policy: the server does not start without it", "%v", err)
	}
	live := d.live(e.Group, e.Name)
	for _, l := range live {
		switch {
		case d.reloads(about, l):
		case p != nil && l.Info.PolicyDigest != p.Digest():
			d.say("problem", about, "restart the server in the client", "process %d runs with a policy that is not what the files say now", l.Info.PID)
		case l.Info.Version != version():
			d.say("note", about, "restart the server in the client", "process %d is of version %s", l.Info.PID, l.Info.Version)
		}
		d.pending(about, l)
	}
	if d.problems > before {
		return
	}
	pins := d.pins(about, e, p)
	if d.problems > before {
		return
	}
	says := "wrapped, group " + e.Group
	if len(live) > 0 {
		says += fmt.Sprintf(", running as process %d", live[0].Info.PID)
	} else {
		says += ", not running"
	}
	for _, ref := range p.Plugins() {
		if says += ", " + pluginText(ref); ref.Observe {
			d.say("note", about, "mode: enforce, or leave mode out, once it says the right things", "the plugin %s OBSERVES ONLY: what it says is not enforced", ref.Name)
		}
	}
	if p.Settings().Mode == policy.ModeObserve {
		says += ", observed only: nothing is blocked"
	}
	d.say("ok", about, "", "%s, %s", says, pins)
}

// live lists the processes of a server in a group.
func (d *doctor) live(group, server string) []approval.Process {
	var out []approval.Process
	for _, p := range d.running {
		if p.Info.Group == group && p.Info.Server == server {
			out = append(out, p)
		}
	}
	return out
}

// pending says that somebody is waited for.
func (d *doctor) pending(about string, p approval.Process) {
	list, err := p.Pending()
	switch {
	case err != nil:
		d.say("problem", about, "restart the server in the client", "process %d does not answer: %v", p.Info.PID, err)
	case len(list) > 0:
		verb := " wait"
		if len(list) == 1 {
			verb = " waits"
		}
		d.say("note", about, "callgate pending", "%s for an answer", plural.Of(len(list), "question")+verb)
	}
}

// pins says what is pinned of a server, and which packs that binds.
func (d *doctor) pins(about string, e clients.Entry, p *policy.Policy) string {
	for _, state := range d.states {
		k, err := readPinned(ledger.GroupDir(state, e.Group), e.Name)
		switch {
		case err != nil:
			d.say("problem", about, "move the file away; the tools are pinned anew then", "%v", err)
			return "pins unreadable"
		case k.stored:
			d.drift(about, k)
			says := plural.Of(len(k.tools), "tool") + " pinned"
			for _, b := range k.bindings(p) {
				says += ", pack " + b.Pack + " by " + boundBy(b)
			}
			return says
		}
	}
	return "nothing pinned yet"
}

// drift says what a server lists, or says of itself, in another way than it is
// pinned.
func (d *doctor) drift(about string, k *pinned) {
	moved, denied := 0, 0
	for _, s := range k.standings() {
		if s.isPinned() && s.moved() && s.grade <= abi.DriftWidening {
			denied++
		} else if s.grade < abi.DriftCosmetic || s.state == stateNew || s.state == stateTwice {
			moved++
		}
	}
	mend := "callgate tools diff --group " + k.groupName() + " " + k.server
	if denied > 0 {
		d.say("problem", about, mend, "%s from what is pinned that takes or does more, or instructs the model: its calls are denied", plural.Of(denied, "difference"))
	}
	if moved > 0 {
		d.say("note", about, mend, "%s from what is pinned", plural.Of(moved, "difference"))
	}
}

// others lists the processes that no configuration explains.
func (d *doctor) others(found []clients.Found) {
	explained := map[string]bool{}
	for _, f := range found {
		for _, e := range stateOf(f).entries {
			for _, p := range d.live(e.Group, e.Name) {
				explained[p.Info.ID] = true
			}
		}
	}
	for _, p := range d.running {
		if about := "process " + fmt.Sprint(p.Info.PID); !explained[p.Info.ID] {
			d.say("ok", about, "", "runs %s in group %s, and no configuration that is found starts it", oneLine(p.Info.Server), oneLine(p.Info.Group))
			d.reloads(about, p)
			d.pending(about, p)
		}
	}
}

// reloads says how a process stands to files of its policy that have changed,
// and whether that is worth saying.
func (d *doctor) reloads(about string, p approval.Process) bool {
	r := p.Info.Reload
	if r == nil {
		return false
	}
	who := fmt.Sprintf("process %d", p.Info.PID)
	of := who + ": "
	if about == who { // the line begins with it
		who, of = "it", ""
	}
	for _, what := range r.Restart {
		d.say("note", about, "restart the server in the client", "%s%s", of, what)
	}
	if len(r.Looser) > 0 {
		d.say("note", about, "read these rules, and take back what nobody meant; what tightens is in force at once", "%s%s: %s", of, restarted, strings.Join(r.Looser, "; "))
	}
	why := strings.Join(r.Why, "; ")
	switch r.State {
	case abi.ReloadFailed:
		d.say("problem", about, "mend the files; the process reads them again by itself", "%s keeps its old policy, since the files do not load: %s", who, why)
	case abi.ReloadWaits:
		d.say("note", about, "callgate reload --accept", "%sa policy that may allow more waits: %s", of, why)
	case abi.ReloadFixed:
		d.say("problem", about, "restart the server in the client", "%s keeps its old policy: %s", who, why)
	default:
		return false
	}
	return true
}

// ledgers verifies every group.
func (d *doctor) ledgers() {
	dirs, err := groupDirs("")
	if err != nil {
		return // no ledger yet
	}
	for _, dir := range dirs {
		reports, err := ledger.VerifyGroup(dir)
		about := "ledger " + oneLine(filepath.Base(dir))
		if err != nil {
			d.say("problem", about, "", "%v", err)
			continue
		}
		lines := 0
		for _, r := range reports {
			lines += r.Lines
		}
		d.say("ok", about, "", "%s, %s, intact", plural.Of(len(reports), "file"), plural.Of(lines, "line"))
	}
}

// cause is the innermost reason of an error about a program.
func cause(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (d *doctor) text() string {
	var b strings.Builder
	for _, f := range d.found {
		fmt.Fprintf(&b, "%-8s %s: %s\n", f.state, oneLine(f.about), oneLine(f.says))
		if f.mend != "" {
			fmt.Fprintf(&b, "%-8s mend: %s\n", "", oneLine(f.mend))
		}
	}
	return b.String() + plural.Of(d.problems, "problem") + "\n"
}

func (d *doctor) value() abi.Value {
	list := []abi.Value{}
	for _, f := range d.found {
		list = append(list, object("state", f.state, "about", f.about, "says", f.says, "mend", stated(f.mend)))
	}
	return object("problems", d.problems, "found", abi.ArrayValue(list...))
}
