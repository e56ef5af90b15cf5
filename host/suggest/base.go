package suggest

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// load loads a policy that is not written yet, from the place where it will be.
func load(o Options, data []byte) (*policy.Policy, error) {
	return policy.Load(policy.Options{Files: []string{o.Path}, Specs: o.Specs, Read: func(name string) ([]byte, error) {
		if name == o.Path {
			return data, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("a draft includes no file")}
	}})
}

// serverName is how the servers of a policy may be called.
var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._ -]{0,63}$`)

// toolKey is the key that names exactly one tool in a policy; false: there is
// none.
func toolKey(t toolName) (string, bool) {
	if !serverName.MatchString(t.server) || !callable(t.tool) || strings.ContainsAny(t.tool, "{}") {
		return "", false
	}
	var b strings.Builder
	b.WriteString(t.server + "/")
	for i := range len(t.tool) {
		c := t.tool[i]
		if strings.IndexByte(`*?[]\`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String(), b.Len() <= 256
}

// callable says whether a tool of this name can be pinned, without which it can
// not be called: it is printable ASCII.
func callable(tool string) bool {
	return tool != "" && !strings.ContainsFunc(tool, func(r rune) bool { return r <= ' ' || r > '~' })
}

// basePolicy is what ledgers are observed with: nothing is refused for want of a
// grant, and what packs, heuristics and the policies that were in force know of
// destinations holds. Without a base it says only where servers stand.
func basePolicy(s *survey, base *policy.Policy) []byte {
	var b strings.Builder
	b.WriteString("callgate: 1\nsettings: {mode: observe, default: allow, unlisted: allow}\n")
	writeServers(&b, s, false)
	if base == nil {
		return []byte(b.String())
	}
	open := false
	for _, t := range s.names() {
		key, ok := toolKey(t)
		c := s.carry(t, base)
		if !ok || !c.says() {
			continue
		}
		if !open {
			b.WriteString("tools:\n")
			open = true
		}
		b.WriteString("  " + Quote(key) + ":\n")
		c.write(&b, nil)
	}
	return []byte(b.String())
}

// says whether there is anything to carry over.
func (c *carried) says() bool { return c.all || len(c.to)+len(c.slots) > 0 }

// write writes what is carried over, with the destinations that are trusted.
func (c *carried) write(b *strings.Builder, trusted []string) {
	if c.all || len(c.to)+len(trusted) > 0 {
		b.WriteString("    sink:\n")
	}
	switch {
	case c.all:
		b.WriteString("      to: []\n")
	case len(c.to) > 0:
		b.WriteString("      to: " + quotes(c.to) + "\n")
	}
	if len(trusted) > 0 {
		b.WriteString("      trusted:\n")
	}
	for _, t := range trusted {
		b.WriteString("        - " + Quote(t) + "\n")
	}
	if len(c.slots) > 0 {
		b.WriteString("    slots:\n")
	}
	for _, name := range c.slots {
		b.WriteString("      " + Quote(name) + ": path\n")
	}
}

// names lists the tools that are known, in order.
func (s *survey) names() []toolName {
	out := make([]toolName, 0, len(s.tools))
	for t := range s.tools {
		out = append(out, t)
	}
	sortTools(out)
	return out
}

func sortTools(list []toolName) {
	slices.SortFunc(list, func(a, b toolName) int {
		if c := strings.Compare(a.server, b.server); c != 0 {
			return c
		}
		return strings.Compare(a.tool, b.tool)
	})
}

// writeServers names the servers, so that any other one is asked about. A draft
// says of them what was done beside calling tools, too.
func writeServers(b *strings.Builder, s *survey, draft bool) {
	var names []string
	for name := range s.servers {
		if serverName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		b.WriteString("servers:\n")
	}
	for _, name := range names {
		b.WriteString("  " + Quote(name) + ":\n    outputs: untrusted\n")
		cwd, env, hasEnv := s.server(name)
		if cwd != "" {
			b.WriteString("    cwd: " + Quote(cwd) + "\n")
		}
		if hasEnv {
			b.WriteString("    env: " + quotes(env) + "\n")
		}
		if draft {
			p := s.permits(name)
			p.write(b)
		}
	}
}

// secretPaths are the paths that no draft grants: keys, passwords and tokens, as
// common tools keep them. It is also what a draft denies beside what it allows.
func secretPaths() []string {
	return []string{
		"**/.env", "**/.env.*", "**/.envrc", "**/.ssh/**", "**/.gnupg/**", "**/.aws/**", "**/.azure/**", "**/.kube/**", "**/.docker/**",
		"**/.config/gcloud/**", "**/.password-store/**", "**/.netrc", "**/.npmrc", "**/.pypirc", "**/.pgpass", "**/.git-credentials",
		"**/.vault-token", "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/*.kdbx", "**/id_rsa*", "**/id_ed25519*", "**/id_ecdsa*",
		"**/credentials", "**/credentials.json", "**/secrets.*", "/etc/shadow", "/etc/gshadow",
	}
}

// dir is where the relative patterns of a draft start, as a slash path.
func (o Options) dir() string { return filepath.ToSlash(filepath.Dir(o.Path)) }

// home is where "~/" starts, as a slash path.
func home(p abi.Place) string { return strings.TrimSuffix(filepath.ToSlash(p.Home), "/") }
