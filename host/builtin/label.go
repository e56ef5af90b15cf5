package builtin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Label gives labels to calls. It objects to nothing: what it says are
// obligations, which hold if the call is allowed, before it is relayed.
//
// Policy:
//
//	labels: [{name: secret, from: [filesystem/read_file], where: {path: "**/customer-secrets/**"}}]
//
// A call of `from` that `where` matches gives the label to its data, whatever
// comes back, and to the session. What is written to a file takes its labels
// along: a call of a tool that writes gives its paths the labels of the data that
// its arguments hold, and, for the session that reads it, those that the session
// holds; a call that names such a path, on whatever server, gets them.
type Label struct {
	rules  []labelRule
	tracks bool
	paths  filePaths
	writes bool
}

type labelRule struct {
	rule  string
	name  string
	where where
}

// NewLabel returns nil under a policy without labels.
func NewLabel(r *contract.Rules) (contract.Contract, error) {
	if len(r.Labels) == 0 && !r.Tracks {
		return nil, nil
	}
	l := &Label{tracks: r.Tracks, paths: newFilePaths(r), writes: r.Kind.IsTool() && writing(r.Tool)}
	for _, rule := range r.Labels {
		w, err := newWhere(rule.Where, r)
		if err != nil {
			return nil, err
		}
		l.rules = append(l.rules, labelRule{rule.Rule, rule.Name, w})
	}
	return l, nil
}

// writing says whether a tool of this name can change files: whatever is not
// known to read only.
func writing(tool string) bool {
	return hasWord(tool, writeWords...) || !hasWord(tool, readWords...)
}

var (
	writeWords = []string{
		"write", "create", "save", "append", "edit", "update", "put", "upload", "download", "export", "dump", "copy", "cp", "move", "mv",
		"rename", "insert", "replace", "apply", "patch", "store", "set", "add", "make", "sync", "restore", "extract", "unzip", "link",
	}
	readWords = []string{
		"read", "get", "list", "ls", "search", "stat", "info", "tree", "view", "cat", "head", "tail", "find", "grep", "show", "exists",
		"open", "fetch", "load", "describe", "query", "count", "check", "watch", "diff", "glob",
	}
)

// Carries implements [contract.Carrier].
func (l *Label) Carries(s *abi.Snapshot) []abi.Wanted {
	if s.Phase != abi.PhaseCall || !l.tracks || !l.writes || !s.Session.Flows.Data || len(l.paths.of(s)) == 0 {
		return nil
	}
	return everything(s)
}

// Judge implements [contract.Contract].
func (l *Label) Judge(s *abi.Snapshot) abi.Verdict {
	v := contract.Abstain
	if s.Phase != abi.PhaseCall {
		return v
	}
	var data, session []string
	for _, r := range l.rules {
		if r.where.matches(s) {
			data = append(data, r.name)
			if v.Rule == "" {
				v.Rule = r.rule
			}
		}
	}
	var files []filePath
	if l.tracks {
		files = l.paths.of(s)
	}
	flows := &s.Session.Flows
	for _, p := range files {
		data, session = append(data, flows.Blurred.Data...), append(session, flows.Blurred.Session...)
		for _, key := range p.reads {
			f := flows.Files[key]
			data, session = append(data, f.Data...), append(session, f.Session...)
		}
	}
	o := &v.Obligations
	o.CallLabels, o.SessionLabels = sortedSet(data), sortedSet(append(session, data...))
	if len(files) == 0 || !l.writes {
		return v
	}
	for i := range s.Carried {
		data = append(data, s.Carried[i].Labels...)
	}
	session = append(session, s.Session.Labels...)
	if data, session = sortedSet(data), sortedSet(session); len(data)+len(session) == 0 {
		return v
	}
	for _, p := range files {
		o.Files = append(o.Files, abi.FileLabels{At: p.at, Keys: p.writes, Data: data, Session: session})
	}
	return v
}

func sortedSet(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// filePaths finds the paths that a call of a tool names.
type filePaths struct {
	moving bool
	names  []squashed // that the policy says hold paths
	base   string
}

// filePath is one path of a call, by the digests that a file is known by.
type filePath struct {
	at     string
	writes []string // what a file that is written there is found by
	reads  []string // what files that are read there are found by
}

func newFilePaths(r *contract.Rules) filePaths {
	f := filePaths{moving: hasWord(r.Tool, "move", "rename", "copy", "cp", "mv", "link", "symlink", "ln"), base: r.Kind.Base()}
	for i := range r.Args {
		if r.Args[i].Slot == "path" {
			for _, name := range r.Args[i].Names {
				f.names = append(f.names, squash(name))
			}
		}
	}
	return f
}

// maxFilePaths bounds the paths of one call. Behind them, any path is meant.
const maxFilePaths = 256

func (f *filePaths) of(s *abi.Snapshot) []filePath {
	values, _ := s.Call.Values()
	var out []filePath
	f.walk(f.base, values, schemaOf(&s.Definition.Schema), false, func(at, value string) {
		switch {
		case len(out) < maxFilePaths:
			out = append(out, fileKeys(at, value, s.Call.Server, &s.Session.Place))
		case len(out) == maxFilePaths:
			out = append(out, filePath{at: at, writes: []string{keyOf("any", ""), keyOf("all", "")}, reads: []string{keyOf("all", "")}})
		}
	})
	return out
}

func (f *filePaths) walk(at string, v abi.Value, node schema, isPath bool, visit func(at, value string)) {
	switch v.Kind() {
	case abi.String, abi.RawString:
		if isPath && strings.TrimSpace(v.Str()) != "" {
			visit(at, v.Str())
		}
	case abi.Array:
		for i, item := range v.Items() {
			f.walk(abi.JoinIndex(at, i), item, node.items(), isPath || node.items().isPath(), visit)
		}
	case abi.Object:
		for _, m := range v.Members() {
			child := node.property(m.Name)
			below := abi.Join(at, m.Name)
			path := f.named(m.Name) || child.isPath() || isPath && !contentName(m.Name)
			if uriName(m.Name) && !f.named(m.Name) {
				path = m.Value.IsString() && hasPrefixFold(m.Value.Str(), "file:")
			}
			if isPath && pathShaped(m.Name) {
				visit(below, m.Name)
			}
			f.walk(below, m.Value, child, path, visit)
		}
	}
}

func (f *filePaths) named(name string) bool {
	s := squash(name)
	return pathName(name, f.moving) || slices.ContainsFunc(f.names, func(n squashed) bool { return string(n.text()) == string(s.text()) })
}

// fileKeys names a path by digests: itself, the directories above it, and the last
// name of it, for paths of which nobody knows where they start. Case does not
// count, whatever the platform: more is found than is the same.
func fileKeys(at, value, server string, place *abi.Place) filePath {
	p, why := canonicalPath(value, place)
	if why != "" {
		return filePath{at: at, writes: []string{keyOf("any", ""), keyOf("all", "")}, reads: []string{keyOf("any", ""), keyOf("all", "")}}
	}
	p = foldPath(p)
	last := p[strings.LastIndexByte(p, '/')+1:]
	out := filePath{at: at, writes: []string{keyOf("all", "")}, reads: []string{keyOf("any", ""), keyOf("unrooted", last)}}
	if i := strings.IndexAny(p, "*?{"); i >= 0 { // a server may read all that it matches
		from := p[:strings.LastIndexByte(p[:i], '/')+1]
		if len(from) > 1 {
			out.reads = append(out.reads, keyOf("below", strings.TrimSuffix(from, "/")))
		} else {
			out.reads = append(out.reads, keyOf("all", ""))
		}
	}
	for _, form := range otherForms(p) {
		if key := keyOf("path", form); rooted(form) {
			out.writes, out.reads = append(out.writes, key), append(out.reads, key)
		}
	}
	if !rooted(p) {
		out.writes = append(out.writes, keyOf("unrooted", last))
		out.reads = append(out.reads, keyOf("named", last))
		return out
	}
	out.writes = append(out.writes, keyOf("path", p), keyOf("named", last))
	out.reads = append(out.reads, keyOf("path", p), keyOf("below", p))
	for n := 0; n < 64; n++ {
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			break
		}
		p = p[:i]
		out.writes = append(out.writes, keyOf("below", p))
		out.reads = append(out.reads, keyOf("path", p))
	}
	return out
}

// keyOf is a digest of a name of one kind, half as long as usual.
func keyOf(kind, name string) string {
	return abi.DigestBytes([]byte(kind + "\x00" + name))[len("sha256:"):][:32]
}
