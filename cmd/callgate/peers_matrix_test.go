package main_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// matrixClient is a client of the matrix, over stdio to a command or over HTTP
// to an address.
type matrixClient struct {
	name    string
	modern  bool
	python  bool
	lacks   []string // kinds that it has no way to do
	options object   // of matrix.mjs, or client.py; nil for what runs in this process
}

// matrixClients are the clients that matrix.mjs, client.py and mcp-go give.
func matrixClients() []matrixClient {
	return []matrixClient{
		{name: "SDK v1", options: object{"sdk": "v1"}},
		{name: "SDK v2", options: object{"sdk": "v2"}},
		{name: "SDK v2 at 2026-07-28", modern: true, options: object{"sdk": "v2", "era": "2026-07-28"}},
		{name: "Python SDK", python: true, lacks: pythonLacks, options: object{}},
		{name: "Python SDK at 2026-07-28", python: true, modern: true, lacks: pythonLacks, options: object{"era": "2026-07-28"}},
		{name: "mcp-go", lacks: mcpGoLacks},
		{name: "mcp-go at 2026-07-28", modern: true, lacks: mcpGoLacks},
	}
}

func matrixServers() []matrixServer {
	return []matrixServer{everythingServer(), filesystemServer(), memoryServer(), fixturesServer(), pythonServer(), mcpGoServer()}
}

// pair is a client and a server, and what the two do with each other.
type pair struct {
	matrixClient
	server matrixServer
}

// pairs are those that understand each other. The server of the Python SDK is
// asked by two SDKs only, and that of mcp-go by those that start fast: each pair
// takes seconds.
func pairs() (all []pair) {
	for _, c := range matrixClients() {
		for _, s := range matrixServers() {
			skip := s.python && !c.python && !strings.HasPrefix(c.name, "SDK v2") || c.python && s.name == mcpGoServer().name
			if !skip && (s.modern || !c.modern) {
				all = append(all, pair{c, s})
			}
		}
	}
	return all
}

// steps are what the client does, of what the server can.
func (m pair) steps() []object {
	steps := slices.Concat(m.server.steps(m.modern), m.server.judged.steps())
	return slices.DeleteFunc(steps, func(s object) bool { return slices.Contains(m.lacks, s["kind"].(string)) })
}

// kinds are the kinds of these steps, in the order of the matrix.
func (m pair) kinds() []string {
	has := map[string]bool{"connect": true}
	for _, s := range m.steps() {
		has[s["kind"].(string)] = true
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return !has[k] })
}

// observed is what a client saw of one step.
type observed struct {
	Kind string
	OK   json.RawMessage
	line string // all of it, without what is new in every run
}

var fresh = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// observe has the client do its steps over one way in: a command or an address.
func (m pair) observe(t *testing.T, p peers, env []string, way object) []observed {
	t.Helper()
	steps := m.steps()
	var lines []string
	if m.options == nil {
		lines = observeMCPGo(t, p, m.modern, env, way, m.server.answers(), steps)
	} else {
		options := object{"cwd": p.dir, "roots": []object{{"uri": "file://" + filepath.ToSlash(p.dir), "name": "peers"}}, "sampling": samplingAnswer, "elicitation": m.server.answers()}
		for _, o := range []object{m.options, way} {
			for name, value := range o {
				options[name] = value
			}
		}
		program := []string{p.node, "matrix.mjs"}
		if m.python {
			program = []string{p.python(t), "client.py"}
		}
		stdout, stderr, code := p.run(t, env, append(program, asJSON(t, options), asJSON(t, steps))...)
		if code != 0 {
			t.Fatalf("%s ended with %d\n%s\n%s", program[1], code, stdout, stderr)
		}
		lines = strings.Split(strings.TrimSpace(stdout), "\n")
	}
	if len(lines) < len(steps)+1 {
		t.Fatalf("%d steps and %d observations: %q", len(steps), len(lines), lines)
	}
	var seen []observed
	for _, line := range lines[:len(steps)+1] {
		o := fromJSON[observed](t, line)
		o.line = fresh.ReplaceAllString(line, "NEW")
		seen = append(seen, o)
	}
	return seen
}

var (
	samplingAnswer = object{"model": "none", "role": "assistant", "content": object{"type": "text", "text": "said"}}
	formAnswer     = object{"action": "accept", "content": object{"name": "Ada", "username": "ada", "email": "ada@example.com", "color": "blue", "context": "gates"}}
)

// answers is what a person answers to what is asked: to the gate yes or no, by
// the tool it is about, and to a server what its form wants.
func (s matrixServer) answers() []object {
	return []object{
		{"when": "the tool " + s.accept + " ", "result": object{"action": "accept", "content": object{"approve": true}}},
		{"when": "the tool " + s.decline + " ", "result": object{"action": "decline"}},
		{"when": "", "result": formAnswer},
	}
}

// TestPeersSeeTheSameThroughCallgate holds what clients observe of servers
// through each bridge against what they observe directly.
func TestPeersSeeTheSameThroughCallgate(t *testing.T) {
	p := openPeers(t)
	all := pairs()
	if len(all) != 28 {
		t.Errorf("%d pairs, want 28", len(all))
	}
	for _, m := range all {
		t.Run(m.name+" and "+m.server.name, func(t *testing.T) {
			t.Parallel()
			m.compare(t, p)
		})
	}
}

// crosses says whether the two are compared over bridges from one transport to
// the other, too. A start of Python takes more than a second, and each bridge
// takes several.
func (m pair) crosses() bool { return !m.python || m.server.http == nil }

// compare goes over all bridges that there are between the two.
func (m pair) compare(t *testing.T, p peers) {
	if m.python || m.server.python {
		p.python(t)
	}
	policy := m.server.policy("peer")
	command, env := m.server.stdio(t, p)
	direct := m.observe(t, p, env, object{"command": command})
	m.complete(t, direct)
	t.Run("stdio to stdio", func(t *testing.T) {
		t.Parallel()
		command, env := m.server.stdio(t, p)
		g := p.gate(t, "peer", policy)
		m.same(t, direct, m.observe(t, p, env, object{"command": g.before(command)}))
	})
	if m.crosses() {
		t.Run("HTTP to stdio", func(t *testing.T) {
			t.Parallel()
			command, env := m.server.stdio(t, p)
			g := p.gateway(t, "peer", policy, local(command, env...))
			m.same(t, direct, m.observe(t, p, nil, object{"url": g.endpoint}))
		})
	}
	if m.server.http == nil {
		return
	}
	listening := func(t *testing.T) string {
		command, env := m.server.http(t, p)
		return p.serve(t, env, command).url
	}
	// A server may write the same otherwise over HTTP, and some clients keep what is written.
	overHTTP := m.observe(t, p, nil, object{"url": listening(t)})
	m.complete(t, overHTTP)
	if m.crosses() {
		t.Run("stdio to HTTP", func(t *testing.T) {
			t.Parallel()
			g := p.gate(t, "peer", policy)
			m.same(t, overHTTP, m.observe(t, p, nil, object{"command": g.run(listening(t))}))
		})
	}
	t.Run("HTTP to HTTP", func(t *testing.T) {
		t.Parallel()
		g := p.gateway(t, "peer", policy, remote(listening(t)))
		m.same(t, overHTTP, m.observe(t, p, nil, object{"url": g.endpoint}))
	})
}

// complete holds that every kind which the matrix claims was done, and that
// each has a step at least that gave a result.
func (m pair) complete(t *testing.T, direct []observed) {
	t.Helper()
	if revision := `"2026-07-28"`; m.modern != strings.Contains(direct[0].line, revision) {
		t.Errorf("directly the two speak otherwise than they were told to: %s", direct[0].line)
	}
	for _, kind := range m.kinds() {
		if !slices.ContainsFunc(direct, func(o observed) bool { return o.Kind == kind && (o.OK != nil || kind == "cancellation") }) {
			t.Errorf("%s gave no result directly: %+v", kind, direct)
		}
	}
}

// same holds observations through the gate against direct ones: they are
// equal, but for what the policy denied and what was declined.
func (m pair) same(t *testing.T, direct, gated []observed) {
	t.Helper()
	for i, was := range direct {
		is := gated[i]
		switch was.Kind {
		case "deny":
			wantDenied(t, fromJSON[result](t, string(is.OK)), "coverage", "COVERAGE_DENIED")
		case "ask declined":
			wantDenied(t, fromJSON[result](t, string(is.OK)), "approval", "DECLINED")
		case "ask accepted":
			if a, b := string(was.OK), string(is.OK); a != b {
				t.Errorf("%s: direct %s\ngated %s", was.Kind, a, b)
			}
		default:
			if was.line != is.line {
				t.Errorf("direct %s\ngated %s", was.line, is.line)
			}
		}
	}
}

// freePort is a port that nothing listens on, for a server that takes no zero.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// matrix is the table for readers, written of the pairs that are compared.
func matrix() string {
	var b strings.Builder
	b.WriteString("| client | server | bridges | " + strings.Join(kinds, " | ") + " |\n|" + strings.Repeat(" --- |", len(kinds)+3) + "\n")
	for _, m := range pairs() {
		bridges := "all four"
		if m.server.http == nil {
			bridges = "to stdio"
		}
		if !m.crosses() {
			bridges = "stdio to stdio, HTTP to HTTP"
		}
		b.WriteString("| " + m.name + " | " + m.server.name + " | " + bridges)
		can := m.kinds()
		for _, k := range kinds {
			if slices.Contains(can, k) {
				b.WriteString(" | same")
			} else {
				b.WriteString(" | ")
			}
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// TestTheMatrixInTheDocumentationIsTheOneCompared rewrites it where
// CALLGATE_UPDATE is 1.
func TestTheMatrixInTheDocumentationIsTheOneCompared(t *testing.T) {
	const begins, ends = "<!-- matrix:begin -->\n", "<!-- matrix:end -->"
	found := 0
	for _, file := range []string{"../../README.md", "../../docs/transports.md"} {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		before, rest, begun := strings.Cut(string(text), begins)
		was, after, ended := strings.Cut(rest, ends)
		if err != nil || begun != ended {
			t.Fatalf("%s: %v; want both %q and %q, or neither", file, err, begins, ends)
		}
		if !begun {
			continue
		}
		found++
		switch {
		case was == matrix():
		case os.Getenv("CALLGATE_UPDATE") == "1":
			if err := os.WriteFile(file, []byte(before+begins+matrix()+ends+after), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s: the matrix is another one than the tests compare; run this test with CALLGATE_UPDATE=1", file)
		}
	}
	if found == 0 {
		t.Errorf("neither README.md nor docs/transports.md has %q", begins)
	}
}
