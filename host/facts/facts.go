// Package facts finds what contracts want to know of the world outside a call:
// where the links in its paths lead, and what a server is launched from. It looks, and decides nothing: what it
// found becomes part of the call's event, and a path that is not in there is
// refused by who asked.
package facts

import (
	"path"
	"strings"

	"github.com/callgate/callgate/abi"
)

// Bounds of one path: links followed (Linux gives up at 40, see path_resolution(7)),
// components looked at on the way, and bytes (PATH_MAX).
const (
	maxLinks = 40
	maxSteps = 4096
	maxPath  = 4096
)

// Links looks up what is needed of this machine's file systems. It returns the
// facts of a call, absent where nothing is needed: {"links":{PATH:RESOLVED}},
// null for a path that could not be resolved. Paths outside all roots of a need
// are left out, and nothing is looked at for them.
//
// A path is resolved twice, and one that changed in between counts as not
// resolved. What changes after that is between the server and its file system.
func Links(needs []abi.Need) abi.Value { return links(needs, system) }

// World looks up what is needed in a made-up file system, in which every path of
// links leads where it says and every other one is no link.
func World(links abi.Value) func([]abi.Need) abi.Value {
	look := func(p string) (string, kind) {
		if to := links.Get(p); to.IsString() {
			return to.Str(), isLink
		} else if to.Exists() {
			return "", unknown
		}
		return "", isNode
	}
	return func(needs []abi.Need) abi.Value { return find(needs, look) }
}

// kind is what stands at a path.
type kind uint8

// The zero value is what nobody could find out.
const (
	unknown kind = iota
	missing
	isNode
	isFile // nothing stands below it
	isLink
)

// looker says what stands at an absolute path whose parents are no links, and
// where a link leads as it is written.
type looker func(path string) (target string, k kind)

func links(needs []abi.Need, look looker) abi.Value {
	first := find(needs, look)
	if !first.Exists() {
		return first
	}
	second := find(needs, look)
	members := first.Get("links").Members()
	stable := make([]abi.Member, len(members))
	for i, m := range members {
		if !second.Get("links").Get(m.Name).Equal(m.Value) {
			m.Value = null()
		}
		stable[i] = m
	}
	return abi.ObjectValue(abi.Member{Name: "links", Value: abi.ObjectValue(stable...)})
}

func null() abi.Value {
	v, _ := abi.Parse([]byte("null"))
	return v
}

// find resolves each path that is needed once, and the roots before it.
func find(needs []abi.Need, look looker) abi.Value {
	found := map[string]abi.Value{}
	var members []abi.Member
	lookup := func(p string) string {
		if v, ok := found[p]; ok {
			return v.Str()
		}
		v := null()
		if to, ok := resolve(p, look); ok {
			v = abi.StringValue(to)
		}
		found[p] = v
		members = append(members, abi.Member{Name: p, Value: v})
		return v.Str()
	}
	for _, n := range needs {
		inside := len(n.Roots) == 0
		for _, root := range n.Roots {
			to := lookup(root)
			inside = inside || below(root, n.Path) || to != "" && below(to, n.Path)
		}
		if inside {
			lookup(n.Path)
		}
	}
	if members == nil {
		return abi.Value{}
	}
	return abi.ObjectValue(abi.Member{Name: "links", Value: abi.ObjectValue(members...)})
}

// below says whether a path, as it is written, is a directory or below it.
func below(dir, p string) bool {
	p = path.Clean(p)
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// resolve follows a path step by step, as an operating system does: what goes up
// goes up from where a link has led. What does not exist yet is kept as it is
// written, below what does. It reports false for what it can not find out: a
// directory that may not be read, too many links, and links of /proc, which lead
// elsewhere in another process.
func resolve(p string, look looker) (string, bool) {
	if !strings.HasPrefix(p, "/") || len(p) > maxPath || strings.IndexByte(p, 0) >= 0 {
		return "", false
	}
	rest, at, gone, file, followed := p, "/", false, false, 0
	for steps := 0; rest != ""; steps++ {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if steps > maxSteps || len(rest) > 2*maxPath {
			return "", false
		}
		switch part {
		case "":
			continue
		}
		if file {
			return "", false
		}
		switch part {
		case ".":
			continue
		case "..":
			at, gone = path.Dir(at), false
			continue
		}
		next := path.Join(at, part)
		if gone {
			at = next
			continue
		}
		target, k := look(next)
		switch k {
		case missing:
			at, gone = next, true
		case isNode, isFile:
			at, file = next, k == isFile
		case isLink:
			if followed++; followed > maxLinks || target == "" || strings.HasPrefix(next, "/proc/") {
				return "", false
			}
			if rest = target + "/" + rest; target[0] == '/' {
				at = "/"
			}
		default:
			return "", false
		}
	}
	return at, true
}
