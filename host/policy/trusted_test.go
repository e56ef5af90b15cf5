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
