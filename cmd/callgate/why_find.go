package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/wire"
)

// incident is one verdict, with what its ledger holds about it.
type incident struct {
	path  string // of the ledger file
	line  int    // of the verdict, from 1
	event abi.Event

	callEvent  *abi.Event
	refused    *abi.RefusedEvent
	policy     abi.Value // in force
	later      abi.Value // in force behind the verdict, absent while it is the same
	definition abi.Value // of every tool as listed last, by server/tool
	place      abi.Place
	edits      []abi.Edit    // of the call: what was sent instead
	answered   []answered    // what was redacted in what answered it
	before     []abi.Verdict // earlier verdicts under the same id
	evidence   []abi.Evidence
	texts      map[int]passage // by index of evidence
}

func (in *incident) verdict() abi.Verdict { return *in.event.Verdict }

// eachLine hands every line of a file that ends with LF to each, with its
// number. It checks nothing: a broken ledger can be looked at, too.
func eachLine(path string, each func(n int, line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := wire.NewReader(f, replay.MaxLine)
	for n := 1; ; n++ {
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if l.TooLong || !bytes.HasSuffix(l.Bytes, []byte("\n")) {
			return nil // torn, or no ledger from here on
		}
		if err := each(n, l.Bytes[:len(l.Bytes)-1]); err != nil {
			return err
		}
	}
}

// findIncident finds a verdict by its id, or the newest one that did not allow.
// Nil without an error: there is none.
func findIncident(dir, id string) (*incident, error) {
	dirs, err := groupDirs(dir)
	if err != nil {
		return nil, err
	}
	files, err := ledgerFiles(dirs)
	if err != nil {
		return nil, err
	}
	slices.Reverse(files)
	// An id starts with six digits of its file's id.
	prefix, _, _ := strings.Cut(id, "-")
	if id != "" {
		slices.SortStableFunc(files, func(a, b ledger.File) int {
			return others(a, prefix) - others(b, prefix)
		})
	}
	var best *incident
	for _, f := range files {
		if best != nil && (id != "" || f.Modified.Before(best.event.Time)) {
			break
		}
		found, err := lastVerdict(f.Path, id)
		if err != nil {
			return nil, err
		}
		if found != nil && (best == nil || found.event.Time.After(best.event.Time)) {
			best = found
		}
	}
	return best, nil
}

// lastVerdict returns the last verdict of a file with an id, or without one the
// last deny or ask.
func lastVerdict(path, id string) (*incident, error) {
	needle := []byte(`"verdict":{`)
	if id != "" {
		needle = append([]byte(`"verdict":{"id":`), abi.AppendString(nil, id)...)
	}
	var found *incident
	err := eachLine(path, func(n int, line []byte) error {
		if !bytes.Contains(line, needle) {
			return nil
		}
		e, err := abi.ParseEvent(line)
		switch {
		case err != nil || e.Verdict == nil || id != "" && e.Verdict.ID != id:
		case id == "" && e.Verdict.Outcome >= abi.Allow:
		default:
			found = &incident{path: path, line: n, event: e}
		}
		return nil
	})
	return found, err
}

// errEnough ends the reading of a file.
var errEnough = errors.New("enough")

// gather reads what the ledger says about the verdict.
func (in *incident) gather() error {
	in.collectEvidence()
	texts := newPassages(in.evidence)
	text := textOf(in.path)
	defer text.Close()
	err := eachLine(in.path, func(n int, line []byte) error {
		if n > in.line {
			return in.takeLater(line)
		}
		e, err := wholeEvent(line, text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w; callgate ledger verify says where it is broken", in.path, n, err)
		}
		texts.take(&e)
		in.take(&e)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	files, err := ledger.Group(filepath.Dir(in.path))
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Path == in.path || !texts.wants() {
			continue
		}
		if err := texts.read(f.Path); err != nil {
			return err
		}
	}
	in.texts = texts.found
	return nil
}

// take keeps an event up to the verdict, if it is about it.
func (in *incident) take(e *abi.Event) {
	v := in.verdict()
	switch {
	case e.Session != nil:
		in.place = e.Session.Place
	case e.Policy != nil:
		in.policy = e.Policy.Policy
	case e.Call != nil && e.Call.ID == v.ID:
		in.callEvent = e
	case e.Edit != nil && e.Edit.Call == v.ID && e.Edit.Of == "":
		in.edits = e.Edit.Edits
	case e.Edit != nil && e.Edit.Call == v.ID:
		in.answered = append(in.answered, answered{e.Edit, in.policy})
	case e.Refused != nil && e.Seq == in.event.Cause && in.event.Caused:
		in.refused = e.Refused
	case e.Verdict != nil && e.Verdict.ID == v.ID && e.Seq != in.event.Seq:
		in.before = append(in.before, *e.Verdict)
	case e.Tools != nil:
		in.tools(e.Tools)
	}
}

// tools keeps the definitions that were listed; which one is needed is known
// when the call comes.
func (in *incident) tools(t *abi.ToolsEvent) {
	members := in.definition.Members()
	next := make([]abi.Member, 0, len(members)+len(t.List))
	seen := map[string]bool{}
	for _, d := range slices.Backward(t.Definitions()) {
		key := t.Server + "/" + d.Get("name").Str()
		if !seen[key] {
			seen[key] = true
			next = append(next, abi.Member{Name: key, Value: d})
		}
	}
	for _, m := range members {
		if !seen[m.Name] {
			next = append(next, m)
		}
	}
	in.definition = abi.ObjectValue(next...)
}

// collectEvidence lists the evidence of every verdict that did not allow.
func (in *incident) collectEvidence() {
	v := in.verdict()
	in.evidence = slices.Clone(v.Witness)
	for _, other := range v.Also {
		if other.Outcome < abi.Allow {
			in.evidence = append(in.evidence, other.Witness...)
		}
	}
}

// tool returns the definition of the called tool.
func (in *incident) tool() abi.Value {
	c := in.callEvent.Call
	if d := in.definition.Get(c.Server + "/" + c.Tool); d.Exists() {
		return d
	}
	return abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(c.Tool)})
}

// others orders the files whose id does not start with a prefix behind those
// whose id does.
func others(f ledger.File, prefix string) int {
	if strings.HasPrefix(f.ID, prefix) {
		return 0
	}
	return 1
}
