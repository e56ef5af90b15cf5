package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTheTypeScriptSDKAnswersWhatAPolicyAsks has the client of the TypeScript
// SDK at the other end.
func TestTheTypeScriptSDKAnswersWhatAPolicyAsks(t *testing.T) {
	p := openPeers(t)
	askCases(t, p, typeScript)
	askRealServers(t, p, typeScript)
}

// order is what a client is told to do; asks.mjs takes the same.
type order struct {
	Do        string `json:"do"` // call, list, abort, reply or raw
	As        string `json:"as,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments object `json:"arguments,omitempty"`
	ID        string `json:"id,omitempty"`
	Result    object `json:"result,omitempty"`
	Line      string `json:"line,omitempty"`
}

// happening is what a client says: ready, asked, withdrawn, result, failed,
// error or end.
type happening struct {
	Kind, ID, Text string
	Result         json.RawMessage
}

// sdkClient is a client of an SDK that a test holds in its hand.
type sdkClient struct {
	*live  // the client, or what it talks to: with its end nobody is left
	tell   func(order)
	said   chan happening // closed at the end
	before []happening    // said while the test waited for something else
	vanish func()         // ends the client without a word
	gone   int            // what live ends with then
}

// openSDK connects a client of an SDK, which can ask, to a command.
type openSDK func(t *testing.T, p peers, command []string, revision string) *sdkClient

// typeScript is a client of the TypeScript SDK: a process, since it is no Go.
// The server's answer decides the revision.
func typeScript(t *testing.T, p peers, command []string, _ string) *sdkClient {
	t.Helper()
	c := &sdkClient{live: p.start(t, []string{p.node, "asks.mjs", asJSON(t, command)}), said: make(chan happening, 1000), gone: -1}
	go func() {
		defer close(c.said)
		for line := range c.lines {
			var h happening
			if err := json.Unmarshal([]byte(line), &h); err != nil {
				h = happening{Kind: "error", Text: err.Error() + " in " + line}
			}
			c.said <- h
		}
	}()
	c.tell = func(o order) { c.send(asJSON(t, o)) }
	c.vanish = func() {
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// await waits until something of a kind happens, to an id unless that is empty.
func (c *sdkClient) await(kind, id string) happening {
	c.t.Helper()
	is := func(h happening) bool { return h.Kind == kind && (id == "" || h.ID == id) }
	if i := slices.IndexFunc(c.before, is); i >= 0 {
		h := c.before[i]
		c.before = slices.Delete(c.before, i, i+1)
		return h
	}
	late := time.After(peerPatience)
	for {
		select {
		case h, ok := <-c.said:
			if !ok {
				c.t.Fatalf("it ended without %s of %q; it said %+v\n%s", kind, id, c.before, c.lastWords())
			}
			if is(h) {
				return h
			}
			c.before = append(c.before, h)
		case <-late:
			c.t.Fatalf("no %s of %q; it said %+v", kind, id, c.before)
		}
	}
}

func (c *sdkClient) lastWords() string {
	_ = c.cmd.Process.Kill() // its words can only be read when it is gone
	<-c.live.gone
	return c.stderr.String()
}

// begin starts a call, whose result has the name as its id.
func (c *sdkClient) begin(as, tool string, arguments object) {
	c.t.Helper()
	c.tell(order{Do: "call", As: as, Name: tool, Arguments: arguments})
}

// result waits for the result of a call.
func (c *sdkClient) result(as string) result {
	c.t.Helper()
	return fromJSON[result](c.t, string(c.await("result", as).Result))
}

// asked waits until the client is asked.
func (c *sdkClient) asked() happening {
	c.t.Helper()
	return c.await("asked", "")
}

var (
	yes     = object{"action": "accept", "content": object{"approve": true}}
	no      = object{"action": "decline"}
	dismiss = object{"action": "cancel"}
)

// reply answers what the client was asked, through the SDK.
func (c *sdkClient) reply(q happening, answer object) {
	c.t.Helper()
	c.tell(order{Do: "reply", ID: q.ID, Result: answer})
}

// raw writes an answer beside the SDK.
func (c *sdkClient) raw(id any, answer object) {
	c.t.Helper()
	c.tell(order{Do: "raw", Line: asJSON(c.t, object{"jsonrpc": "2.0", "id": id, "result": answer})})
}

// quiet waits until all that was sent has been dealt with, and then expects that
// nothing of a kind has happened, to an id unless that is empty.
func (c *sdkClient) quiet(kind, id string) {
	c.t.Helper()
	c.tell(order{Do: "list", As: "quiet"})
	c.await("result", "quiet")
	for _, h := range c.before {
		if h.Kind == kind && (id == "" || h.ID == id) {
			c.t.Errorf("%+v; want no such thing", h)
		}
	}
}

// asker is a client of an SDK before a gate that asks, and the server behind it.
type asker struct {
	*sdkClient
	g     gate
	log   string // of the server
	group string
}

// askPolicy asks about two tools and leaves two to the server.
const askPolicy = `callgate: 1
packs: none
settings: {default: deny, approval_timeout: TIMEOUT}
servers:
  asked: {requests: {elicitation: allow}}
tools:
  asked/good: {verdict: ask}
  asked/grave: {verdict: ask, risk: high}
  asked/say: {verdict: allow}
  asked/sh: {verdict: allow}
`

// socketHome gives processes a directory for sockets of their own. Its path is
// short, as the path of a socket has to be.
func (p peers) socketHome(t *testing.T) peers {
	t.Helper()
	dir, err := os.MkdirTemp("", "cg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	p.env = append(slices.Clip(p.env), "XDG_RUNTIME_DIR="+dir, "GORACE=atexit_sleep_ms=0")
	return p
}

// ask opens a client before a gate with askPolicy.
func (p peers) ask(t *testing.T, open openSDK, revision, timeout string) *asker {
	t.Helper()
	server, err := exec.LookPath("askedserver")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "ran")
	a := p.asker(t, open, "asked", strings.Replace(askPolicy, "TIMEOUT", timeout, 1), revision, []string{server, revision, log})
	a.log = log
	if got := a.await("ready", "").Text; got != revision {
		t.Errorf("the client speaks %q; want %q", got, revision)
	}
	return a
}

func (p peers) asker(t *testing.T, open openSDK, server, policy, revision string, command []string) *asker {
	t.Helper()
	p = p.socketHome(t)
	a := &asker{g: p.gate(t, server, policy), group: "asks"}
	command = append([]string{p.callgate, "run", "--policy", a.g.policy, "--server", server, "--group", a.group, "--ledger", a.g.ledger, "--"}, command...)
	a.sdkClient = open(t, p, command, revision)
	a.tell(order{Do: "list", As: "list"})
	a.await("result", "list")
	return a
}

// callgate runs a verb of callgate as a terminal does: a process beside the run.
func (a *asker) callgate(code int, args ...string) (stdout, stderr string) {
	a.t.Helper()
	stdout, stderr, got := a.g.p.run(a.t, nil, append([]string{a.g.p.callgate}, args...)...)
	if got != code {
		a.t.Errorf("callgate %q: exit code %d, want %d: %s%s", args, got, code, stdout, stderr)
	}
	return stdout, stderr
}

// pendingQuestion is a question as callgate pending prints it.
type pendingQuestion struct {
	ID, Prompt string
	Held       bool
	Waiting    int
}

// pending waits until a number of questions are open.
func (a *asker) pending(n int) []pendingQuestion {
	a.t.Helper()
	var list []pendingQuestion
	eventually(a.t, strconv.Itoa(n)+" open questions", func() bool {
		out, _ := a.callgate(0, "pending", "--json", "--group", a.group)
		list = fromJSON[struct{ Questions []pendingQuestion }](a.t, out).Questions
		return len(list) == n
	})
	return list
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for late := time.Now().Add(peerPatience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("there never was %s", what)
		}
	}
}

// end ends the client, and expects that the server ran calls and nothing else,
// that it saw no answer, and that the ledger verifies and tells the same.
func (a *asker) end(ran ...string) {
	a.t.Helper()
	a.close()
	a.wantEnd(0)
	a.wantRan(ran...)
}

func (a *asker) wantRan(ran ...string) {
	a.t.Helper()
	if got := strings.FieldsFunc(readFile(a.t, a.log), func(r rune) bool { return r == '\n' }); !slices.Equal(got, ran) {
		a.t.Errorf("the server ran %q; want %q", got, ran)
	}
	for line := range strings.Lines(readFile(a.t, a.log+".frames")) {
		if strings.Contains(line, `"approve"`) && !strings.Contains(line, `"id":"`+ofServer+`"`) {
			a.t.Errorf("the server saw an answer: %s", line)
		}
	}
	allowed := 0
	for _, v := range a.g.verdicts(a.t) {
		if strings.HasPrefix(v, "allow ") {
			allowed++
		}
	}
	calls := strings.Count(readFile(a.t, a.log+".frames"), `"tools/call"`)
	files, err := filepath.Glob(filepath.Join(a.g.ledger, "*.jsonl"))
	if err != nil {
		a.t.Fatal(err)
	}
	own := 0 // what the server asked of the client, which the ledger allows, too
	for _, file := range files {
		own += strings.Count(readFile(a.t, file), `"kind":"elicitation","server"`)
	}
	if allowed != calls+own {
		a.t.Errorf("the ledger allows %d calls; the server got %d, and made %d", allowed, calls, own)
	}
}
