package main

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// maxEscaped is how many bytes of a line are waited for.
const maxEscaped = 4096

// escaping hands on what a program of others prints, with what a terminal could
// act on escaped. flush hands on a line that has no end.
type escaping struct {
	to   io.Writer
	rest []byte
}

// Write takes everything.
func (e *escaping) Write(b []byte) (int, error) {
	for n := len(b); ; {
		i := bytes.IndexByte(b, '\n') + 1
		if i == 0 {
			e.rest = append(e.rest, b...)
			return n, e.long()
		}
		e.rest = append(e.rest, b[:i]...)
		b = b[i:]
		// What ends lines elsewhere is no news.
		if cut, ok := bytes.CutSuffix(e.rest, []byte("\r\n")); ok {
			e.rest = append(cut, '\n')
		}
		if err := e.flush(); err != nil {
			return 0, err
		}
	}
}

// long hands on what is over the limit, up to a whole character.
func (e *escaping) long() error {
	if len(e.rest) < maxEscaped {
		return nil
	}
	end := len(e.rest)
	for back := 1; back < utf8.UTFMax; back++ {
		if r := e.rest[len(e.rest)-back:]; utf8.RuneStart(r[0]) {
			if !utf8.FullRune(r) {
				end -= back
			}
			break
		}
	}
	kept := bytes.Clone(e.rest[end:])
	e.rest = e.rest[:end]
	err := e.flush()
	e.rest = append(e.rest, kept...)
	return err
}

func (e *escaping) flush() error {
	_, err := io.WriteString(e.to, printable(string(e.rest)))
	e.rest = e.rest[:0]
	return err
}
