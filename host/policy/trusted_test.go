package policy

import (
	"fmt"
	"strings"
	"testing"
)

func TestTrustReachesNoDomainsOfDifferentOwners(t *testing.T) {
	load := func(entry string) error {
		_, err := load(head(fmt.Sprintf("settings: {default: deny}\ntools: {mail/send: {sink: {to: [to], trusted: [%q]}}}", entry)))
		return err
	}
	wide := []string{
		"*@*.com", "*.com", "*@com", "*@*.co.uk", "*@co.uk", "*.CO.UK", "*.com.", "*.github.io", "*@*.github.io", "*.рф", "*.xn--p1ai", "*.kawasaki.jp",
		"*.ck", "*@*.appspot.com",
	}
	for _, entry := range wide {
		if err := load(entry); err == nil || !strings.Contains(err.Error(), "/p/team.yaml:3:") || !strings.Contains(err.Error(), "is too wide: anybody can register") || !strings.Contains(err.Error(), "such as") {
			t.Errorf("%s: %v", entry, err)
		}
	}
	for _, entry := range []string{
		"*@*.corp.com", "*.corp.co.uk", "*@corp", "*@*.corp", "*.localhost", "*@localhost", "*.internal", "*@github.io", "*.org.github.io",
		"com", "corp.example", "*@*.corp.example", "*@bücher.example", "*.example.рф", "pat@com",
	} {
		if err := load(entry); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
	}
	for entry, meant := range map[string]string{"@corp.example": "*@corp.example", "@corp.co.uk": "*@corp.co.uk", "@team.internal": "*@team.internal"} {
		if err := load(entry); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("did you mean %q?", meant)) {
			t.Errorf("%s: %v", entry, err)
		}
	}
	for _, handle := range []string{"@general", "@pat@social.example", "@scope/package", "@john.unlikely", "@pat:matrix.example"} {
		if err := load(handle); err != nil {
			t.Errorf("%s: %v", handle, err)
		}
	}
}

// An entry that only adds trust is tried as one that declares the sink is: what the
// contract refuses would break every call of the tool otherwise.
func TestTrustThatAddsToASinkIsTriedWhenThePolicyLoads(t *testing.T) {
	cases := []struct{ entry, want string }{
		{"https://u:p@x.example", "user information"},
		{"a@x.example, b@x.example", "names several destinations"},
		{"write a@x.example", "names several destinations"},
	}
	for _, form := range []string{"tools:\n  s/send_mail:\n    sink: {trusted: [x@y.example, %q]}", "tools:\n  s/send_mail:\n    sink: {to: [x], trusted: [x@y.example, %q]}", "labels:\n  - {name: l, from: [s/t],\n    audience: [x@y.example, %q]}"} {
		for _, c := range cases {
			_, err := loadDrawn("", head(fmt.Sprintf("settings: {default: ask}\n"+form, c.entry)))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "/p/l0.yaml:5:") || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.entry)) {
				t.Errorf("%s: %v", c.entry, err)
			}
		}
		for _, twin := range []string{"git@host:team/x.git", "x.example/a@b", "*@corp.example", "https://x.example"} {
			if _, err := loadDrawn("", head(fmt.Sprintf("settings: {default: ask}\n"+form, twin))); err != nil {
				t.Errorf("%s: %v", twin, err)
			}
		}
	}
}
