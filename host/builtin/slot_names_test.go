package builtin

import (
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// TestValuesAreFoundUnderNamesOfAKind holds one argument after the other against a
// rule that every value of the class violates.
func TestValuesAreFoundUnderNamesOfAKind(t *testing.T) {
	tests := []struct {
		rule        contract.Arg
		found, none []string // arguments
	}{
		{contract.Arg{Slot: "path", Deny: []string{"/**"}},
			[]string{`{"path1":"/a"}`, `{"file_2":"/a"}`, `{"filePath2":"/a"}`, `{"file[0]":"/a"}`, `{"x":{"dst2":"/a"}}`}, []string{`{"sha256":"/a"}`, `{"7":"/a"}`, `{"text1":"/a"}`}},
		{contract.Arg{Slot: "url", Deny: []string{"*"}},
			[]string{`{"url2":"https://a.example"}`, `{"src":"https://a.example/x"}`, `{"pages":["HTTP://a.example"]}`, `{"o":{"next":"wss://a.example"}}`},
			[]string{`{"text":"https://a.example"}`, `{"src":"see https://a.example"}`, `{"src":"urn:x"}`, `{"comment_body":"https://a.example"}`, `{"src":"https://a.example is down"}`}},
		{contract.Arg{Slot: "host", Deny: []string{"*"}}, []string{`{"host1":"a.example"}`, `{"fqdn":"a.example"}`, `{"ipv4":"10.0.0.1"}`, `{"url":"https://a.example"}`}, []string{`{"url":"a.example"}`, `{"page":"https://a.example"}`, `{"ghost1":"a.example"}`}},
		{contract.Arg{Slot: "recipient", Deny: []string{"*@a.example"}}, []string{`{"to1":"x@a.example"}`, `{"email2":"x@a.example"}`, `{"mailto":"x@a.example"}`}, []string{`{"from1":"x@a.example"}`, `{"sender":"x@a.example"}`}},
		{contract.Arg{Slot: "command", Deny: []string{"rm"}}, []string{`{"cmd1":"rm x"}`, `{"commands":{"a":"rm x"}}`, `{"cmdline":"rm x"}`}, []string{`{"countryCode1":"rm"}`}},
		{contract.Arg{Slot: "sql", DenyPattern: []string{"drop"}}, []string{`{"sql1":"drop x"}`, `{"query2":"drop x"}`, `{"sqlText":"drop x"}`}, []string{`{"name":"drop x"}`}},
		{contract.Arg{Slot: "repo", Deny: []string{"a/b"}}, []string{`{"repo2":"a/b"}`}, []string{`{"depot2":"a/b"}`}},
		{contract.Arg{Slot: "secret", Forbid: true}, []string{`{"token2":"x"}`, `{"password1":"x"}`, `{"masterKey":"x"}`, `{"env1":["TOKEN=x"]}`}, []string{`{"page_token2":"x"}`, `{"compass":"x"}`, `{"key1":"x"}`}},
		{contract.Arg{Slot: "bypass", Forbid: true}, []string{`{"bypass":true}`, `{"yolo":{"enabled":true}}`, `{"yolo":{"a":false,"b":"all"}}`, `{"skip_checks_1":true}`},
			[]string{`{"bypass":false}`, `{"yolo":{"enabled":false,"reason":"none given"}}`, `{"yolo":{"a":false}}`, `{"yolo":null}`}},
		{contract.Arg{Slot: "size", Max: "9"}, []string{`{"size1":10}`}, []string{`{"size1":9}`, `{"s3":10}`}},
	}
	for _, test := range tests {
		for _, arguments := range test.found {
			if got := judgeArguments(t, arguments, test.rule); got.Outcome >= abi.Allow {
				t.Errorf("%s: %s was not found", test.rule.Slot, arguments)
			}
		}
		for _, arguments := range test.none {
			if got := judgeArguments(t, arguments, test.rule); got.Outcome < abi.Allow {
				t.Errorf("%s: %s: got %s (%s)", test.rule.Slot, arguments, got.Code, got.Reason)
			}
		}
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}
