package main

import (
	"errors"
	"io"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
)

// unloaded is the error of what does not load. With --json it is said on
// standard output, as the result would have been.
func unloaded(out io.Writer, asJSON bool, err error) error {
	if !asJSON {
		return err
	}
	if _, writeErr := out.Write(jsonLine(object("errors", abi.ArrayValue(mistakes(err)...)))); writeErr != nil {
		return writeErr
	}
	return exitError{2, nil}
}

// mistakes takes an error apart: one object each, with the members file, line,
// column (both from 1), path and message as far as they are known.
func mistakes(err error) []abi.Value {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var out []abi.Value
		for _, one := range list.Unwrap() {
			out = append(out, mistakes(one)...)
		}
		return out
	}
	var p *policy.Mistake
	var c *cases.Mistake
	switch {
	case errors.As(err, &p):
		return []abi.Value{object("file", p.File, "line", position(p.Line), "column", position(p.Column), "path", stated(p.Path), "message", p.Text)}
	case errors.As(err, &c):
		return []abi.Value{object("file", c.File, "line", position(c.Line), "column", position(c.Column), "message", c.Text)}
	}
	return []abi.Value{object("message", err.Error())}
}

// position is a line or column, absent where it is 0.
func position(n int) abi.Value {
	if n == 0 {
		return abi.Value{}
	}
	return abi.IntValue(int64(n))
}

// stated is a text, absent where it is empty.
func stated(s string) abi.Value {
	if s == "" {
		return abi.Value{}
	}
	return abi.StringValue(s)
}
