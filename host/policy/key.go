package policy

import (
	"fmt"
	"path"
	"strings"

	"github.com/callgate/callgate/host/contract"
)

// key is the parsed key of a tool entry. Both halves are globs with *, ?,
// classes and backslash escapes; in the tool half they match a slash too.
type key struct{ server, tool string }

// parseKey splits a key at its first slash. A key without one names the tool
// of any server.
func parseKey(s string) key {
	server, tool, ok := strings.Cut(s, "/")
	if !ok {
		return key{"*", s}
	}
	return key{server, tool}
}

// String returns the key with both halves.
func (k key) String() string { return k.server + "/" + k.tool }

func (k key) matches(server, tool string) bool {
	return glob(k.server, server) && glob(k.tool, tool)
}

// exact says whether the key names one tool of one server.
func (k key) exact() bool { return !isGlob(k.server) && !isGlob(k.tool) }

// specificity orders keys: exact/exact 3, exact/glob 2, glob/exact 1,
// glob/glob 0.
func (k key) specificity() int {
	n := 0
	if !isGlob(k.server) {
		n += 2
	}
	if !isGlob(k.tool) {
		n++
	}
	return n
}

func isGlob(s string) bool { return contract.IsGlob(s) }

func glob(pattern, name string) bool { return contract.Glob(pattern, name) }

func checkKey(s string) error {
	if len(s) > 256 {
		return fmt.Errorf("a key of %d bytes; want at most 256", len(s))
	}
	k := parseKey(s)
	if k.server == "" || k.tool == "" {
		return fmt.Errorf("%q has an empty half; want server/tool, with * for any, such as \"gmail/*\"", s)
	}
	if err := checkHalf(k.server); err != nil {
		return err
	}
	return checkHalf(k.tool)
}

func checkHalf(s string) error {
	if strings.ContainsAny(s, "{}") {
		return fmt.Errorf("%q: braces are not part of a glob here; write one entry for each name", s)
	}
	if _, err := path.Match(strings.ReplaceAll(s, "/", "\x1f"), ""); err != nil {
		return fmt.Errorf("%q is not a glob; *, ? and [a-z] are known, and a backslash takes one literally", s)
	}
	return nil
}

// MatchesTool says whether a key of tools: is about a tool of a server.
func MatchesTool(key, server, tool string) bool { return parseKey(key).matches(server, tool) }

// MatchesServer says whether a key of tools: is about tools of a server.
func MatchesServer(key, server string) bool { return glob(parseKey(key).server, server) }
