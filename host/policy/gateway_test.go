package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// loadGateway loads one text as /p/gateway.yaml.
func loadGateway(text string) (*Gateway, error) {
	return LoadGateway("/p/gateway.yaml", memory{"/p/gateway.yaml": text}.read)
}

// served makes a configuration with one server and more lines.
func served(lines ...string) string {
	return "callgate_gateway: 1\nservers: {files: {command: [cat]}}\n" + strings.Join(lines, "\n") + "\n"
}

// serverOf makes a configuration of one server.
func serverOf(entry string) string { return "callgate_gateway: 1\nservers: {x: " + entry + "}\n" }

const (
	certAndKey = "tls: {cert: c.pem, key: k.pem, client_ca: ca.pem}"
	twoClients = "clients: [{name: a, token_file: a.token}, {name: b, token_file: b.token}]"
)

// gatewayMistakes are configurations that do not load, what the error says, and
// a neighbour that does load.
var gatewayMistakes = []mistake{
	{"nothing", "", []string{"/p/gateway.yaml:1:1: empty file; want at least callgate_gateway: 1"}, served()},
	{"no version", "servers: {x: {command: [cat]}}\n", []string{"no format version; start the file with callgate_gateway: 1"}, served()},
	{"a version of tomorrow", "callgate_gateway: 2\nservers: {x: {command: [cat]}}\n", []string{"/p/gateway.yaml:1:19: callgate_gateway: format version 2 is unknown; this build reads callgate_gateway: 1"}, served()},
	{"a version that is text", "callgate_gateway: \"1\"\nservers: {x: {command: [cat]}}\n", []string{":1:19: callgate_gateway: \"1\" is text"}, served()},
	{"an unknown key", served("listn: a"), []string{`/p/gateway.yaml:3:1: listn: unknown key "listn"; did you mean "listen"?`}, served("listen: a")},
	{"a key of the top in a server", serverOf("{command: [cat], group: g}"), []string{"group: stands at the top of the file"}, serverOf("{command: [cat], cwd: g}")},
	{"a key twice", served("listen: a", "listen: b"), []string{`:4:1: listen: duplicate key "listen", first in line 3`}, served("listen: a")},
	{"two documents", served() + "---\n" + served(), []string{"a second document; a configuration is one document, so remove the line ---"}, served()},
	{"an alias", "callgate_gateway: 1\nservers: {x: &s {command: [cat]}, y: *s}\n", []string{"an anchor, &s", "an alias, *s"}, "callgate_gateway: 1\nservers: {x: {command: [cat]}, y: {command: [cat]}}\n"},
	{"a merge key", "callgate_gateway: 1\nservers: {x: {<<: {command: [cat]}}}\n", []string{"a merge key, <<; write the members out"}, served()},
	{"too many values", served("allowed_hosts: [" + strings.ReplaceAll(many("h%d", maxNodes), ", ", ",\n ") + "]"), []string{"values; write fewer"}, served("allowed_hosts: [" + strings.ReplaceAll(many("h%d", 300), ", ", ",\n ") + "]")},
	{"no value", served("listen:"), []string{"listen: no value"}, served("listen: a")},
	{"no servers", "callgate_gateway: 1\n", []string{"no servers; name one"}, served()},
	{"an empty map of servers", "callgate_gateway: 1\nservers: {}\n", []string{"no servers; name one"}, served()},
	{"every server", "callgate_gateway: 1\nservers: {\"*\": {command: [cat]}}\n", []string{`"*" is not the exact name of a server`}, served()},
	{"a server with a slash", "callgate_gateway: 1\nservers: {a/b: {command: [cat]}}\n", []string{"is not the exact name of a server"}, "callgate_gateway: 1\nservers: {a b: {command: [cat]}}\n"},
	{"a group that is a path", served("group: a/b"), []string{`group: "a/b" is not a name`}, served("group: a.b")},
	{"no policy files", served("policy: []"), []string{"policy: an empty list; name a policy file"}, served("policy: [starter]")},
	{"a policy from a variable", served("policy: [$HOME/p.yaml]"), []string{":3:10: policy[0]: ", "neither ~ nor variables"}, served("policy: [p.yaml]")},
	{"a certificate without a key", served("tls: {cert: c.pem}"), []string{"tls: a certificate and its key go together"}, served("tls: {cert: c.pem, key: k.pem}")},
	{"a client CA alone", served("tls: {client_ca: c.pem}"), []string{"tls: a certificate and its key go together"}, served(certAndKey)},
	{"nobody", served("clients: []"), []string{"clients: an empty list lets nobody in"}, served(twoClients)},
	{"a client without a name", served("clients: [{token_file: a}]"), []string{"clients[0]: no name"}, served("clients: [{name: a, token_file: a}]")},
	{"a client that nothing tells from others", served("clients: [{name: a}]"), []string{"clients[0]: nothing tells the client from others"}, served("clients: [{name: a, token_file: a}]")},
	{"a token and a certificate", served(certAndKey, "clients: [{name: a, token_file: a, certificate: a}]"), []string{"clients[0]: both a token and a certificate"}, served(certAndKey, "clients: [{name: a, token_file: a}, {name: b, certificate: a}]")},
	{"a certificate that nobody asks for", served("clients: [{name: a, certificate: a}]"), []string{":3:34: clients[0].certificate: no client certificate is asked for"}, served(certAndKey, "clients: [{name: a, certificate: a}]")},
	{"a client twice", served("clients: [{name: a, token_file: a}, {name: a, token_file: b}]"), []string{`clients[1].name: client "a" is also clients[0]`}, served(twoClients)},
	{"a certificate twice", served(certAndKey, "clients: [{name: a, certificate: x}, {name: b, certificate: x}]"), []string{`clients[1].certificate: certificate "x" is also that of clients[0]`}, served(certAndKey, "clients: [{name: a, certificate: x}, {name: b, certificate: y}]")},
	{"a limit of nobody", served("limits: {sessions: 0}"), []string{"limits.sessions: a limit of 0; want 1 to"}, served("limits: {sessions: 1}")},
	{"a limit without an end", served("limits: {children: 1000001}"), []string{"limits.children: a limit of 1000001"}, served("limits: {children: 1000000}")},
	{"a body of nothing", served("limits: {body: 0}"), []string{"limits.body: no request is that small"}, served("limits: {body: 1KiB}")},
	{"no time", served("limits: {idle: 0s}"), []string{"limits.idle: \"0s\" is not a duration"}, served("limits: {idle: 1s}")},
	{"neither command nor url", serverOf("{cwd: x}"), []string{"servers.x: neither command nor url"}, serverOf("{cwd: x, command: [cat]}")},
	{"command and url", serverOf("{command: [cat], url: \"http://localhost/\"}"), []string{"servers.x: both command and url"}, serverOf("{url: \"http://localhost/\"}")},
	{"an empty command", serverOf("{command: []}"), []string{"servers.x.command: an empty list"}, serverOf("{command: [cat]}")},
	{"a command that is text", serverOf("{command: cat}"), []string{"want a list, such as [cat]"}, serverOf("{command: [cat]}")},
	{"headers for a command", serverOf("{command: [cat], headers_file: h}"), []string{"servers.x.headers_file: headers_file is for url:; a command takes env, cwd"}, serverOf("{url: \"https://a.example/\", headers_file: h}")},
	{"a directory for a url", serverOf("{url: \"https://a.example/\", cwd: d}"), []string{"servers.x.cwd: cwd is for command:; a url takes transport, headers_file, authorization, tls"}, serverOf("{command: [cat], cwd: d}")},
	{"a transport that is none", serverOf("{url: \"https://a.example/\", transport: websocket}"), []string{`unknown value "websocket"; accepted: streamable, sse`}, serverOf("{url: \"https://a.example/\", transport: sse}")},
	{"a url of a file", serverOf("{url: \"file:///etc/passwd\"}"), []string{"servers.x.url: not the URL of a server"}, serverOf("{url: \"https://a.example/\"}")},
	{"a url with a password", serverOf("{url: \"https://a:secret@a.example/\"}"), []string{"servers.x.url: the URL has a user in it"}, serverOf("{url: \"https://a.example/\"}")},
	{"a url with a fragment", serverOf("{url: \"https://a.example/#x\"}"), []string{"servers.x.url: the URL has a fragment"}, serverOf("{url: \"https://a.example/?x\"}")},
	{"headers in the clear", serverOf("{url: \"http://a.example/\", headers_file: h}"), []string{"servers.x.url: secrets would be sent in the clear"}, serverOf("{url: \"http://127.0.0.1/\", headers_file: h}")},
	{"authorization in the clear", serverOf("{url: \"http://a.example/\", authorization: pass}"), []string{"servers.x.url: secrets would be sent in the clear"}, serverOf("{url: \"http://a.example/\", authorization: none}")},
	{"authorization for HTTP+SSE", serverOf("{url: \"https://a.example/\", transport: sse, authorization: pass}"), []string{"servers.x.authorization: HTTP+SSE has one connection"}, serverOf("{url: \"https://a.example/\", transport: streamable, authorization: pass}")},
	{"certificates without TLS", serverOf("{url: \"http://localhost/\", tls: {ca: c}}"), []string{"servers.x.tls: the URL is http://"}, serverOf("{url: \"https://localhost/\", tls: {ca: c}}")},
	{"half a certificate", serverOf("{url: \"https://localhost/\", tls: {key: k}}"), []string{"servers.x.tls: a certificate and its key go together"}, serverOf("{url: \"https://localhost/\", tls: {cert: c, key: k}}")},
	{"variables as a map", serverOf("{command: [cat], env: {A: b}}"), []string{`servers.x.env: a map; want a list, such as [NAME=value]`}, serverOf("{command: [cat], env: [A=b]}")},
	{"a variable without a value", serverOf("{command: [cat], env: [TOKEN]}"), []string{`servers.x.env[0]: variable "TOKEN" has no value`}, serverOf("{command: [cat], env: [TOKEN=]}")},
	{"no variable", serverOf("{command: [cat], env: [\"a b=c\"]}"), []string{"servers.x.env[0]: not a variable with its value"}, serverOf("{command: [cat], env: [\"ab=c d\"]}")},
	{"a variable of ours", serverOf("{command: [cat], env: [CALLGATE_X=1]}"), []string{`variable "CALLGATE_X" is kept from servers`}, serverOf("{command: [cat], env: [X=1]}")},
	{"a variable twice", serverOf("{command: [cat], env: [X=1, X=2]}"), []string{`servers.x.env[1]: variable "X" is also env[0]`}, serverOf("{command: [cat], env: [X=1, x=2]}")},
}

func TestGatewayMistakesHaveAPlaceAndAMend(t *testing.T) {
	if len(gatewayMistakes) < 40 {
		t.Fatalf("%d cases", len(gatewayMistakes))
	}
	for _, m := range gatewayMistakes {
		t.Run(m.name, func(t *testing.T) {
			_, err := loadGateway(m.text)
			if err == nil {
				t.Fatal("it loads")
			}
			for _, want := range m.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %s", err, want)
				}
			}
			if strings.Contains(err.Error(), "secret") && !strings.Contains(err.Error(), "secrets") {
				t.Errorf("the error shows a password: %v", err)
			}
			if _, err := loadGateway(m.twin); err != nil {
				t.Errorf("the twin: %v", err)
			}
		})
	}
}

func TestAGatewayIsReadWithItsDefaults(t *testing.T) {
	g, err := loadGateway(served())
	if err != nil {
		t.Fatal(err)
	}
	g.places = nil
	want := &Gateway{
		Path: abs(t, "/p/gateway.yaml"), Group: "gateway", Sessions: 1000, Idle: 30 * time.Minute, Children: 64, Body: 64 << 20,
		Servers: []GatewayServer{{At: "/servers/files", Name: "files", Command: []string{"cat"}}}, label: "/p/gateway.yaml",
	}
	if !reflect.DeepEqual(g, want) {
		t.Errorf("%+v\nwant %+v", g, want)
	}
}

func abs(t *testing.T, name string) string {
	t.Helper()
	out, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPathsOfAGatewayStartFromItsFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the paths below are absolute elsewhere
	}
	g, err := loadGateway(`callgate_gateway: 1
listen: 127.0.0.1:7777
policy: [starter, ../p.yaml]
floor: floor.yaml
group: team
ledger: ledgers
tls: {cert: c.pem, key: /k.pem, client_ca: ca/c.pem}
clients: [{name: bot, token_file: bot.token}, {name: al, certificate: "spiffe://a/b"}]
allowed_hosts: [gw.example]
allowed_origins: ["https://app.example"]
limits: {sessions: 5, idle: 90s, children: 2, body: 1MiB}
servers:
  b: {url: "https://b.example/mcp", transport: streamable, headers_file: b.headers, authorization: pass, tls: {ca: a, cert: b, key: c}}
  a: {command: [bin/server, ./data], env: [A=1], cwd: work}
  c: {command: [node, bin/server]}
  d: {url: "http://d.example/sse", transport: sse}
`)
	if err != nil {
		t.Fatal(err)
	}
	g.places = nil
	want := &Gateway{
		Path: "/p/gateway.yaml", Listen: "127.0.0.1:7777", Policy: []string{"starter", "/p.yaml"}, Floor: "/p/floor.yaml", Group: "team", Ledger: "/p/ledgers",
		TLS:          GatewayTLS{"/p/c.pem", "/k.pem", "/p/ca/c.pem"},
		Clients:      []GatewayClient{{"/clients/0", "bot", "/p/bot.token", ""}, {"/clients/1", "al", "", "spiffe://a/b"}},
		AllowedHosts: []string{"gw.example"}, AllowedOrigins: []string{"https://app.example"}, Sessions: 5, Idle: 90 * time.Second, Children: 2, Body: 1 << 20,
		Servers: []GatewayServer{
			{At: "/servers/a", Name: "a", Command: []string{"/p/bin/server", "./data"}, Env: []string{"A=1"}, Cwd: "/p/work"},
			{At: "/servers/b", Name: "b", URL: "https://b.example/mcp", HeadersFile: "/p/b.headers", Authorization: true, CA: "/p/a", Cert: "/p/b", Key: "/p/c"},
			{At: "/servers/c", Name: "c", Command: []string{"node", "bin/server"}},
			{At: "/servers/d", Name: "d", URL: "http://d.example/sse", SSE: true},
		},
		label: "/p/gateway.yaml",
	}
	if !reflect.DeepEqual(g, want) {
		t.Errorf("%+v\nwant %+v", g, want)
	}
}

func TestAMistakeThatIsFoundLaterHasItsPlace(t *testing.T) {
	g, err := loadGateway(served("listen: 0.0.0.0:1", "clients: [{name: a, token_file: a}]"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		"/listen":               "/p/gateway.yaml:3:9: listen: no",
		"/clients/0/token_file": "/p/gateway.yaml:4:33: clients[0].token_file: no",
		"/servers/files/cwd":    "/p/gateway.yaml:2:11: servers.files.cwd: no", // of what is around it
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for at, want := range cases {
		if got := g.Mistake(at, errors.New("no")).Error(); got != want {
			t.Errorf("%s: %s; want %s", at, got, want)
		}
	}
}

func TestAGatewayWithoutAFileIsAMistake(t *testing.T) {
	_, err := LoadGateway("none.yaml", memory{}.read)
	if err == nil || err.Error() != "none.yaml: file does not exist; name a readable configuration of a gateway" {
		t.Error(err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "g.yaml")
	if err := os.WriteFile(name, []byte(served()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadGateway(name, nil); err != nil {
		t.Error(err)
	}
}

func TestGatewaySchemaNamesEveryKey(t *testing.T) {
	v, err := abi.Parse(GatewaySchema())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	v.Walk("", func(at string, _ abi.Value, key bool) {
		if key && strings.Contains(at, "/properties/") {
			found[at[strings.LastIndexByte(at, '/')+1:]] = true
		}
	})
	keys := 0
	for _, typ := range []reflect.Type{reflect.TypeFor[gatewayFile](), reflect.TypeFor[gatewayTLS](), reflect.TypeFor[gatewayClient](), reflect.TypeFor[gatewayLimits](), reflect.TypeFor[gatewayServer](), reflect.TypeFor[gatewayServerTLS]()} {
		for _, f := range fieldsOf(typ) {
			if keys++; f.name == "" || !strings.HasSuffix(f.tag.Get("doc"), ".") || !found[f.name] {
				t.Errorf("%s: key %q, description %q, in the schema %v", typ, f.name, f.tag.Get("doc"), found[f.name])
			}
		}
	}
	if keys < 30 {
		t.Errorf("%d keys", keys)
	}
	if v.At("/properties/callgate_gateway/const").Lexeme() != "1" || !v.Get("required").Equal(texts([]string{"callgate_gateway", "servers"})) {
		t.Errorf("head of the schema: %s", v.At("/properties/callgate_gateway"))
	}
}

func FuzzLoadGateway(f *testing.F) {
	for _, m := range gatewayMistakes {
		if len(m.text) < 4096 {
			f.Add([]byte(m.text))
		}
		if len(m.twin) < 4096 {
			f.Add([]byte(m.twin))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := LoadGateway("/p/gateway.yaml", func(string) ([]byte, error) { return data, nil })
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x00\x1b\r") {
				t.Fatalf("raw control characters in %q", err)
			}
			return
		}
		if len(g.Servers) == 0 || g.Sessions < 1 || g.Children < 1 || g.Body < 1 || g.Idle <= 0 || g.Clients != nil && len(g.Clients) == 0 {
			t.Fatalf("it serves nobody or nothing: %+v", g)
		}
		names := []string{}
		for _, s := range g.Servers {
			if (len(s.Command) == 0) == (s.URL == "") || s.Command != nil && s.HeadersFile != "" {
				t.Fatalf("neither command nor URL, or both: %+v", s)
			}
			names = append(names, s.Name)
		}
		if !slices.IsSorted(names) {
			t.Fatal("servers have no order")
		}
		if fmt.Sprint(g.Mistake("/servers", errors.New("x"))) == "" {
			t.Fatal("no place")
		}
	})
}
