package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/segment"
	"github.com/callgate/callgate/host/wasm"
)

// record checks the servers' logs as a whole, then the ledgers.
func (d *demo) record(_ context.Context, s *demoScene) error {
	for _, l := range d.logs {
		lines, err := l.all()
		if err != nil {
			return err
		}
		var wrong []string
		if !slices.Equal(lines, l.want) {
			wrong = append(wrong, "expected "+demoLines(l.want)+", found "+demoLines(lines))
		}
		dir := filepath.Base(filepath.Dir(l.path))
		s.check("read the whole log in "+dir+", now that every process has ended", plural.Of(len(lines), "line"),
			"nothing in it but what the scenes above show", wrong...)
	}
	p, err := policy.Load(policy.Options{Files: []string{d.path("policy.yaml")}, Specs: builtin.Table(), Run: true})
	if err != nil {
		return err
	}
	plugins := wasm.NewShelf(wasm.Options{Compiler: []string{d.exe, compileVerb}, CacheDir: d.path("home", "compiled")}, "")
	defer plugins.Close()
	for _, name := range []string{"mailbox", "files", "raw"} {
		if err := d.verify(s, p, plugins, name); err != nil {
			return err
		}
	}
	return d.forge(s)
}

// verify checks the hash chain of one ledger directory, then replays its files.
func (d *demo) verify(s *demoScene, p *policy.Policy, plugins *wasm.Shelf, name string) error {
	dir := d.path("ledger", name)
	reports, err := ledger.VerifyGroup(dir)
	if err != nil {
		return err
	}
	if len(reports) == 0 {
		return fmt.Errorf("ledger %q has no files", name)
	}
	var found []string
	var wrong []string
	same := 0
	for _, r := range reports {
		events, err := demoEvents(r.Path)
		if err != nil {
			return err
		}
		recorded, replayed, err := demoReplay(p, plugins, dir, events)
		if err != nil {
			return err
		}
		found = append(found, fmt.Sprintf("%s, %s: the chain holds", filepath.Base(r.Path), plural.Of(r.Lines, "line")))
		found = append(found, demoVerdicts(events)...)
		if r.Torn > 0 || len(recorded) == 0 || !slices.Equal(recorded, replayed) {
			wrong = append(wrong, demoDifference(recorded, replayed))
		}
		same += len(recorded)
	}
	s.check("verify the ledger "+name+", then replay it", strings.Join(found, "\n"),
		"replayed: "+plural.Of(same, "answer")+" of the gate, the same byte for byte", wrong...)
	return nil
}

// demoEvents reads the events of a ledger file.
func demoEvents(path string) ([]abi.Event, error) {
	var out []abi.Event
	text := textOf(path)
	defer text.Close()
	err := ledger.Read(path, func(line []byte) error {
		e, err := wholeEvent(line, text)
		out = append(out, e)
		return err
	})
	return out, err
}

// demoReplay feeds what came from outside to a fresh gate. It returns what the
// gate answered then, and what it answers now.
func demoReplay(p *policy.Policy, plugins *wasm.Shelf, dir string, events []abi.Event) (recorded, replayed []string, err error) {
	files, err := ledger.Group(dir)
	if err != nil {
		return nil, nil, err
	}
	text := segment.NewReader(dir)
	defer text.Close()
	player := replay.New(replay.Options{
		Policy: p, Specs: builtin.Table(), Plugin: plugins.Plugin,
		Prior: replay.Files(files), Text: text,
	})
	for _, e := range events {
		e.Prev = "" // the chain is the file's, not the gate's
		v, err := abi.Parse(e.Append(nil))
		if err != nil {
			return nil, nil, err
		}
		out, kept, err := player.Feed(v, e.Seq)
		if err != nil {
			return nil, nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		if kept != nil {
			recorded = append(recorded, e.String())
		}
		for _, a := range out {
			replayed = append(replayed, a.String())
		}
	}
	if player.Gap {
		return nil, nil, errors.New("the replay misses text that the ledger should hold")
	}
	return recorded, replayed, nil
}

// demoVerdicts lists the verdicts of a ledger, one line each.
func demoVerdicts(events []abi.Event) []string {
	var out []string
	about := map[string]string{}
	for _, e := range events {
		switch {
		case e.Call != nil:
			about[e.Call.ID] = e.Call.Server + "/" + e.Call.Target()
		case e.Verdict != nil:
			what := about[e.Verdict.ID]
			if what == "" {
				what = "(a frame)"
			}
			line := fmt.Sprintf("  %-5s %s", e.Verdict.Outcome, what)
			if e.Verdict.Outcome == abi.Deny {
				line += ", " + e.Verdict.Contract + ": " + e.Verdict.Code
			}
			out = append(out, line)
		}
	}
	return out
}

// demoDifference says where two runs part.
func demoDifference(recorded, replayed []string) string {
	for i, was := range recorded {
		if i >= len(replayed) {
			return "expected on replay " + was + ", got nothing"
		}
		if was != replayed[i] {
			return "expected on replay " + was + ", got " + replayed[i]
		}
	}
	if len(replayed) > len(recorded) {
		return "expected nothing more on replay, got " + replayed[len(recorded)]
	}
	return "expected a whole ledger with verdicts, found none or a torn line"
}

// forge changes one word in a copy of a ledger: the chain must show it.
func (d *demo) forge(s *demoScene) error {
	files, err := ledger.Group(d.path("ledger", "mailbox"))
	if err != nil || len(files) == 0 {
		return errors.Join(errors.New("the mailbox has no ledger"), err)
	}
	data, err := os.ReadFile(files[0].Path)
	if err != nil {
		return err
	}
	forged := bytes.Replace(data, []byte(`"outcome":"deny"`), []byte(`"outcome":"allow"`), 1)
	copied := d.path(filepath.Base(files[0].Path))
	if err := os.WriteFile(copied, forged, 0o600); err != nil {
		return err
	}
	var wrong []string
	held := "the chain holds"
	got := held
	if _, err := ledger.Verify(copied); err != nil {
		got = strings.ReplaceAll(err.Error(), d.root, "…")
	}
	if bytes.Equal(forged, data) || got == held {
		wrong = append(wrong, "expected a changed record to be found out")
	}
	s.check("write \"allow\" over the first \"deny\" in a copy of the mailbox's ledger, and verify that", got,
		"found out: the record cannot be touched up without breaking the chain", wrong...)
	return nil
}
