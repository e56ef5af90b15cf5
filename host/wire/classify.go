package wire

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Classify is Classifier.Classify with fresh memory.
func Classify(raw []byte, side Side, opt Options) Frame {
	return new(Classifier).Classify(raw, side, opt)
}

// ClassifyLine classifies a line of a Reader; one over the cap is refused with CodeTooLong, whatever it holds.
func (c *Classifier) ClassifyLine(line Line, side Side, opt Options) Frame {
	if !line.TooLong {
		return c.Classify(line.Bytes, side, opt)
	}
	f := Frame{Raw: line.Bytes}
	if side == FromServer && isNoise(line.Bytes) {
		f.Kind = Noise
		return f
	}
	f.refuse(CodeTooLong, "")
	line.ids.address(f.Problem, side)
	return f
}

// Classify names what one frame is. raw is one line with or without its terminator, or the body of one HTTP message (line feeds within are JSON whitespace:
// LineOf brings such a frame to a line transport). It is total: every input has an answer, and what has no other is Refused.
// The Frame keeps raw and offsets into it.
func (c *Classifier) Classify(raw []byte, side Side, opt Options) Frame {
	opt = opt.withDefaults()
	f := Frame{Raw: raw}
	switch {
	case len(skipSpace(raw)) == 0:
		f.Kind = Blank
		return f
	case side == FromServer && isNoise(raw):
		f.Kind = Noise
		return f
	}
	code := precheck(raw, opt.MaxDepth)
	var pointer string
	if code == "" {
		c.start(raw)
		code, pointer = c.whole(&f, side, opt)
		c.release()
	}
	if code != "" {
		// Whatever the walk had gathered is half of a frame.
		f = Frame{Raw: raw}
		f.refuse(code, pointer)
		if code != CodeBatchUnsupported && code != CodeBatchEmpty {
			scanIDs(raw).address(f.Problem, side)
		}
		return f
	}
	if side == FromServer && f.Kind != Refused {
		f.HasOwnMeta = hasOwnMeta(raw)
	}
	return f
}

// isNoise reports whether a server's line is not even the start of a frame. A byte order mark before a brace is: a peer may skip it and run the frame.
func isNoise(raw []byte) bool {
	body := skipSpace(bytes.TrimPrefix(raw, []byte(byteOrderMark)))
	return len(body) == 0 || body[0] != '{' && body[0] != '['
}

// whole reads the one value of the text and whatever is behind it. It returns the code that refuses the whole text, or none.
func (c *Classifier) whole(f *Frame, side Side, opt Options) (code, pointer string) {
	var err error
	kind := c.dec.PeekKind()
	switch kind {
	case '{':
		err = c.frame(f, side)
	case '[':
		code, err = c.batch(f, side, opt)
	default:
		code = CodeNotObject
		err = c.dec.SkipValue()
	}
	if err != nil {
		return syntaxCode(err)
	}
	if _, err = c.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return CodeTrailingData, ""
	}
	return code, ""
}

func syntaxCode(err error) (code, pointer string) {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		pointer = string(syntax.JSONPointer)
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return CodeDuplicateName, pointer
	}
	return CodeNotJSON, pointer
}

// frame reads and judges the object that comes next in the decoder, the whole of f.Raw.
func (c *Classifier) frame(f *Frame, side Side) error {
	w := walk{text: f.Raw, side: side}
	if _, err := c.dec.ReadToken(); err != nil {
		return err
	}
	if err := c.object(&w, atEnvelope); err != nil {
		return err
	}
	c.judge(f, &w, side)
	return nil
}

// batch reads the array that comes next in the decoder and judges its elements.
func (c *Classifier) batch(f *Frame, side Side, opt Options) (code string, err error) {
	if _, err := c.dec.ReadToken(); err != nil {
		return "", err
	}
	count := 0
	for ; c.dec.PeekKind() != ']'; count++ {
		if count >= opt.MaxBatch {
			err = c.dec.SkipValue()
		} else {
			var e Frame
			e, err = c.element(f.Raw, side)
			f.Elements = append(f.Elements, e)
		}
		if err != nil {
			return "", err
		}
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return "", err
	}
	switch {
	case side != FromServer && !opt.Batches:
		return CodeBatchUnsupported, nil
	case count == 0:
		return CodeBatchEmpty, nil
	case count > opt.MaxBatch:
		return CodeBatchTooLong, nil
	}
	f.Kind = Batch
	f.gather(side)
	return "", nil
}

// element reads and judges one element of a batch in text.
func (c *Classifier) element(text []byte, side Side) (Frame, error) {
	var f Frame
	if kind := c.dec.PeekKind(); kind != '{' {
		v, err := c.dec.ReadValue()
		f.Raw = v
		code := CodeNotObject
		if kind == '[' {
			code = CodeBatchNested
		}
		f.refuse(code, "")
		return f, err
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return f, err
	}
	w := walk{text: text, base: c.offset() - 1, side: side}
	if err := c.object(&w, atEnvelope); err != nil {
		return f, err
	}
	end := c.offset()
	f.Raw = text[w.base:end:end]
	c.judge(&f, &w, side)
	if side != FromServer && f.Kind == Request && f.Method == "initialize" {
		f.refuse(CodeBatchInitialize, "")
		f.Problem.IDs = []ID{f.ID}
	}
	return f, nil
}

// gather gives a batch with a refused element its own problem: who waits for any of its elements has to be told.
func (f *Frame) gather(side Side) {
	var problem *Problem
	var ids, serverIDs []ID
	drop := true
	for i := range f.Elements {
		e := &f.Elements[i]
		switch {
		case e.Problem != nil:
			if problem == nil {
				problem = NewProblem(CodeBatchElement, "/"+strconv.Itoa(i))
			}
			ids = append(ids, e.Problem.IDs...)
			serverIDs = append(serverIDs, e.Problem.ServerIDs...)
			drop = drop && e.Problem.Drop
		case e.Kind == Request && side == FromServer:
			serverIDs = append(serverIDs, e.ID)
		case e.Kind == Request, side == FromServer && e.HasID && e.ID.Raw != "null":
			ids = append(ids, e.ID)
		}
	}
	if problem != nil {
		problem.IDs, problem.ServerIDs = ids, serverIDs
		problem.Drop = drop && len(ids) == 0
		f.Problem = problem
	}
}

func (f *Frame) refuse(code, pointer string) {
	f.Kind = Refused
	f.Problem = NewProblem(code, pointer)
}
