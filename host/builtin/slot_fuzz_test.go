package builtin

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// site is every spelling of github.com's acme/site that a rule about it takes.
var site = regexp.MustCompile(`^((git\+)?(https?|git)://(www\.)?github\.com/|(git\+)?https?://api\.github\.com/repos/|(git\+)?ssh://(git@)?(www\.)?github\.com/|git@(www\.)?github\.com:|(www\.)?github\.com/|api\.github\.com/repos/)?/*acme/site(\.git)?/*$`)

// FuzzRepository looks for a text that is taken for a repository that it does not
// name.
func FuzzRepository(f *testing.F) {
	for _, s := range []string{
		"acme/site", "ACME/site.git", "https://github.com/acme/site", "git@github.com:acme/site.git", "ssh://git@github.com/acme/site", "acme/site/../x",
		"https://github.com@evil.example/acme/site", "github.com/acme/site", "https://api.github.com/repos/acme/site", "acme／site", "https://gitlab.com/a/b/c", "",
	} {
		f.Add(s)
	}
	m, err := newRepoMatcher(&contract.Arg{Slot: "repo", Allow: []string{"acme/site"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if m.judge(abi.StringValue(s), &place{}).code == "" && !site.MatchString(strings.ToLower(s)) {
			t.Errorf("%q is taken for acme/site", s)
		}
		r, why := readRepository(s)
		if why != "" {
			return
		}
		whole := r.name
		for _, part := range []string{r.owner, r.host} {
			if part != "" {
				whole = part + "/" + whole
			}
		}
		if again, why := readRepository(whole); strings.Contains(r.host, ".") && (why != "" || again.name != r.name || again.owner != r.owner) {
			t.Errorf("%q is %+v, and %q is %+v (%s)", s, r, whole, again, why)
		}
	})
}

// FuzzName looks for a text that an exact rule takes for another one, and for a
// spelling of a denied name that passes although it only differs in what no
// reader sees.
func FuzzName(f *testing.F) {
	for _, s := range []string{"alice", "Alice", "alice ", "аlice", "ali\u200bce", "alice,bob", "\xff", "%61lice", ""} {
		f.Add(s)
	}
	allow, err := exactRule(&contract.Arg{Slot: "owner", Allow: []string{"alice"}})
	if err != nil {
		f.Fatal(err)
	}
	deny, err := exactRule(&contract.Arg{Slot: "owner", Deny: []string{"alice"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if allow.judge(abi.StringValue(s), &place{}).code == "" && s != "alice" {
			t.Errorf("%q is taken for alice", s)
		}
		if strings.EqualFold(strings.TrimSpace(s), "alice") && deny.judge(abi.StringValue(s), &place{}).code == "" {
			t.Errorf("%q is not denied", s)
		}
	})
}

// FuzzStatements looks for a text that is read into statements which hold more
// than it, or are none.
func FuzzStatements(f *testing.F) {
	for _, s := range []string{
		"select 1; -- x\n", "select 'a\\'; b' ; c", "/* a /* b */ c */ d", "/*!50000 drop */ x", "$a$ ; $a$;$1", "q'[ ; ]'", "[a;b]", "E'\\'';x", "# c\n;d", "--\u00a0x", "`a``;b`;c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		read := map[string]bool{}
		for _, d := range dialectsOf(s) {
			read[strings.Join(d.statements(s), "\x00")] = true
		}
		for _, d := range sqlDialects {
			if !read[strings.Join(d.statements(s), "\x00")] {
				t.Errorf("%q is not read as %+v does", s, d)
			}
			list, total := d.statements(s), 0
			for _, one := range list {
				total += len(one) + 1
				if one == "" || utf8.ValidString(s) && strings.TrimSpace(one) == "" {
					t.Errorf("%q holds an empty statement: %q", s, list)
				}
			}
			if total > len(s)+1 {
				t.Errorf("%q holds more than it: %q", s, list)
			}
			if !strings.ContainsAny(s, "'\"`#-/*$[") && len(list) > strings.Count(s, ";")+1 {
				t.Errorf("%q holds %d statements", s, len(list))
			}
		}
	})
}

// FuzzRoot looks for a pattern whose root is not where its matches are.
func FuzzRoot(f *testing.F) {
	f.Add("/srv/work/**", "a")
	f.Add("/srv/w*/x", "b/c")
	f.Add(`/srv/\[a\]/**`, "x")
	f.Add("~/src/**", "x")
	f.Fuzz(func(t *testing.T, pattern, tail string) {
		g, err := compileGlob(pattern, false)
		here := &abi.Place{Dir: "/srv", Home: "/home/u"}
		if err != nil {
			return
		}
		root := g.root(here)
		path, why := canonicalPath(root+"/"+tail, here)
		if root == "" || why != "" || path != root && !strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/") {
			return
		}
		// What lies beside the root is never matched.
		if beside := root + "-beside/" + tail; root != "/" && g.match(beside, false, here) {
			t.Errorf("%q starts at %s, and matches %s", pattern, root, beside)
		}
	})
}

// FuzzPlainHost looks for a URL that is taken for a host that it does not name.
func FuzzPlainHost(f *testing.F) {
	for _, s := range []string{"https://mcp.internal/x", "https://mcp.internal:443", "http://mcp.internal:443/", "https://mcp.internal@evil.example/", "https:\\\\mcp.internal", "HTTPS://MCP.internal", "wss://mcp.internal#@evil"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, ok := plainHost(s)
		if !ok {
			return
		}
		_, rest, found := strings.Cut(s, "://")
		if !found || !strings.HasPrefix(rest, host) || strings.ContainsAny(host, "/?#@\\") {
			t.Errorf("%q has the host %q", s, host)
		}
	})
}
