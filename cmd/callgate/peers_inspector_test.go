package main_test

import (
	"slices"
	"testing"
)

// TestTheInspectorSeesTheSameThroughCallgate has the inspector's command line
// at bridges of both eras: what it prints is what it prints directly, but for
// what is denied.
func TestTheInspectorSeesTheSameThroughCallgate(t *testing.T) {
	p := openPeers(t)
	server := fixturesServer()
	policy := server.policy("peer")
	inspect := func(t *testing.T, era string, way, what []string) (string, int) {
		t.Helper()
		command := []string{p.node, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", "--format", "json", "-q", "--protocol-era", era}
		out, _, code := p.run(t, nil, slices.Concat(command, what, way)...)
		return fresh.ReplaceAllString(out, "NEW"), code
	}
	over := func(url string) []string { return []string{"--transport", "http", "--server-url", url} }
	behind := func(command []string) []string { return append([]string{"--"}, command...) }
	list := []string{"--method", "tools/list"}
	call := func(tool string) []string { return []string{"--method", "tools/call", "--tool-name", tool} }
	ran := 0
	for _, era := range []string{"legacy", "modern"} {
		ran++
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			stdio, _ := server.stdio(t, p)
			http, _ := server.http(t, p)
			direct := p.serve(t, nil, http).url
			ways := map[string][]string{"HTTP to HTTP": over(p.gateway(t, "peer", policy, remote(direct)).endpoint)}
			if era == "legacy" {
				ways["HTTP to stdio"] = over(p.gateway(t, "peer", policy, local(stdio)).endpoint)
			} else {
				ways["stdio to HTTP"] = behind(p.gate(t, "peer", policy).run(direct))
			}
			listed, _ := inspect(t, era, over(direct), list)
			called, _ := inspect(t, era, over(direct), call("test_multiple_content_types"))
			for name, way := range ways {
				if got, code := inspect(t, era, way, list); got != listed || code != 0 {
					t.Errorf("%s: code %d\ndirect %s\ngated %s", name, code, listed, got)
				}
				if got, code := inspect(t, era, way, call("test_multiple_content_types")); got != called || code != 0 {
					t.Errorf("%s: code %d\ndirect %s\ngated %s", name, code, called, got)
				}
				got, code := inspect(t, era, way, call(server.deny))
				if code != 5 { // the inspector's for a tool that answered with an error
					t.Fatalf("%s: a denied call ended with %d: %s", name, code, got)
				}
				wantDenied(t, fromJSON[struct{ Result result }](t, got).Result, "coverage", "COVERAGE_DENIED")
			}
		})
	}
	if ran != 2 {
		t.Errorf("%d eras, want 2", ran)
	}
}
