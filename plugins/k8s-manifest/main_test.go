package main

import (
	"testing"

	callgate "github.com/callgate/callgate/sdk/go"
)

func TestTheArgumentIsNamed(t *testing.T) {
	for snapshot, want := range map[string]string{
		`{"call":{"arguments":{"m":{"spec":{"hostNetwork":true}}}},"settings":{}}`:          `{"at":["/call/arguments/m/spec/hostNetwork"],"code":"K8S_HOST_NAMESPACE","outcome":"deny","reason":"it sets hostNetwork"}`,
		`{"call":{"arguments":{"m":{"spec":{"hostNetwork":null}}}},"settings":{}}`:          `{"outcome":"abstain"}`,
		`{"call":{"arguments":{}},"settings":{}}`:                                           `{"outcome":"abstain"}`,
		`{"call":{"arguments":{"m":"privileged:\n  true"}},"settings":{"verdict":"ask"}}`:   `{"at":["/call/arguments/m"],"code":"K8S_PRIVILEGED","outcome":"ask","reason":"text sets privileged"}`,
		`{"call":{"arguments":{"m":"privileged: \"false\""}},"settings":{"verdict":"ask"}}`: `{"outcome":"abstain"}`,
	} {
		got, err := callgate.Try(snapshot)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", snapshot, got, err, want)
		}
	}
}

func TestTextThatSetsAField(t *testing.T) {
	if err := configure(callgate.Parse(`{}`)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"hostNetwork: true":               "K8S_HOST_NAMESPACE",
		"'hostNetwork' : !!bool \"true\"": "K8S_HOST_NAMESPACE",
		"hostNetwork: *alias":             "K8S_HOST_NAMESPACE",
		"hostNetwork: # why\n    true":    "K8S_HOST_NAMESPACE",
		"{hostNetwork: true}":             "K8S_HOST_NAMESPACE",
		"\"host\\x4eetwork\": true":       "K8S_HOST_NAMESPACE",
		"? \"host\\\n  Network\"\n: true": "K8S_HOST_NAMESPACE",
		"hostPath:\n  path: /etc":         "K8S_HOST_PATH",
		"hostPath: {path: /etc}":          "K8S_HOST_PATH",
		"hostNetwork:":                    "",
		"hostNetwork:\nother: 1":          "",
		"{hostNetwork: false, a: true}":   "",
		"hostNetwork: \"false\"":          "",
		"myhostNetwork: true":             "",
		"hostNetworkPolicy: true":         "",
		"the hostPath volume":             "",
	} {
		if f := scan(text, "/x"); f.code != want {
			t.Errorf("%q: %+v; want %q", text, f, want)
		}
	}
}

func FuzzNoTextBreaksTheReader(f *testing.F) {
	for _, s := range []string{"hostNetwork:", "hostPath:\n#\n", "\\", "\\u12", "capabilities add", "&", "--privileged", "hostPID"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		scan(text, "/x")
		look(callgate.Parse(text))
	})
}
