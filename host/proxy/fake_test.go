package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// TestMain is also the server: a child is this binary with FAKE_SERVER set.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE_SERVER"); mode == "brain" {
		brainOverLines()
		return
	} else if mode != "" {
		fakeServer(mode)
		return
	}
	os.Exit(m.Run())
}

// fakeServer speaks MCP just enough, and logs what it really ran. It reads as
// carelessly as real servers do: encoding/json folds case and takes the last
// of two equal names.
func fakeServer(mode string) {
	if mode == "stubborn" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	log, err := os.OpenFile(os.Getenv("FAKE_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(log, "started", os.Getpid())
	if mode == "early" {
		fmt.Fprintln(os.Stderr, strings.Repeat("a long warning\n", 1<<16))
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"early"}}`)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			fmt.Fprintf(log, "got %s\n", strings.TrimSpace(line))
			if mode == "deaf" && strings.Contains(line, "deaf") {
				os.Stdin.Close()
			}
			serve(log, mode, line)
		}
		if err != nil {
			break
		}
	}
	if mode == "late" {
		late(log)
	}
	for mode == "stubborn" || mode == "deaf" {
		time.Sleep(time.Hour)
	}
}

type careless struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
		Version   string `json:"protocolVersion"`
	}
}

// late answers, after the end of the input, every call of slow that the log holds.
func late(log *os.File) {
	data, _ := os.ReadFile(log.Name())
	for _, line := range strings.Split(string(data), "\n") {
		var m careless
		if rest, ok := strings.CutPrefix(line, "got "); ok && json.Unmarshal([]byte(rest), &m) == nil && m.Params.Name == "slow" {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[],\"late\":true}}\n", m.ID)
		}
	}
}

// says answers a request, whatever its method, with the line that is in it.
func says(m careless) bool {
	var said struct{ Line string }
	json.Unmarshal(m.Params.Arguments, &said)
	if said.Line == "" {
		return false
	}
	fmt.Println(strings.ReplaceAll(said.Line, "ID", string(m.ID)))
	return true
}

func serve(log io.Writer, mode, line string) {
	if strings.HasPrefix(strings.TrimSpace(line), "[") {
		var batch []json.RawMessage
		json.Unmarshal([]byte(line), &batch)
		for _, element := range batch {
			serve(log, mode, string(element))
		}
		return
	}
	var m careless
	if json.Unmarshal([]byte(line), &m) != nil {
		return
	}
	answer := func(result string) { fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result) }
	if m.Method != "tools/call" && says(m) {
		return
	}
	switch m.Method {
	case "initialize":
		answer(`{ "protocolVersion" : "` + m.Params.Version + `", "capabilities":{"tools":{}}, "serverInfo":{"name":"fake","version":"1"} }`)
	case "tools/list":
		if mode == "lists" {
			fmt.Println(listAnswer(line, func(name string) []byte { return compacted(listOf(name)) }))
			return
		}
		answer(`{"tools":[{"name":"good","inputSchema":{"type":"object","properties":{"a":{},"path":{"type":"string"}}}},{"name":"bad"},{"name":"slow"},{"name":"die"},{"name":"hush"},{"name":"say"},{"name":"big"}]}`)
	case "ping":
		answer(`{}`)
	case "notifications/progress": // it names the call that is to be answered now
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"released\"}]}}\n", m.Params.Arguments)
	case "tools/call":
		fmt.Fprintf(log, "ran %s %s\n", m.Params.Name, m.Params.Arguments)
		if dir := os.Getenv("FAKE_LEDGER"); dir != "" {
			kept := 0
			files, _ := filepath.Glob(dir + "/*.fake.*.jsonl")
			for _, file := range files {
				data, _ := os.ReadFile(file)
				kept += strings.Count(string(data), `"outcome":"allow","contract":"coverage"`)
			}
			fmt.Fprintln(log, "allows in the ledger:", kept)
		}
		switch m.Params.Name {
		case "slow":
			return // never answered
		case "hush":
			os.Stdout.Close()
		case "die":
			os.Exit(7)
		case "big":
			answer(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 5000) + `"}]}`)
		case "say":
			says(m)
		default:
			answer(`{"content":[{"type":"text","text":"ok \u2028 9007199254740993"}], "x":1.0}`)
		}
	}
}

// link is a client's end of a running relay.
type link struct {
	t      *testing.T
	in     *io.PipeWriter
	mu     sync.Mutex
	lines  []string
	seen   chan struct{}
	done   chan struct{}
	code   int
	err    error
	log    string
	stderr *os.File
	opened *proxy.Opened
}

// Write takes what the relay writes to its client, one frame a call.
func (l *link) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.lines = append(l.lines, string(p))
	l.mu.Unlock()
	select {
	case l.seen <- struct{}{}:
	default:
	}
	return len(p), nil
}

type setup struct {
	policy string
	mode   string
	dir    string          // of the ledger
	specs  []contract.Spec // behind the built-in table
	ctx    context.Context
	out    io.Writer // instead of what await reads
	asking proxy.Asking
	remote string // URL of the server, instead of the fake one
	plugin guests
}

func connect(t *testing.T, s setup) *link {
	t.Helper()
	if s.mode == "" {
		s.mode = "plain"
	}
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	if s.ctx == nil {
		s.ctx = context.Background()
	}
	specs := append(builtin.Table(), s.specs...)
	p, err := policy.Load(policy.Options{Files: []string{"/policy.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(s.policy), nil }, Module: guestModule(t)})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := proxy.Open(proxy.Opening{Policy: p, Specs: specs, Plugin: s.plugin.load(t), Server: "fake", Dir: s.dir, Place: abi.Place{Dir: "/srv", Home: "/home/u"}})
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	l := &link{t: t, in: w, seen: make(chan struct{}, 1), done: make(chan struct{}), log: t.TempDir() + "/log", stderr: stderr, opened: opened}
	if s.out == nil {
		s.out = l
	}
	go func() {
		defer close(l.done)
		defer opened.Close()
		o := proxy.Options{
			Server: "fake", Command: []string{os.Args[0]}, Env: append(os.Environ(), "GORACE=atexit_sleep_ms=0", "FAKE_SERVER="+s.mode, "FAKE_LOG="+l.log),
			Engine: opened.Engine, Voice: proxy.NewVoice(p.Value()), Pins: opened.KeepPins, Asking: s.asking, In: r, Out: s.out, Stderr: stderr,
		}
		if s.remote == "" {
			l.code, l.err = proxy.Stdio(s.ctx, o)
			return
		}
		if o.Remote, l.err = transport.NewRemote(transport.RemoteOptions{Options: transport.Options{URL: s.remote}}); l.err == nil {
			proxy.StdioRemote(s.ctx, o)
		}
	}()
	t.Cleanup(func() { l.end() })
	return l
}

func (l *link) send(text string) {
	l.t.Helper()
	if _, err := l.in.Write([]byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// patience is how long a test waits for what happens in no time, however busy the
// machine is: it only bounds a test that fails.
const patience = time.Minute

// await waits for a line to the client that contains a text.
func (l *link) await(text string) string {
	l.t.Helper()
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		for _, line := range l.lines {
			if strings.Contains(line, text) {
				l.mu.Unlock()
				return line
			}
		}
		l.mu.Unlock()
		select {
		case <-l.seen:
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			l.t.Fatalf("no line with %q; have %q", text, l.got())
		}
	}
}

func (l *link) got() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "")
}

// end closes the client's end and waits for the relay.
func (l *link) end() int {
	l.in.Close()
	select {
	case <-l.done:
	case <-time.After(patience):
		l.t.Error("the relay does not end")
	}
	return l.code
}

// ran lists the calls that the server really ran.
func (l *link) ran() []string {
	data, _ := os.ReadFile(l.log)
	var out []string
	for _, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "ran "); ok {
			out = append(out, rest)
		}
	}
	return out
}

func (l *link) notes() string {
	data, _ := os.ReadFile(l.stderr.Name())
	return string(data)
}

// greet initializes and lists at a revision.
func (l *link) greet(revision string) {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	l.await(`"init"`)
	l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":"list","method":"tools/list"}` + "\n")
	l.await(`"list"`)
}

const callGood = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"good","arguments":{"a":1}}}` + "\n"

const onlyGood = "callgate: 1\npacks: none\nsettings: {default: deny}\n" +
	"servers:\n  fake: {methods: {\"vendor/*\": allow, notifications/vendor: allow}, requests: {roots: allow}}\ntools:\n" +
	"  fake/good: {verdict: allow}\n  fake/slow: {verdict: allow}\n  fake/die: {verdict: allow}\n  fake/say: {verdict: allow}\n  fake/big: {verdict: allow}\n  fake/hush: {verdict: allow}\n"

// eventually waits for something that happens without anybody waiting for it.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("%s: it never is", what)
}
