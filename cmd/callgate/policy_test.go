package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/wire"
)

// listFrom has a server of canned lines answer a client that asks for tools: one
// entry of answers for each request, %s in it is the id.
func listFrom(t *testing.T, answers []string) ([]abi.Value, string, error) {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	asked := make(chan string, 1)
	go func() {
		var seen []string
		defer func() { asked <- strings.Join(seen, " "); toClient.Close(); fromClient.Close() }()
		lines := bufio.NewScanner(fromClient)
		for lines.Scan() {
			request, err := abi.Parse(lines.Bytes())
			if err != nil || !request.Get("id").Exists() {
				continue
			}
			if request.Get("error").Exists() {
				seen = append(seen, "refused")
				continue
			}
			seen = append(seen, request.Get("method").Str()+request.At("/params/cursor").Str())
			if len(answers) == 0 {
				return
			}
			answer := strings.ReplaceAll(answers[0], "%s", request.Get("id").Lexeme())
			answers = answers[1:]
			if _, err := io.WriteString(toClient, answer+"\n"); err != nil {
				return
			}
		}
	}()
	p := &listPeer{in: toServer, out: wire.NewReader(fromServer, maxListLine)}
	tools, err := p.all()
	toServer.Close()
	fromServer.Close()
	return tools, <-asked, err
}

func TestEveryPageOfAListIsAskedFor(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
	page := func(name, next string) string {
		return `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"` + name + `","inputSchema":{"x-kept":1.0}}]` + next + `}}`
	}
	ran := 0
	for _, tt := range []struct {
		name    string
		answers []string
		tools   int
		asked   string // what the server saw
		err     string
	}{
		{"one page", []string{hello, page("a", "")}, 1, "initialize tools/list", ""},
		{"three pages", []string{hello, page("a", `,"nextCursor":"2"`), page("b", `,"nextCursor":"3"`), page("c", "")}, 3, "initialize tools/list tools/list2 tools/list3", ""},
		{"a null cursor ends it", []string{hello, page("a", `,"nextCursor":null`)}, 1, "initialize tools/list", ""},
		{"notifications and strangers are passed over", []string{hello, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}` + "\n" + `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n" + page("a", "")}, 1, "initialize tools/list", ""},
		{"what the server asks is refused", []string{hello, `{"jsonrpc":"2.0","id":7,"method":"roots/list"}` + "\n" + page("a", "")}, 1, "initialize tools/list refused", ""},
		{"an error", []string{hello, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}`}, 0, "initialize tools/list", "answers tools/list with an error"},
		{"a frame with a name twice", []string{hello, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[]},"result":{}}`}, 0, "initialize tools/list", "a frame that is not relayed"},
		{"no list", []string{hello, `{"jsonrpc":"2.0","id":%s,"result":{}}`}, 0, "initialize tools/list", "want a list of tool definitions"},
		{"nothing more", []string{hello}, 0, "initialize tools/list", "ended before it answered tools/list"},
		{"an end without end", append([]string{hello}, manyPages(page("a", `,"nextCursor":"x"`))...), 0, "", "more than 200 pages"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ran++
			tools, asked, err := listFrom(t, tt.answers)
			switch {
			case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Fatalf("error %v; want %q", err, tt.err)
			case len(tools) != tt.tools && tt.err == "":
				t.Errorf("%d tools; want %d", len(tools), tt.tools)
			case tt.asked != "" && asked != tt.asked:
				t.Errorf("asked %q; want %q", asked, tt.asked)
			}
			for _, d := range tools {
				if d.At("/inputSchema/x-kept").Lexeme() != "1.0" {
					t.Errorf("%s; want it as it was received", d)
				}
			}
		})
	}
	if ran != 10 {
		t.Fatalf("%d cases ran", ran)
	}
}

func manyPages(page string) []string {
	out := make([]string, maxListPages+1)
	for i := range out {
		out[i] = page
	}
	return out
}

func TestServersOfAConfigurationAreStartedAsTheirClientDoes(t *testing.T) {
	t.Setenv("TOKEN_OF_TEST", "secret")
	dir := t.TempDir()
	ran := 0
	for _, tt := range []struct {
		name, file, text string
		command          string // joined with |
		env, dir, why    string
	}{
		{"plain", "a.json", `{"mcpServers":{"s":{"command":"npx","args":["-y","server"]}}}`, "npx|-y|server", "", dir, ""},
		{"comments, env and cwd", "a.json", `{"mcpServers":{"s":{/* x */"command":"npx","env":{"A":"b c",},"cwd":"/srv"}}}`, "npx", "A=b c", "/srv", ""},
		{"a variable", "a.json", `{"servers":{"s":{"command":"npx","args":["${workspaceFolder}/x"],"env":{"T":"${env:TOKEN_OF_TEST}"}}}}`, "npx|" + dir + "/x", "T=secret", dir, ""},
		{"a variable with a default", "a.json", `{"mcpServers":{"s":{"command":"npx","args":["${NOT_SET_AT_ALL:-x}"]}}}`, "npx|x", "", dir, ""},
		{"a variable of the client", "a.json", `{"servers":{"s":{"command":"npx","env":{"T":"${input:token}"}}}}`, "npx", "", dir, "${input:token}"},
		{"wrapped", "a.json", `{"mcpServers":{"s":{"command":"/usr/bin/callgate","args":["run","--server","s","--","npx","server"],"env":{"A":"1"}}}}`, "npx|server", "A=1", dir, ""},
		{"a URL", "a.json", `{"mcpServers":{"s":{"url":"https://mcp.example/"}}}`, "", "", dir, "remote"},
		{"TOML", "a.toml", "[mcp_servers.s]\ncommand = \"npx\"\nargs = [\"x\"]\n[mcp_servers.s.env]\nA = \"1\"\n", "npx|x", "A=1", dir, ""},
		{"a byte order mark", "a.json", "\xef\xbb\xbf" + `{"mcpServers":{"s":{"command":"npx","env":{"A":"1"}}}}`, "npx", "A=1", dir, ""},
		{"a comment without a line end", "a.json", `{"mcpServers":{"s":{"command":"npx","env":{"A":"1"}}}} // end`, "npx", "A=1", dir, ""},
		{"what YAML reads otherwise", "a.json", `{"x\/\ud83d\ude00":"` + "\x7f" + `","` + strings.Repeat("k", 2000) + `":1,"mcpServers":{"s":{"command":"npx","env":{"A":"\ud83d\ude00","N":12345678}}}}`, "npx", "A=\U0001f600", dir, ""},
		{"a number", "a.json", `{"mcpServers":{"s":{"command":"npx","env":{"A":12345678}}}}`, "npx", "A=12345678", dir, ""},
		{"a project's own", "a.json", `{"projects":{"/other":{"mcpServers":{"s":{"command":"other","env":{"A":"other"}}}},"` + filepath.ToSlash(dir) + `":{"mcpServers":{"s":{"command":"npx","env":{"A":"1"}}}}}}`, "npx", "A=1", dir, ""},
		{"an older Zed", "a.json", `{"context_servers":{"s":{"command":{"path":"npx","args":["x"],"env":{"A":"1"}}}}}`, "npx|x", "A=1", dir, ""},
		{"TOML with a byte order mark", "a.toml", "\xef\xbb\xbf[mcp_servers.s]\ncommand = \"npx\"\nenv = {A = \"1\"}\n", "npx", "A=1", dir, ""},
		{"YAML", "a.yaml", "mcpServers:\n  - name: s\n    command: npx\n    args: [x]\n    env: {A: \"1\"}\n", "npx|x", "A=1", dir, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ran++
			layout, ok := clients.Guess(tt.file)
			if !ok {
				t.Fatalf("no layout for %s", tt.file)
			}
			list, err := launchesOf(clients.Found{Layout: layout}, []byte(tt.text), dir)
			if err != nil || len(list) != 1 {
				t.Fatalf("%d servers, %v; want one", len(list), err)
			}
			l := list[0]
			if got := strings.Join(l.command, "|"); l.name != "s" || got != tt.command || filepath.ToSlash(l.dir) != filepath.ToSlash(tt.dir) {
				t.Errorf("server %q runs %q in %q; want s, %q in %q", l.name, got, l.dir, tt.command, tt.dir)
			}
			if tt.env != "" && !strings.Contains("\n"+strings.Join(l.env, "\n")+"\n", "\n"+tt.env+"\n") {
				t.Errorf("no %s in its environment", tt.env)
			}
			if tt.why == "" && l.why != "" || !strings.Contains(l.why, tt.why) {
				t.Errorf("why %q; want %q", l.why, tt.why)
			}
		})
	}
	if ran != 16 {
		t.Fatalf("%d cases ran", ran)
	}
}

func TestWhatAProjectHasCountsBeforeWhatAUserHas(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	const server = `{"s":{"command":"%","env":{"A":"%"}}}`
	text := `{"mcpServers":` + strings.ReplaceAll(server, "%", "user") + `,"projects":{"` + dir + `":{"mcpServers":` + strings.ReplaceAll(server, "%", "project") + `}}}`
	layout, _ := clients.Guess("a.json")
	list, err := launchesOf(clients.Found{Layout: layout}, []byte(text), dir)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d servers, %v; want two", len(list), err)
	}
	for i, want := range []string{"project", "user"} {
		if l := list[i]; l.command[0] != want || !slices.Contains(l.env, "A="+want) {
			t.Errorf("%d: %q with %q; want that of the %s", i, l.command, l.env, want)
		}
	}
}

func TestADraftOverwritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := writeNew(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	err := writeNew(path, []byte("two"))
	if data, _ := os.ReadFile(path); string(data) != "one" || err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("%q, %v; want what was there, and an error", data, err)
	}
	// A platform without links has none to follow.
	if err := os.Symlink(path+".gone", path+".link"); err == nil && writeNew(path+".link", []byte("two")) == nil {
		t.Error("a link is followed")
	}
}
