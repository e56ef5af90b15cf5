package suggest

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
)

// watch sees what the contracts see: it stands among them and abstains. What of
// a call is a destination or a path, the contracts themselves are asked: one
// that lets nothing pass points at all there are.
type watch struct{ seen *sighting }

// sighting is one call as it was judged.
type sighting struct {
	snap     abi.Snapshot
	found    []abi.Finding // everything that the sink looked up
	targets  []abi.Finding // of found: destinations
	declared []string
	files    []filePath
	secret   bool
}

// take returns the call that was judged last, once.
func (w *watch) take() *sighting {
	s := w.seen
	w.seen = nil
	return s
}

// table puts the watch beside the contracts.
func (w *watch) table(specs []contract.Spec) []contract.Spec {
	out := []contract.Spec{{Name: "watch", New: func(*contract.Rules) (contract.Contract, error) { return watchStart{w}, nil }}}
	for _, s := range specs {
		switch s.Name {
		case "sink":
			out = append(out, contract.Spec{Name: s.Name, New: func(r *contract.Rules) (contract.Contract, error) { return w.sink(s, r) }})
		case "args":
			out = append(out, contract.Spec{Name: s.Name, New: func(r *contract.Rules) (contract.Contract, error) { return w.args(s, r) }})
		default:
			out = append(out, s)
		}
	}
	return out
}

// watchStart is the first contract: it keeps the snapshot.
type watchStart struct{ w *watch }

func (s watchStart) Judge(snap *abi.Snapshot) abi.Verdict {
	s.w.seen = &sighting{snap: *snap, found: snap.Taint}
	return contract.Abstain
}

// watchSink is the sink contract, with one beside it that trusts nothing.
type watchSink struct {
	w          *watch
	real, none contract.Contract
	declared   []string
}

func (w *watch) sink(s contract.Spec, r *contract.Rules) (contract.Contract, error) {
	real, err := s.New(r)
	if err != nil || real == nil || r.Sink == nil {
		return real, err
	}
	strict := *r.Sink
	strict.On, strict.Trusted, strict.Once, strict.Payload = map[abi.Position]abi.Outcome{}, nil, false, abi.Allow
	for _, p := range abi.Positions {
		strict.On[p] = abi.Deny
	}
	rules := *r
	rules.Sink = &strict
	none, err := s.New(&rules)
	return &watchSink{w, real, none, r.Sink.To}, err
}

func (s *watchSink) Wanted(snap *abi.Snapshot) []abi.Wanted {
	if e, ok := s.real.(contract.Explainer); ok {
		return e.Wanted(snap)
	}
	return nil
}

func (s *watchSink) Judge(snap *abi.Snapshot) abi.Verdict {
	v := s.none.Judge(snap)
	if seen := s.w.seen; seen != nil && v.Outcome.Known() == abi.Deny {
		seen.declared = s.declared
		for _, f := range snap.Taint {
			if slices.Contains(v.At, argumentsAt+f.At) {
				seen.targets = append(seen.targets, f)
			}
		}
	}
	return s.real.Judge(snap)
}

// argumentsAt is where the arguments of a call stand in a snapshot.
const argumentsAt = "/call/arguments"

// watchArgs is the args contract, with one beside it that allows no path and one
// that denies those of secrets.
type watchArgs struct {
	w                    *watch
	real, every, secrets contract.Contract
	slot                 bool // the tool has a path slot as it is
}

func (w *watch) args(s contract.Spec, r *contract.Rules) (contract.Contract, error) {
	real, err := s.New(r)
	if err != nil {
		return nil, err
	}
	out := &watchArgs{w: w, real: real}
	rule := contract.Arg{Rule: "suggest", Outcome: abi.Deny, Slot: "path", MaxBytes: -1}
	for _, a := range r.Args {
		if a.Slot == "path" {
			rule.Names, out.slot = append(rule.Names, a.Names...), true
		}
	}
	every, secret := rule, rule
	every.HasAllow, secret.Deny = true, secretPaths()
	if out.every, err = s.New(&contract.Rules{Server: r.Server, Tool: r.Tool, Args: []contract.Arg{every}}); err != nil {
		return nil, err
	}
	out.secrets, err = s.New(&contract.Rules{Server: r.Server, Tool: r.Tool, Args: []contract.Arg{secret}})
	return out, err
}

func (a *watchArgs) Judge(snap *abi.Snapshot) abi.Verdict {
	if seen := a.w.seen; seen != nil {
		for _, at := range a.every.Judge(snap).At {
			if below, ok := strings.CutPrefix(at, argumentsAt); ok && below != "" {
				a.paths(seen, below, snap)
			}
		}
	}
	if a.real == nil {
		return contract.Abstain
	}
	return a.real.Judge(snap)
}

// paths keeps the paths of the string at a pointer, which may be a list that is
// written as text. Without a slot, what only may be a path has to look like one.
func (a *watchArgs) paths(seen *sighting, at string, snap *abi.Snapshot) {
	v := snap.Call.Arguments.At(at)
	if !v.IsString() {
		return
	}
	list, whole := []abi.Value{v}, true
	if text := strings.TrimSpace(v.Str()); text != "" && (text[0] == '[' || text[0] == '{') {
		if inner, err := abi.Parse([]byte(text)); err == nil {
			list, whole = nil, false
			inner.Walk("", func(_ string, v abi.Value, key bool) {
				if v.IsString() && !key {
					list = append(list, v)
				}
			})
		}
	}
	for _, one := range list {
		p, why := builtin.ResolvePath(one.Str(), &snap.Session.Place)
		if why != "" || !a.slot && !looksLikePath(at, one.Str()) {
			continue
		}
		seen.files = append(seen.files, filePath{at, p, whole, directory(at, snap.Call.Tool)})
		seen.secret = seen.secret || a.isSecret(p, snap)
	}
}

// isSecret asks the contract about one path.
func (a *watchArgs) isSecret(p string, snap *abi.Snapshot) bool {
	one := *snap
	one.Call.Arguments = abi.ObjectValue(abi.Member{Name: "path", Value: abi.StringValue(p)})
	one.Definition.Schema = abi.Value{}
	return a.secrets.Judge(&one).Outcome.Known() == abi.Deny
}

// directory says whether a path is of a directory, by what the argument or the
// tool is called.
func directory(at, tool string) bool {
	name := strings.ToLower(argumentName(at))
	for _, end := range []string{"dir", "dirs", "directory", "directories", "folder", "folders", "root", "roots"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	words := strings.FieldsFunc(strings.ToLower(tool), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"list", "ls", "tree", "dir", "directory", "folder", "search", "find", "glob", "grep"}, w)
	})
}

// argumentName is the name of the argument that a value belongs to: an item of a
// list is what the list is.
func argumentName(at string) string {
	tokens, _ := abi.Tokens(at)
	for _, t := range slices.Backward(tokens) {
		if strings.Trim(t, "0123456789") != "" {
			return t
		}
	}
	return ""
}

// looksLikePath says whether the value at a pointer is a path beyond doubt: by
// what it is called, or by how it is written.
func looksLikePath(at, value string) bool {
	if strings.ContainsAny(value, `/\`) || strings.HasPrefix(value, ".") || strings.HasPrefix(value, "~") {
		return true
	}
	name := strings.TrimSuffix(strings.ToLower(argumentName(at)), "s")
	return slices.ContainsFunc([]string{"path", "file", "dir", "folder", "directory", "filename"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}
