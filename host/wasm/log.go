package wasm

import (
	"bytes"
	"context"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/abi"
)

// Line is one line that a plugin logged. It is a plugin's text: for people, in a
// log, and never for a model.
type Line struct {
	Level uint32 // of the abi.Log constants
	Text  string // valid UTF-8
}

// logBuffer holds what an evaluation logs, up to a limit.
type logBuffer struct {
	lines []Line
	bytes int
	cut   bool
	parts [2][]byte // of standard output and error: what has no line end yet
}

// add keeps a line, or as much of it as there is room for.
func (l *logBuffer) add(level uint32, text []byte) {
	if len(l.lines) == MaxLogLines || l.bytes == MaxLogBytes && len(text) > 0 {
		l.cut = true
		return
	}
	if room := MaxLogBytes - l.bytes; len(text) > room {
		text, l.cut = text[:room], true
	}
	l.bytes += len(text)
	l.lines = append(l.lines, Line{min(level, abi.LogError), strings.ToValidUTF8(string(text), "\uFFFD")})
}

// write takes what a guest writes to standard output (0) or error (1), in pieces:
// nothing stops the host in the search for the end of a line of 256 MiB.
func (l *logBuffer) write(stream int, text []byte) {
	for len(text) > 0 {
		n := min(len(text), MaxLogBytes)
		l.piece(stream, text[:n])
		text = text[n:]
	}
}

func (l *logBuffer) piece(stream int, text []byte) {
	part := &l.parts[stream]
	for {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		if room := MaxLogBytes - len(*part); len(line) > room {
			line, l.cut = line[:room], true
		}
		*part = append(*part, line...)
		if !ended {
			return
		}
		l.flush(stream)
		text = rest
		if len(l.lines) == MaxLogLines {
			l.cut = l.cut || len(text) > 0
			return
		}
	}
}

func (l *logBuffer) flush(stream int) {
	l.add([...]uint32{abi.LogInfo, abi.LogWarn}[stream], l.parts[stream])
	l.parts[stream] = l.parts[stream][:0]
}

// end is the log as it is.
func (l *logBuffer) end() []Line {
	for stream, part := range l.parts {
		if len(part) > 0 {
			l.flush(stream)
		}
	}
	return l.lines
}

// logLine is callgate_v0.log.
func logLine(ctx context.Context, mod api.Module, stack []uint64) {
	r := runOf(ctx, mod)
	text := r.read("log: text", stack[1], stack[2])
	r.charge(uint64(len(text)))
	r.log.add(uint32(stack[0]), text)
}

// logEnabled is callgate_v0.log_enabled. What it says does not depend on what is
// shown to anyone, or plugins would not do the same everywhere.
func logEnabled(ctx context.Context, mod api.Module, stack []uint64) {
	runOf(ctx, mod).charge(0)
	yes := uint64(0)
	if uint32(stack[0]) <= abi.LogError {
		yes = 1
	}
	stack[0] = yes
}
