package proxy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/wasm"
)

// While a plugin is asked about a call of one client, another client, and the same
// client with another server, are served. Other sessions of that client with that server
// come after it.
func TestASlowPluginHoldsUpNoOtherClientAndNoOtherServer(t *testing.T) {
	asked, let := make(chan struct{}), make(chan struct{})
	slow := guests{"p": func(v abi.Value) string {
		if v.Get("phase").Str() == "call" && v.At("/call/arguments/a").String() == `"stall"` {
			close(asked)
			<-let
		}
		return `{"outcome":"abstain"}`
	}}
	server, _ := brainChild(t)
	other, _ := brainChild(t)
	dir := t.TempDir()
	_, front := gatewayFor(t, gatewaySetup{
		policy: loadPolicy(t, strings.Replace(guardedBy(""), "servers: {", "servers: {other: {}, ", 1)), plugin: slow, dir: dir, client: byToken, servers: map[string]proxy.GatewayServer{"fake": server, "other": other},
	})
	session := func(name, token string) (call func(a string) string) {
		at := &attacked{t: t, url: front.URL + "/mcp/" + name, log: func() string { return "" }, sessions: map[string]string{}}
		at.initialize("2025-11-25", token)
		return func(a string) string {
			_, body := at.send(shot{session: "2025-11-25" + token, header: []string{"Authorization", token},
				body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"good","arguments":{"a":%q}}}`, a, a)})
			return body
		}
	}
	first, second, elsewhere, client := session("fake", "one"), session("fake", "one"), session("other", "one"), session("fake", "two")
	answers := make(chan string, 2)
	go func() { answers <- first("stall") }()
	<-asked
	for what, call := range map[string]func(string) string{"another client": client, "another server": elsewhere} {
		if got := call("free"); !strings.Contains(got, "ran good") {
			t.Errorf("%s: %s", what, got)
		}
	}
	go func() { answers <- second("behind") }()
	close(let)
	for range 2 {
		if got := <-answers; !strings.Contains(got, "ran good") {
			t.Error(got)
		}
	}
	var order []string
	for _, e := range ledgerEvents(t, dir+"/one-fake") {
		if e.Call != nil {
			order = append(order, e.Call.Arguments.Get("a").Str())
		}
	}
	if strings.Join(order, " ") != "stall behind" {
		t.Errorf("the ledger has %v", order)
	}
}

// The page says how long that can be.
func TestThePageSaysHowLongAPluginHoldsUpASession(t *testing.T) {
	page, err := os.ReadFile("../../docs/transports.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("%d M of fuel", wasm.EvaluateFuel/1_000_000), fmt.Sprintf("up to %d M", wasm.MaxFuel/1_000_000),
		fmt.Sprintf("after %.0f seconds for each plugin", wasm.EvaluateWall.Seconds()),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/transports.md does not say %q", want)
		}
	}
}
