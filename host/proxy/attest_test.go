package proxy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/facts"
	"github.com/callgate/callgate/host/proxy"
)

// attestedServer is the fake server, and a file that its only argument names.
func attestedServer(t *testing.T, mode string, enforce bool) (server proxy.GatewayServer, log, entry string) {
	t.Helper()
	dir := t.TempDir()
	log, entry = filepath.Join(dir, "log"), filepath.Join(dir, "entry.js")
	if err := os.WriteFile(entry, []byte("serve()"), 0o600); err != nil {
		t.Fatal(err)
	}
	server = proxy.GatewayServer{
		Command: []string{os.Args[0], entry}, Env: append(os.Environ(), "GORACE=atexit_sleep_ms=0", "FAKE_SERVER="+mode, "FAKE_LOG="+log),
	}
	m, err := facts.Measure(facts.Command{Argv: server.Command}, [][]int{{0}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	server.Attest = proxy.Attest{
		Server: "fake", Enforce: enforce, Want: []contract.Attest{{Rule: "policy.yaml:3: servers.fake.attest", SHA256: m.Sums()[0], EntryArgs: []int{0}}},
	}
	return server, log, entry
}

func attestedPolicy(server proxy.GatewayServer, mode string) string {
	return "callgate: 1\nsettings: {default: allow, mode: " + mode + "}\nservers: {fake: {attest: {sha256: " + server.Attest.Want[0].SHA256 + ", entry_args: [0]}}}\n"
}

const (
	helloFrame = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	listFrame  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	noteFrame  = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_note","arguments":{"id":"1"}}}`
)

// Every child of a gateway is measured, not only the first one.
func TestAGatewayMeasuresEveryServerThatItStarts(t *testing.T) {
	server, log, entry := attestedServer(t, "plain", true)
	s := serveGateway(t, attestedPolicy(server, "enforce"), server, log)
	open := func() (status int, id string) {
		status, header, _ := s.post(helloFrame)
		return status, header.Get("Mcp-Session-Id")
	}
	status, id := open()
	if status != 200 || id == "" {
		t.Fatalf("status %d, session %q; want one", status, id)
	}
	s.post(listFrame, "Mcp-Session-Id", id)
	if _, _, body := s.post(noteFrame, "Mcp-Session-Id", id); strings.Contains(body, "ATTEST") {
		t.Errorf("what was measured is denied: %s", body)
	}
	if err := os.WriteFile(entry, []byte("steal()"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, id := open(); status == 200 || id != "" {
		t.Fatalf("status %d, session %q; want none for a changed entry", status, id)
	}
	if _, _, body := s.post(noteFrame, "Mcp-Session-Id", id); !strings.Contains(body, "ATTEST_MISMATCH") {
		t.Errorf("the name stands for something else by now: %s", body)
	}
	if err := os.WriteFile(entry, []byte("serve()"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, id = open(); status != 200 || id == "" {
		t.Fatalf("status %d, session %q; want one again", status, id)
	}
}

func TestAnObservedServerIsStartedAndItsCallsAreRecorded(t *testing.T) {
	server, log, entry := attestedServer(t, "plain", false)
	s := serveGateway(t, attestedPolicy(server, "observe"), server, log)
	if err := os.WriteFile(entry, []byte("steal()"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, header, _ := s.post(helloFrame)
	id := header.Get("Mcp-Session-Id")
	if status != 200 || id == "" {
		t.Fatalf("status %d, session %q; want one", status, id)
	}
	if _, _, body := s.post(noteFrame, "Mcp-Session-Id", id); strings.Contains(body, "ATTEST") {
		t.Errorf("denied in observe mode: %s", body)
	}
	files, err := filepath.Glob(filepath.Join(s.ledger, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("ledgers %q: %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"facts":{"attest":{"fake":{`, `ATTEST_MISMATCH`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the ledger does not say %s", want)
		}
	}
}
