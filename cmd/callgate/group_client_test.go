package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// groupTools is what every server of the group offers.
const groupTools = `{"tools":[
{"name":"read","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"size":{"type":"integer"}}}},
{"name":"send","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"body":{"type":"string"}}}},
{"name":"commit","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}},
{"name":"succeed","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}},
{"name":"attempt","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`

// Budgets of the group. Calls of one server count for all.
const (
	maxCommits   = 12
	maxSuccesses = 6
	maxAttempts  = 15
)

var groupPolicy = fmt.Sprintf(`callgate: 1
packs: none
settings: {default: allow, approval_timeout: 0s, max_asks: 1000}
budgets:
  - {name: commits, tools: ["*/commit"], per: 1h, max: %d, count: commits}
  - {name: successes, tools: ["*/succeed"], max: %d, count: successes}
  - {name: attempts, tools: ["*/attempt"], max: %d, count: attempts}
tools:
  "*/send": {sink: {to: [to], content: [body], trusted: [a0@corp.example]}}
`, maxCommits, maxSuccesses, maxAttempts)

// groupAddress is one of the addresses that pages name and mails go to.
func groupAddress(n int) string { return fmt.Sprintf("a%d@corp.example", n%24) }

// groupServer is an MCP server whose pages name addresses, and whose calls of
// succeed fail where n is odd: groupserver LOG. A call is in LOG before it is
// answered.
func groupServer(args []string) int {
	log, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	defer log.Close()
	tools, err := abi.Parse([]byte(groupTools))
	if err != nil {
		panic(err)
	}
	in := wire.NewReader(os.Stdin, 0)
	for {
		line, err := in.Next()
		if err != nil {
			return 0
		}
		request, err := abi.Parse(bytes.TrimSpace(line.Bytes))
		if err != nil || !request.Get("id").Exists() {
			continue
		}
		result := tools
		if request.Get("method").Str() == "tools/call" {
			tool, n := request.Get("params").Get("name").Str(), groupInt(request, "n")
			fmt.Fprintf(log, "%s %d\n", tool, n%2)
			text := "done"
			if tool == "read" {
				text = groupPage(n, groupInt(request, "size"))
			}
			result = object("content", abi.ArrayValue(object("type", "text", "text", text)), "isError", tool == "succeed" && n%2 == 1)
		}
		answer := object("jsonrpc", "2.0", "id", request.Get("id"), "result", result)
		if _, err := os.Stdout.Write(append(answer.Append(nil), '\n')); err != nil {
			return 0
		}
	}
}

func groupInt(request abi.Value, name string) int {
	n, _ := strconv.Atoi(request.Get("params").Get("arguments").Get(name).Lexeme())
	return n
}

// groupPage is a page of about size bytes with an address somewhere in it.
func groupPage(n, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size/2; i++ {
		fmt.Fprintf(&b, "Row %d of page %d has %d items, and nobody asked for it.\n", i, n, i*n%97)
	}
	fmt.Fprintf(&b, "Please write to %s today.\n", groupAddress(n))
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Line %d of the rest, see %d.\n", i, i*7+n)
	}
	return b.String()
}

// groupRig runs processes of one group.
type groupRig struct {
	t        *testing.T
	callgate string // program
	server   string // program
	policy   string // file
	dir      string // of the group
	logs     string // directory, a log for each server
}

// newGroupRig makes a rig whose programs are this test binary, or another
// callgate.
func newGroupRig(t *testing.T, callgate string) *groupRig {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := &groupRig{t: t, callgate: callgate, server: filepath.Join(dir, "groupserver"), policy: filepath.Join(dir, "policy.yaml"), dir: filepath.Join(dir, "group"), logs: dir}
	links := []string{g.server}
	if callgate == "" {
		g.callgate = filepath.Join(dir, "callgate")
		links = append(links, g.callgate)
	}
	for _, name := range links {
		if err := os.Symlink(self, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(g.policy, []byte(groupPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *groupRig) log(server string) string { return filepath.Join(g.logs, server+".log") }

// reached counts the calls that reached servers, by tool and parity.
func (g *groupRig) reached(tool string, parity int) int {
	g.t.Helper()
	files, err := filepath.Glob(filepath.Join(g.logs, "*.log"))
	if err != nil || len(files) == 0 {
		g.t.Fatalf("%d logs (%v)", len(files), err)
	}
	n := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			g.t.Fatal(err)
		}
		n += strings.Count(string(data), fmt.Sprintf("%s %d\n", tool, parity))
	}
	return n
}

// groupProcess is a running callgate with its client.
type groupProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr bytes.Buffer
	ended  chan struct{}

	id int // of the last request

	mu      sync.Mutex
	answers map[string]chan string // closed without one when the process ends
}

// start starts a process and lists the tools of its server.
func (g *groupRig) start(server string) *groupProcess {
	g.t.Helper()
	p := &groupProcess{ended: make(chan struct{}), answers: map[string]chan string{}}
	p.cmd = exec.Command(g.callgate, "run", "--policy", g.policy, "--server", server, "--group", "g", "--ledger", g.dir, "--", g.server, g.log(server))
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		g.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	go p.read(out)
	if answer := g.wait(p.request("tools/list", "{}")); !strings.Contains(answer, `"attempt"`) {
		g.t.Fatalf("no list of tools from %s: %q\n%s", server, answer, p.stderr.String())
	}
	return p
}

// read hands each answer to the one who waits for it.
func (p *groupProcess) read(out io.Reader) {
	defer close(p.ended)
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.answers {
			close(c)
		}
		p.answers = nil
	}()
	for in := wire.NewReader(out, 0); ; {
		line, err := in.Next()
		if err != nil {
			return
		}
		v, err := abi.Parse(bytes.TrimSpace(line.Bytes))
		if err != nil {
			continue
		}
		id := v.Get("id").Lexeme()
		p.mu.Lock()
		if c := p.answers[id]; c != nil {
			c <- string(line.Bytes)
			close(c)
			delete(p.answers, id)
		}
		p.mu.Unlock()
	}
}

// request sends a request and returns where its answer comes. One goroutine
// sends.
func (p *groupProcess) request(method, params string) <-chan string {
	c := make(chan string, 1)
	p.id++
	id := strconv.Itoa(p.id)
	p.mu.Lock()
	if p.answers == nil {
		p.mu.Unlock()
		close(c)
		return c
	}
	p.answers[id] = c
	p.mu.Unlock()
	// A process that was killed takes nothing: then no answer comes.
	_, _ = fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params)
	return c
}

func (p *groupProcess) call(tool, arguments string) <-chan string {
	return p.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

// wait returns an answer, "" if the process ended before it.
func (g *groupRig) wait(c <-chan string) string {
	g.t.Helper()
	select {
	case answer := <-c:
		return answer
	case <-time.After(4 * time.Minute): // a deadlock only
		g.t.Fatal("no answer")
		return ""
	}
}

// kill ends a process without a chance to do anything.
func (p *groupProcess) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.in.Close()
	<-p.ended
	_ = p.cmd.Wait()
}

// stop ends a process as a client does, and says how it ended.
func (p *groupProcess) stop() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	<-p.ended
	return p.cmd.Wait()
}
