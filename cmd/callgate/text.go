package main

import (
	"bytes"
	"path/filepath"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/segment"
)

// textOf reads the text that the events of a ledger file refer to: it lies in
// segments beside the file.
func textOf(path string) *segment.Reader { return segment.NewReader(filepath.Dir(path)) }

// wholeEvent reads an event of a ledger, with its text where that is kept.
func wholeEvent(line []byte, text abi.TextReader) (abi.Event, error) {
	e, err := abi.ParseEvent(line)
	if err != nil {
		return e, err
	}
	if whole, err := e.Restored(text); err == nil {
		return whole, nil
	}
	return e, nil // the text is gone, which its reference says
}

// goneText stands in the place of text that can not be read.
func goneText(ref *abi.Text) string {
	if ref.Segment == "" {
		return "(not kept)"
	}
	return "(text evicted)"
}

// wholeValue is the JSON value of an event of a ledger, with its text where that
// is kept.
func wholeValue(line []byte, text abi.TextReader) (abi.Value, error) {
	v, err := abi.ParseEventValue(line)
	if err != nil || !bytes.Contains(line, []byte(`"segment":"`)) {
		return v, err
	}
	e, err := abi.EventFrom(v)
	if err != nil || e.Text == nil {
		return v, nil // who reads the value finds the same
	}
	if e, err = e.Restored(text); err != nil {
		return v, nil
	}
	return abi.ParseEventValue(e.Append(nil))
}
