package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestAVersionIsWhatTheGoCommandRecorded: of a build in a repository, of a module
// that was downloaded, and of one that nothing is known of.
func TestAVersionIsWhatTheGoCommandRecorded(t *testing.T) {
	const commit, date = "dd8e0ae4fdec683be41733144a414bb44e53e0cf", "2026-11-30T14:34:17Z"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: date}, {Key: "vcs.modified", Value: modified}}
	}
	own := func(version, sum string) debug.Module {
		return debug.Module{Path: "github.com/callgate/callgate", Version: version, Sum: sum}
	}
	cases := []struct {
		name string
		info debug.BuildInfo
		text []string // lines behind the first
		json string   // without arch, os and go
	}{
		{"a release", debug.BuildInfo{Main: own("v1.2.3", ""), Settings: vcs("false")},
			[]string{"callgate 1.2.3 ", "commit  " + commit, "date    " + date, "source  clean: every file is the commit's"},
			`"commit":"` + commit + `","date":"` + date + `","dirty":false,"version":"1.2.3"`},
		{"between two, changed", debug.BuildInfo{Main: own("v1.2.4-0.20261130143417-dd8e0ae4fdec+dirty", ""), Settings: vcs("true")},
			[]string{"callgate 1.2.4-0.20261130143417-dd8e0ae4fdec+dirty ", "commit  " + commit, "source  modified: files differ from the commit"},
			`"commit":"` + commit + `","date":"` + date + `","dirty":true,"version":"1.2.4-0.20261130143417-dd8e0ae4fdec+dirty"`},
		{"go install of a release", debug.BuildInfo{Main: own("v1.2.3", "h1:abc=")},
			[]string{"callgate 1.2.3 ", "commit  the one that is tagged v1.2.3", "source  module github.com/callgate/callgate@v1.2.3 h1:abc="},
			`"module":"github.com/callgate/callgate@v1.2.3","sum":"h1:abc=","version":"1.2.3"`},
		{"go install of a commit", debug.BuildInfo{Main: own("v0.0.0-20261130143417-dd8e0ae4fdec", "h1:abc=")},
			[]string{"commit  dd8e0ae4fdec", "date    " + date, "source  module github.com/callgate/callgate@v0.0.0-20261130143417-dd8e0ae4fdec h1:abc="},
			`"commit":"dd8e0ae4fdec","date":"` + date + `","module":"github.com/callgate/callgate@v0.0.0-20261130143417-dd8e0ae4fdec","sum":"h1:abc=","version":"0.0.0-20261130143417-dd8e0ae4fdec"`},
		{"-buildvcs=false", debug.BuildInfo{Main: own("(devel)", "")},
			[]string{"callgate devel ", "commit  unknown: built without data of a repository", "date    unknown", "source  unknown"},
			`"version":"devel"`},
		{"no version that is one", debug.BuildInfo{Main: own("v1\x1b[2J", "")}, []string{"callgate devel "}, `"version":"devel"`},
	}
	for _, c := range cases {
		c.info.GoVersion = "go1.26.8"
		p := madeFrom(&c.info)
		for _, line := range c.text {
			if !strings.Contains("\n"+p.text(), "\n"+line) {
				t.Errorf("%s: %q; want a line %q", c.name, p.text(), line)
			}
		}
		got := string(jsonLine(p.value()))
		for _, part := range []string{`"arch":"` + runtime.GOARCH + `",`, `"go":"go1.26.8",`, `"os":"` + runtime.GOOS + `",`} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s; want %s", c.name, got, part)
			}
			got = strings.Replace(got, part, "", 1)
		}
		if got != "{"+c.json+"}\n" {
			t.Errorf("%s: %s; want {%s}", c.name, got, c.json)
		}
	}
	if len(cases) == 0 {
		t.Error("no case")
	}
}
