package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/plural"
)

// absent is what a replay looks for and does not find, as lines for whoever can bring
// it.
type absent map[string]bool

// notKept is missing wherever the ledger is.
const notKept = "text that was not kept (settings.ledger: digests), or that was redacted"

// maxAbsent bounds how much of it is listed.
const maxAbsent = 20

// plugin finds the plugin of an entry of a policy.
func (a absent) plugin(ref contract.PluginRef) (contract.Plugin, error) {
	p, err := pluginOf(ref)
	if errors.Is(err, contract.ErrGone) {
		a[fmt.Sprintf("module of %s: copy plugins/%s.wasm from the state directory of the machine that wrote the ledger into %s",
			ref.Name, strings.TrimPrefix(ref.Digest, "sha256:"), filepath.Join(stateDir(), "plugins"))] = true
	}
	return p, err
}

// prior reads other ledger files.
func (a absent) prior(from func(abi.ReadEvent, func(abi.Event) error) error) func(abi.ReadEvent, func(abi.Event) error) error {
	return func(r abi.ReadEvent, each func(abi.Event) error) error {
		err := from(r, each)
		if err != nil {
			a[fmt.Sprintf("ledger file %q: copy it from the same group, with its text", r.File)] = true
		}
		return err
	}
}

// reading reads text beside the ledger file at a path.
func (a absent) reading(from abi.TextReader, path string) abi.TextReader {
	return absentText{from, a, filepath.Dir(path)}
}

type absentText struct {
	abi.TextReader
	absent absent
	dir    string
}

// ReadText implements [abi.TextReader].
func (t absentText) ReadText(ref abi.Text, dst []byte, at int64) error {
	err := t.TextReader.ReadText(ref, dst, at)
	switch {
	case err == nil:
	case ref.Segment == "":
		t.absent[notKept] = true
	default:
		name := oneLine(ref.Segment) + ".text"
		t.absent[fmt.Sprintf("text: copy %s or %s.s2 from beside the ledger into %s, if it was not evicted there", name, name, t.dir)] = true
	}
	return err
}

// list says what would have to be brought for the verdicts that were not replayed.
func (a absent) list(w io.Writer) {
	if len(a) == 0 {
		a[notKept] = true
	}
	lines := slices.Sorted(maps.Keys(a))
	for _, line := range lines[:min(len(lines), maxAbsent)] {
		fmt.Fprintln(w, "  missing: "+oneLine(line))
	}
	if more := len(lines) - maxAbsent; more > 0 {
		fmt.Fprintln(w, "  missing: "+plural.Of(more, "file")+" more")
	}
}
