package main

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/facts"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// gatewayParts are what a gateway is made of, all that its files say checked.
type gatewayParts struct {
	config  *policy.Gateway
	policy  *policy.Policy // as it was at the start
	follow  *reloading
	hook    *approval.Webhook
	place   abi.Place
	listen  string
	tls     *tls.Config
	clients *gatewayClients
	guard   transport.Guard
	servers map[string]proxy.GatewayServer
	ledger  string // "": below the state directory
	state   string
	keep    []string // files that calls are kept away from
	alone   bool     // nothing that a server leaves behind can pass for a terminal
}

// setUp reads the files of a gateway. What is wrong with any of them is said
// before anything starts.
func (f gatewayFlags) setUp(std stdio) (*serving, error) {
	if f.config == "" {
		return nil, errors.New("callgate gateway: no configuration; name it with --config FILE, docs/transports.md describes it")
	}
	c, err := policy.LoadGateway(f.config, nil)
	if err != nil {
		return nil, err
	}
	s := &serving{std: std, gatewayParts: gatewayParts{config: c, alone: true}}
	s.policy, err = f.loadPolicy(c)
	if err != nil {
		return nil, err
	}
	if s.hook, err = webhook(s.policy); err != nil {
		return nil, err
	}
	if s.place, err = place(); err != nil {
		return nil, err
	}
	s.clients, err = readClients(c)
	err = errors.Join(err, s.takeTLS(), s.takeListen(f.listen), s.takeGuard(), s.takeServers())
	if err != nil {
		return nil, err
	}
	s.follow = newReloading(std, f.options(c), proxy.Loaded{Policy: s.policy, Webhook: s.hook}, s.names(), s.attestable)
	return s, s.takeLedger(f.ledger)
}

// loadPolicy loads what the flags name, and else what the configuration does.
func (f gatewayFlags) loadPolicy(c *policy.Gateway) (*policy.Policy, error) {
	return policy.Load(f.options(c))
}

// options are those that the policy is loaded with.
func (f gatewayFlags) options(c *policy.Gateway) policy.Options {
	files := f.policies
	if len(files) == 0 {
		files = c.Policy
	}
	floor, _ := choose(c, f.floor, c.Floor, "/floor")
	return served(policy.Options{Files: files, Floor: floor, Specs: builtin.Table(), Plugin: pluginLoads, Run: true, Group: true})
}

// names lists the servers.
func (p *gatewayParts) names() []string {
	var list []string
	for _, one := range p.config.Servers {
		list = append(list, one.Name)
	}
	return list
}

// attestable says why a policy says of a server what can not be held to.
func (p *gatewayParts) attestable(to *policy.Policy) error {
	var errs []error
	for _, one := range p.config.Servers {
		errs = append(errs, attestable(to, one.Name, one.Command, one.URL != ""))
	}
	return errors.Join(errs...)
}

func (p *gatewayParts) takeListen(flag string) error {
	listen, at := choose(p.config, flag, p.config.Listen, "/listen")
	if listen == "" {
		return fmt.Errorf("callgate gateway: no address; name one with --listen, such as --listen 127.0.0.1:7777, or with listen: in %q", p.config.Path)
	}
	if err := transport.CheckListen(listen, p.config.TLS.Cert != "", p.config.TLS.ClientCA != "" || len(p.config.Clients) > 0); err != nil {
		return at(err)
	}
	p.listen = listen
	return nil
}

func (p *gatewayParts) takeTLS() error {
	t := p.config.TLS
	if t.Cert == "" {
		return nil
	}
	p.keep = append(p.keep, t.Cert, t.Key)
	if err := policy.CheckSecret(t.Key, "the key of the gateway"); err != nil {
		return p.config.Mistake("/tls/key", err)
	}
	if t.ClientCA != "" {
		p.keep = append(p.keep, t.ClientCA)
	}
	config, err := transport.ServerTLS(t.Cert, t.Key, t.ClientCA)
	if err != nil {
		return p.config.Mistake("/tls", err)
	}
	p.tls = config
	return nil
}

// takeGuard checks each name, so that a mistake has its place.
func (p *gatewayParts) takeGuard() error {
	var errs []error
	for i, host := range p.config.AllowedHosts {
		if err := (transport.Guard{Hosts: []string{host}}).Validate(); err != nil {
			errs = append(errs, p.config.Mistake(abi.JoinIndex("/allowed_hosts", i), err))
		}
	}
	for i, origin := range p.config.AllowedOrigins {
		if err := (transport.Guard{Origins: []string{origin}}).Validate(); err != nil {
			errs = append(errs, p.config.Mistake(abi.JoinIndex("/allowed_origins", i), err))
		}
	}
	p.guard = transport.Guard{Hosts: p.config.AllowedHosts, Origins: p.config.AllowedOrigins}
	return errors.Join(errs...)
}

func (p *gatewayParts) takeServers() error {
	p.servers = map[string]proxy.GatewayServer{}
	var errs []error
	for _, one := range p.config.Servers {
		take := p.local
		if one.URL != "" {
			take = p.remote
		}
		server, err := take(one)
		errs = append(errs, err)
		p.servers[one.Name] = server
	}
	return errors.Join(errs...)
}

// local is a server that is started.
func (p *gatewayParts) local(one policy.GatewayServer) (proxy.GatewayServer, error) {
	fail := func(at string, err error) (proxy.GatewayServer, error) {
		return proxy.GatewayServer{}, p.config.Mistake(one.At+at, err)
	}
	said := p.policy.Server(one.Name)
	if said.Cwd != "" && one.Cwd != "" && filepath.Clean(one.Cwd) != filepath.Clean(said.Cwd) {
		return fail("/cwd", fmt.Errorf("%q, but the policy says that the server runs in %q; state the same in both", one.Cwd, said.Cwd))
	}
	dir := cmp.Or(one.Cwd, said.Cwd)
	if dir != "" {
		if err := enterable(dir); err != nil && one.Cwd != "" {
			return fail("/cwd", err)
		} else if err != nil {
			return proxy.GatewayServer{}, fmt.Errorf("%s: %w", said.CwdAt, err)
		}
	}
	if _, err := facts.Program(one.Command[0], dir); err != nil {
		return fail("/command/0", fmt.Errorf("%q: %w; name a command of PATH, or one with its path", one.Command[0], err))
	}
	if err := attestable(p.policy, one.Name, one.Command, false); err != nil {
		return fail("/command", err)
	}
	for i, kv := range one.Env {
		name, _, _ := strings.Cut(kv, "=")
		if said.HasEnv && !slices.Contains(said.Env, name) {
			return fail(abi.JoinIndex("/env", i), fmt.Errorf("the policy keeps variable %q from the server; name it in servers.%s.env of the policy, or leave it out here", name, one.Name))
		}
	}
	return proxy.GatewayServer{
		Command: one.Command, Dir: dir, Attest: attestation(p.policy, one.Name), Env: proxy.Environment(append(os.Environ(), one.Env...), said.Env, said.HasEnv),
	}, nil
}

// remote is a server at a URL.
func (p *gatewayParts) remote(one policy.GatewayServer) (proxy.GatewayServer, error) {
	fail := func(at string, err error) (proxy.GatewayServer, error) {
		return proxy.GatewayServer{}, p.config.Mistake(one.At+at, err)
	}
	if err := attestable(p.policy, one.Name, nil, true); err != nil {
		return fail("/url", err)
	}
	files := upstreamFiles{headers: one.HeadersFile, ca: one.CA, cert: one.Cert, key: one.Key}
	p.keep = append(p.keep, files.names()...)
	o, err := files.options(one.URL)
	var wrong upstreamMistake
	if errors.As(err, &wrong) {
		return fail(wrong.member, wrong.err)
	}
	if one.Authorization && o.Header.Get("Authorization") != "" {
		return fail("/authorization", fmt.Errorf("%q has an Authorization header too; keep one of the two", one.HeadersFile))
	}
	up, err := transport.NewUpstream(o)
	if err != nil {
		return fail("", err)
	}
	return proxy.GatewayServer{Remote: up, Legacy: one.SSE, Authorization: one.Authorization}, nil
}

// takeLedger finds the directory of the ledgers, and makes it: whoever can not
// keep one serves nobody.
func (p *gatewayParts) takeLedger(flag string) error {
	named, at := choose(p.config, flag, p.config.Ledger, "/ledger")
	if named == "" {
		state, err := ledger.StateDir(os.Getenv)
		if err != nil {
			return err
		}
		p.state = state
		return os.MkdirAll(state, 0o700)
	}
	dir, err := filepath.Abs(named)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return at(fmt.Errorf("the ledgers have no directory: %w; name one that can be written", err))
	}
	p.ledger = dir
	return nil
}

// group returns the group of a client, and the directory of its ledgers.
func (p *gatewayParts) group(client string) (id, dir string) {
	id = p.config.Group
	if client != "" {
		id += "-" + client
	}
	dir = ledger.GroupDir(p.state, id)
	if p.ledger != "" {
		dir = filepath.Join(p.ledger, filepath.Base(dir))
	}
	return id, dir
}

// open joins the group of a client, for a server.
func (s *serving) open(server string, client proxy.GatewayClient) (*proxy.Opened, proxy.KeeperOptions, error) {
	group, dir := s.group(client.Name)
	here := s.place
	if cwd := s.servers[server].Dir; cwd != "" {
		here.Dir = cwd
	}
	now := s.follow.Current()
	opened, err := proxy.Open(proxy.Opening{
		Policy: now.Policy, Specs: builtin.Table(), Plugin: pluginOf, Server: server, Group: group, Dir: dir, Place: here, Version: version(),
		Principal: abi.Principal{Subject: client.Name}, Protected: s.protected(dir), Local: len(s.servers[server].Command) > 0,
	})
	if err != nil {
		return nil, proxy.KeeperOptions{}, err
	}
	ask := asking(now.Policy, now.Webhook, approval.Info{ID: opened.Ledger.ID(), Server: server, Group: group, Ledger: opened.Ledger.Path()})
	if !s.alone {
		ask.Listen = nil
	}
	return opened, proxy.KeeperOptions{
		Server: server, Engine: opened.Engine, Voice: proxy.NewVoice(now.Policy.Value()).Naming(sortedKeys(s.servers)...), Pins: opened.KeepPins, Asking: ask, Reloader: s.follow.Reloader,
	}, nil
}

// protected lists what calls are kept away from, whichever client makes them.
func (s *serving) protected(dir string) []string {
	files := append([]string{s.config.Path}, s.keep...)
	for _, one := range s.config.Clients {
		if one.TokenFile != "" {
			files = append(files, one.TokenFile)
		}
	}
	if s.ledger != "" {
		files = append(files, s.ledger)
	}
	return protected(s.follow.Current().Policy, dir, files...)
}
