package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	callgate "github.com/callgate/callgate/cmd/callgate"
	"github.com/callgate/callgate/host/ledger"
)

// peerPatience is how long anything of a real peer may take before it counts
// as hanging. Nothing is measured with it.
const peerPatience = 90 * time.Second

// TestRealPeers stands between real clients and real servers from npm.
func TestRealPeers(t *testing.T) {
	p := openPeers(t)
	tests := []struct {
		name string
		test func(*testing.T, peers)
	}{
		{"bytes are the same direct and gated", peerBytes},
		{"the SDK client sees the same tools", peerTools},
		{"the SDK client gets answers and denials", peerVerdicts},
		{"calls at once get their own answers", peerParallel},
		{"progress arrives and cancelling does not hang", peerProgress},
		{"requests of the server reach the client", peerRequests},
		{"the inspector lists and calls", peerInspector},
		{"the bouncer smoke test has its outcomes and effects", peerSmoke},
		{"a denied write has no effect", peerDeniedWrite},
		{"the environment is the policy's to give", peerEnvironment},
		{"servers end with their client", peerEnds},
		{"signals end the whole group", peerSignals},
		{"a killed gate takes the server along", peerKilled},
		{"the exit code is the server's", peerExitCode},
		{"a client that stops reading does not stop calls", peerBrokenPipe},
		{"two instances share a ledger directory", peerTwoAtOnce},
		{"a restart continues chain and budget", peerRestart},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, p) })
	}
}

// peers are the real servers and clients, and the gate to put between them.
type peers struct {
	dir      string // testdata/peers
	node     string
	callgate string // built for this run
	env      []string
}

// openPeers finds the peers, and callgate. Without peers there is nothing
// to test; where they have to be there, that is a failure.
func openPeers(t *testing.T) peers {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("CALLGATE_CI") == "1" {
		missing = t.Fatalf
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("no real peers: %v; install node 20 or newer", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@modelcontextprotocol")); err != nil {
		missing("no real peers: %v; run npm ci --ignore-scripts in testdata/peers", err)
	}
	p := peers{dir: dir, node: node, callgate: callgate.BuiltAlike(t)}
	seen(t, "abi", "cmd", "host", "packs", "testdata/peers")
	home := t.TempDir()
	p.env = append(os.Environ(),
		"HOME="+home, "XDG_STATE_HOME="+home, "LOCALAPPDATA="+home,
		"MCP_INSPECTOR_SECRET_STORE=memory", "MCP_CATALOG_PATH="+filepath.Join(home, "mcp.json"))
	return p
}

// seen reads directories of the module. The gate is built, and the peers are
// run, by other processes: without this the test cache would take a result of
// yesterday's gate for one of today's.
func seen(t *testing.T, dirs ...string) {
	t.Helper()
	files := 0
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join("..", "..", filepath.FromSlash(dir)), func(_ string, d fs.DirEntry, err error) error {
			if err == nil && (d.Name() == "node_modules" || d.Name() == ".venv") {
				return filepath.SkipDir
			}
			files++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Fatalf("read %d files of the module; want all of the gate", files)
	}
}

// server is the command that starts a real server.
func (p peers) server(name string, args ...string) []string {
	index := filepath.Join(p.dir, "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	return append([]string{p.node, index}, args...)
}

// gate is callgate run, in front of a server that policies know by name.
type gate struct {
	p      peers
	name   string
	policy string // file
	ledger string // directory
}

const allowAll = "callgate: 1\npacks: auto\nsettings: {default: allow}\n"

// gate returns a gate with a policy and a ledger of its own.
func (p peers) gate(t *testing.T, name, policy string) gate {
	t.Helper()
	dir := t.TempDir()
	g := gate{p: p, name: name, policy: filepath.Join(dir, "policy.yaml"), ledger: filepath.Join(dir, "ledger")}
	writeFile(t, g.policy, policy)
	return g
}

// before is the command that starts a server with the gate in front of it.
func (g gate) before(command []string) []string {
	return append([]string{g.p.callgate, "run", "--policy", g.policy, "--server", g.name, "--ledger", g.ledger, "--"}, command...)
}

// verdicts reads what the gate decided, as OUTCOME CONTRACT, oldest first. The
// ledger must verify, by the package and by the verb.
func (g gate) verdicts(t *testing.T) []string {
	t.Helper()
	if _, err := ledger.VerifyGroup(g.ledger); err != nil {
		t.Errorf("verify: %v", err)
	}
	if out, err := exec.Command(g.p.callgate, "ledger", "verify", "--ledger", g.ledger).CombinedOutput(); err != nil {
		t.Errorf("callgate ledger verify: %v\n%s", err, out)
	}
	files, err := ledger.Group(g.ledger)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b ledger.File) int { return a.Time.Compare(b.Time) })
	var out []string
	for _, f := range files {
		err := ledger.Read(f.Path, func(line []byte) error {
			var e struct {
				Verdict *struct{ Outcome, Contract string }
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
			if e.Verdict != nil {
				out = append(out, e.Verdict.Outcome+" "+e.Verdict.Contract)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	return out
}

// run runs a command to its end and returns what it printed.
func (p peers) run(t *testing.T, env []string, command ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), peerPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.dir, append(p.env[:len(p.env):len(p.env)], env...), &out, &said, time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%q: %v, %v\n%s", command, err, ctx.Err(), said.String())
	}
	noRace(t, said.String())
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

func noRace(t *testing.T, stderr string) {
	t.Helper()
	if strings.Contains(stderr, "DATA RACE") {
		t.Errorf("callgate races:\n%s", stderr)
	}
}

// object is a JSON object, to be written.
type object = map[string]any

func asJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func fromJSON[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// step is what client.mjs prints of a step.
type step struct {
	OK    json.RawMessage
	Error *struct {
		Name, Message string
		Code          int
	}
	Progress int
	Order    []int
	Connect  json.RawMessage
	End      *ending
}

// ending is what client.mjs prints last.
type ending struct {
	Exit struct {
		Code   *int
		Signal *string
	}
	Received map[string]int
	Errors   []string
}

// result is a tool's result.
type result struct {
	Content           []struct{ Type, Text string }
	IsError           bool
	StructuredContent json.RawMessage
	Meta              struct {
		Verdict *verdict `json:"dev.callgate/verdict"`
	} `json:"_meta"`
}

// verdict is what the client sees of a verdict.
type verdict struct{ ID, Outcome, Contract, Code string }

func (r result) text() string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

func (s step) result(t *testing.T) result {
	t.Helper()
	if s.Error != nil || s.OK == nil {
		t.Fatalf("no result: %+v", s)
	}
	return fromJSON[result](t, string(s.OK))
}

// drive has the SDK client perform steps against a command. It must connect,
// every step must be reported, and the command must end with code 0.
func (p peers) drive(t *testing.T, env, command []string, declare object, steps ...object) ([]step, ending) {
	t.Helper()
	options := object{"command": command}
	maps.Copy(options, declare)
	out, stderr, code := p.run(t, env, p.node, "client.mjs", asJSON(t, options), asJSON(t, steps))
	var got []step
	for line := range strings.Lines(out) {
		got = append(got, fromJSON[step](t, line))
	}
	if code != 0 || len(got) != len(steps)+1 || got[len(steps)].End == nil {
		t.Fatalf("client.mjs ended with %d after %s\n%s", code, out, stderr)
	}
	end := *got[len(steps)].End
	if end.Exit.Code == nil || *end.Exit.Code != 0 {
		t.Errorf("the command ended with %s; want code 0\n%s", out, stderr)
	}
	return got[:len(steps)], end
}

func call(name string, arguments object) object {
	return object{"call": object{"name": name, "arguments": arguments}}
}

// wantDenied holds a result against the shape of a denial.
func wantDenied(t *testing.T, r result, contract, code string) {
	t.Helper()
	v := r.Meta.Verdict
	if !r.IsError || !strings.HasPrefix(r.text(), "[callgate blocked] "+contract+": "+code) || v == nil || v.ID == "" ||
		v.Outcome != "deny" || v.Contract != contract || v.Code != code || !strings.Contains(r.text(), "callgate why "+v.ID) {
		t.Errorf("got %+v, verdict %+v; want a denial by %s with %s", r, v, contract, code)
	}
}

// wantText holds a result against the text of one that was allowed.
func wantText(t *testing.T, r result, text string) {
	t.Helper()
	if r.IsError || r.Meta.Verdict != nil || !strings.Contains(r.text(), text) {
		t.Errorf("got %+v; want a result with %q", r, text)
	}
}

func wantVerdicts(t *testing.T, g gate, want ...string) {
	t.Helper()
	if got := g.verdicts(t); !slices.Equal(got, want) {
		t.Errorf("the ledger has the verdicts %q, want %q", got, want)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantNoFile(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v; want no such file", name, err)
	}
}
