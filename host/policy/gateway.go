package policy

import (
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// What a gateway does where its configuration says nothing.
const (
	DefaultGatewayGroup = "gateway"
	DefaultSessions     = 1000
	DefaultIdle         = 30 * time.Minute
	DefaultChildren     = 64
	DefaultBody         = 64 << 20
)

// Gateway is the configuration of a gateway, checked as far as the file alone
// shows. Paths are absolute.
type Gateway struct {
	Path    string   // of the file
	Listen  string   // host:port, "" if not stated
	Policy  []string // lowest layer first, [Starter] for the built-in one; nil if not stated
	Floor   string   // "" for none
	Group   string
	Ledger  string          // "" if not stated
	TLS     GatewayTLS      // the zero value: plain HTTP
	Clients []GatewayClient // nil: not stated

	AllowedHosts   []string
	AllowedOrigins []string

	Sessions int           // at once, above zero
	Idle     time.Duration // above zero
	Children int           // at once, above zero
	Body     int64         // bytes, above zero

	Servers []GatewayServer // by name

	label  string // the file as it was named
	places map[string]place
}

// GatewayTLS are files in PEM, "" for none.
type GatewayTLS struct{ Cert, Key, ClientCA string }

// GatewayClient is who may send requests: with a token, or with a certificate.
type GatewayClient struct {
	At          string // JSON Pointer of the entry
	Name        string // unique
	TokenFile   string // "" for none
	Certificate string // the name in it, "" for none
}

// GatewayServer is a server behind the gateway: a command or a URL.
type GatewayServer struct {
	At   string // JSON Pointer of the entry
	Name string

	Command []string // nil with a URL
	Env     []string // NAME=value, each name once
	Cwd     string   // "" for that of the gateway

	URL           string // "" with a command
	SSE           bool   // the URL speaks HTTP+SSE (MCP 2024-11-05)
	HeadersFile   string // "" for none
	Authorization bool   // the client's Authorization header goes to the URL
	CA, Cert, Key string // files in PEM, "" for none
}

// LoadGateway reads the configuration of a gateway as strictly as policies are
// read. read may be nil, as in [Options]. Its error has one line for each
// [Mistake].
func LoadGateway(name string, read func(path string) ([]byte, error)) (*Gateway, error) {
	if read == nil {
		read = ReadFile
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, &Mistake{File: name, Text: "the working directory is unknown; name the file absolutely"}
	}
	data, err := read(name)
	if err != nil {
		return nil, &Mistake{File: name, Text: plainPathError(err).Error() + "; name a readable configuration of a gateway"}
	}
	g := &Gateway{Path: abs, label: name, places: map[string]place{}}
	id := filepath.ToSlash(abs)
	c := converter{issues: issues{gateway: true}, places: g.places, dir: path.Dir(id)}
	if root := parse(data, &c.issues); root != nil {
		c.places[""] = position(root)
		var f gatewayFile
		v := c.convert(root, reflect.TypeFor[gatewayFile](), "", "")
		c.fill(v, reflect.ValueOf(&f).Elem(), "", "")
		c.checkGateway(&f)
		g.take(&f, &c)
	}
	if len(c.list) > 0 {
		return nil, join(c.errorsOf(name, c.places))
	}
	return g, nil
}

// Mistake is an error about a member of the configuration, which is named by
// its JSON Pointer, at its place in the file.
func (g *Gateway) Mistake(at string, err error) error {
	pos := lookup(g.places, at)
	return &Mistake{File: g.label, Line: pos.line, Column: pos.col, Path: display(at), Text: err.Error()}
}

// take keeps what the file says, with the defaults filled in.
func (g *Gateway) take(f *gatewayFile, c *converter) {
	g.Listen, g.Floor, g.Ledger = stated(f.Listen), stated(f.Floor), stated(f.Ledger)
	g.Group, g.AllowedHosts, g.AllowedOrigins = DefaultGatewayGroup, f.AllowedHosts, f.AllowedOrigins
	if f.Group != nil {
		g.Group = *f.Group
	}
	for i, name := range f.Policy {
		if name != Starter {
			name = c.joined(name, abi.JoinIndex("/policy", i))
		}
		g.Policy = append(g.Policy, name)
	}
	if t := f.TLS; t != nil {
		g.TLS = GatewayTLS{stated(t.Cert), stated(t.Key), stated(t.ClientCA)}
	}
	for i, one := range f.Clients {
		g.Clients = append(g.Clients, GatewayClient{abi.JoinIndex("/clients", i), stated(one.Name), stated(one.TokenFile), stated(one.Certificate)})
	}
	g.limits(f.Limits)
	for _, name := range sortedKeys(f.Servers) {
		s, at := f.Servers[name], abi.Join("/servers", name)
		out := GatewayServer{
			At: at, Name: name, Command: s.Command, Env: s.Env, Cwd: stated(s.Cwd), URL: stated(s.URL), SSE: stated(s.Transport) == "sse",
			HeadersFile: stated(s.HeadersFile), Authorization: stated(s.Authorization) == "pass",
		}
		if len(s.Command) > 0 && strings.ContainsAny(s.Command[0], `/\`) {
			out.Command = append([]string{c.joined(s.Command[0], at+"/command/0")}, s.Command[1:]...)
		}
		if t := s.TLS; t != nil {
			out.CA, out.Cert, out.Key = stated(t.CA), stated(t.Cert), stated(t.Key)
		}
		g.Servers = append(g.Servers, out)
	}
}

// joined is a path from the directory of the file.
func (c *converter) joined(name, at string) string {
	out, err := joinDir(c.dir, filepath.ToSlash(name))
	if err != nil && !c.spoiled(at) {
		c.add(at, "%v", err)
	}
	return filepath.FromSlash(out)
}

func (g *Gateway) limits(l *gatewayLimits) {
	g.Sessions, g.Idle, g.Children, g.Body = DefaultSessions, DefaultIdle, DefaultChildren, DefaultBody
	if l == nil {
		return
	}
	if l.Sessions != nil {
		g.Sessions = int(*l.Sessions)
	}
	if l.Children != nil {
		g.Children = int(*l.Children)
	}
	if l.Body != nil {
		g.Body = *l.Body
	}
	if l.Idle != nil {
		g.Idle, _ = time.ParseDuration(*l.Idle) // it was checked
	}
}

func stated(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// GatewaySchema returns the JSON Schema (draft 2020-12) of the configuration of a
// gateway, for editors. It is generated from the types that read the file.
func GatewaySchema() []byte {
	s := describeType(reflect.TypeFor[gatewayFile](), "")
	properties := s.Get("properties")
	version := properties.Get("callgate_gateway")
	s = s.With("properties", properties.With("callgate_gateway",
		object("const", abi.IntValue(formatVersion), "description", version.Get("description"))))
	s = s.With("$schema", abi.StringValue("https://json-schema.org/draft/2020-12/schema"))
	s = s.With("title", abi.StringValue("Callgate gateway"))
	s = s.With("required", texts([]string{"callgate_gateway", "servers"}))
	return append(indent(nil, s, ""), '\n')
}
