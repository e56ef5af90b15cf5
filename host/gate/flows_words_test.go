package gate_test

import "testing"

const wordsFlow = open + `labels: [{name: private, from: [crm/*]}]
flows: [{name: f, label: private, to: [web/put], scope: value}]
redact: [{name: github-token, pattern: "ghp_[A-Za-z0-9]{36}"}, {name: short, pattern: "pin=[0-9]+", with: "x"}]
`

// customer is a record with words of every kind, and with two secrets.
const customer = `{"content":[{"type":"text","text":"{\"name\":\"Mildred Hammersmith\",\"status\":\"active\",\"tier\":\"Gold\",\"account\":\"4711-0815\",\"code\":\"HalcyonBird\",\"city\":\"Barrow\",\"alias\":\"antidisexestablish\",\"token\":\"ghp_aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3\",\"note\":\"key [redacted: github-token] of the shop in Barrow\"}"}]}`

// TestAWordOfARecordIsNoDataByItself: a state, a tier or a city says nothing of
// where it was taken from, what tells one record from others does.
func TestAWordOfARecordIsNoDataByItself(t *testing.T) {
	n := 0
	for _, c := range []struct{ name, args, want string }{
		{"a state", `{"status":"active"}`, "allow "},
		{"a state in capitals", `{"status":"ACTIVE"}`, "allow "},
		{"several words of it, each a value", `{"status":"active","tier":"gold","place":"barrow"}`, "allow "},
		{"a state as a part of a text", `{"body":"she is active"}`, "allow "},
		{"a name of two words", `{"name":"Mildred Hammersmith"}`, "deny FLOW_VALUE"},
		{"a number", `{"a":"4711-0815"}`, "deny FLOW_VALUE"},
		{"a word with capitals inside", `{"a":"HalcyonBird"}`, "deny FLOW_VALUE"},
		{"a long word, which a replacement that is a letter does not cut", `{"a":"antidisexestablish"}`, "deny FLOW_VALUE"},
		{"a state beside a name", `{"status":"active","name":"mildred hammersmith"}`, "deny FLOW_VALUE"},
		{"a sentence of it", `{"body":"key of the shop in barrow"}`, "deny FLOW_VALUE"},
		{"a marker", `{"token":"[redacted: github-token]"}`, "allow "},
		{"a marker in a setting of one's own", `{"body":"export TOKEN=[redacted: github-token]"}`, "allow "},
		{"two markers", `{"body":"[redacted: github-token] [redacted: github-token]"}`, "allow "},
		{"a marker beside data", `{"body":"[redacted: github-token] of the shop in Barrow"}`, "deny FLOW_VALUE"},
		{"data between markers", `{"body":"[redacted: github-token]4711-0815[redacted: github-token]"}`, "deny FLOW_VALUE"},
		{"what was redacted", `{"body":"ghp_aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3"}`, "deny FLOW_VALUE"},
	} {
		n++
		t.Run(c.name, func(t *testing.T) {
			r := start(t, load(t, wordsFlow))
			r.result(verdict(t, r.call("crm", "get", `{}`)).ID, customer)
			if got := r.outcome("web", "put", c.args); got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
		})
	}
	if n == 0 {
		t.Fatal("no cases")
	}
}

// TestAMarkerOfRedactionIsNoTaint: who names what the policy wrote did not learn it
// from a server.
func TestAMarkerOfRedactionIsNoTaint(t *testing.T) {
	p := open + "redact: [{name: key, pattern: 'key-[0-9]{8}'}]\ntools:\n  web/login: {args: [{arg: password, origin: [client]}]}\n"
	r := start(t, load(t, p))
	r.result(verdict(t, r.call("crm", "get", `{}`)).ID, `{"content":[{"type":"text","text":"the password is key-12345678, and the user hammersmith77"}]}`)
	if got := r.outcome("web", "login", `{"password":"[redacted: key]"}`); got[:3] != "ask" {
		t.Error("a marker:", got)
	}
	if got := r.outcome("web", "login", `{"password":"hammersmith77"}`); got[:4] != "deny" {
		t.Error("what stands beside it:", got)
	}
}
