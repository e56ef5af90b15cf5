package main

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

func TestAServerThatThePolicyDoesNotNameIsTold(t *testing.T) {
	cases := []struct{ name, policy, want string }{
		{"it names none", "", ""},
		{"it names this one", "servers: {here: {verdict: allow}}\n", ""},
		{"it names another", "servers: {other: {verdict: allow}}\n", "settings.unknown_server says ask"},
		{"it names another, and refuses the rest", "servers: {other: {verdict: allow}}\nsettings: {unknown_server: deny}\n", "settings.unknown_server says deny"},
		{"it names another, and takes the rest", "servers: {other: {verdict: allow}}\nsettings: {unknown_server: allow}\n", ""},
	}
	told := 0
	for _, c := range cases {
		p, err := policy.Load(policy.Options{Files: []string{"/p.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) {
			return []byte("callgate: 1\nname: t\n" + c.policy), nil
		}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := unnamed(p, "here")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
		if got != "" {
			told++
		}
	}
	if told == 0 || told == len(cases) {
		t.Errorf("%d of %d were told of", told, len(cases))
	}
}
