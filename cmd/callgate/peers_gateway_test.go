package main_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// serving is a command that serves HTTP until its test ends.
type serving struct {
	url string

	mu   sync.Mutex
	said strings.Builder // standard error
}

func (s *serving) stderr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// address is how a server, or a gateway, says where it listens; one of them
// says the port and nothing else.
var address = regexp.MustCompile(`(https?://127\.0\.0\.1:\d+(?:/mcp\b)?)|listening on port (\d+)`)

// serve starts a command that prints the address it listens on, to either
// output. It is told to end by the end of its input and by a signal, must be
// gone then, and must not have raced.
func (p peers) serve(t *testing.T, env, command []string) *serving {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, append(p.env[:len(p.env):len(p.env)], env...), peerPatience
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, to := io.Pipe()
	cmd.Stdout, cmd.Stderr = to, to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &serving{}
	found, read := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(read)
		for r := bufio.NewReader(from); ; {
			line, err := r.ReadString('\n')
			s.mu.Lock()
			s.said.WriteString(line)
			s.mu.Unlock()
			if at := address.FindStringSubmatch(line); at != nil {
				url := at[1]
				if url == "" {
					url = "http://127.0.0.1:" + at[2] + "/mcp"
				}
				select {
				case found <- url:
				default:
				}
			}
			if err != nil {
				return
			}
		}
	}()
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		_ = to.Close() // a pipe in memory closes without an error
	}()
	t.Cleanup(func() {
		_ = in.Close() // the command may be gone already
		cancel()
		select {
		case <-ended:
			<-read
		case <-time.After(peerPatience):
			_ = cmd.Process.Kill()
			t.Errorf("%q did not end; it was killed\n%s", command, s.stderr())
		}
		noRace(t, s.stderr())
	})
	select {
	case s.url = <-found:
	case err := <-ended:
		<-read
		ended <- err
		t.Fatalf("%q ended with %v before it listened\n%s", command, err, s.stderr())
	case <-time.After(peerPatience):
		t.Fatalf("%q does not say where it listens\n%s", command, s.stderr())
	}
	return s
}

// gateway is callgate gateway, in front of one server.
type gateway struct {
	gate
	*serving
	endpoint string
}

// gateway starts a gateway with a policy of its own before a server: an entry
// of the configuration's servers.
func (p peers) gateway(t *testing.T, name, policy string, server object) gateway {
	t.Helper()
	dir := t.TempDir()
	g := gateway{gate: gate{p: p, name: name, policy: filepath.Join(dir, "policy.yaml"), ledger: filepath.Join(dir, "ledger", "gateway")}}
	writeFile(t, g.policy, policy)
	config := filepath.Join(dir, "gateway.yaml")
	writeFile(t, config, asJSON(t, object{
		"callgate_gateway": 1,
		"policy":           []string{g.policy},
		"ledger":           filepath.Join(dir, "ledger"),
		"servers":          object{name: server},
	}))
	g.serving = p.serve(t, nil, []string{p.callgate, "gateway", "--listen", "127.0.0.1:0", "--config", config})
	g.endpoint = strings.TrimSuffix(g.url, "/mcp") + "/mcp/" + name
	return g
}

// remote is the entry of a server that listens somewhere.
func remote(url string) object { return object{"url": url} }

// local is the entry of a server that the gateway starts, with variables of the
// environment.
func local(command []string, env ...string) object {
	entry := object{"command": command}
	if len(env) > 0 {
		entry["env"] = env
	}
	return entry
}

// run is the command that stands before a remote server over stdio.
func (g gate) run(url string) []string {
	return append(slices.Clone(g.prefix()), url)
}

// prefix is run without the address.
func (g gate) prefix() []string {
	return []string{g.p.callgate, "run", "--policy", g.policy, "--server", g.name, "--ledger", g.ledger, "--url"}
}
