package provenance

import (
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// The stream of a record is everything in it that is searched, piece by piece:
// each string of its JSON text, member names and long numbers included, and
// behind each string the views of it, window by window. It is made of the text
// alone, and can be entered in the middle: blocks are folded again from there.

// place is where a chunk of the stream begins. The zero place is the start of
// the first record.
type place struct {
	record uint32
	unit   uint32 // offset of the string or number in the text of the record
	at     uint32 // offset in the text: of the chunk, or of the window that a view is of
	view   uint32 // 0: the string itself, otherwise the number of the view in its window
	pos    uint32 // offset in the view
}

// before orders places as the stream has them.
func (p place) before(q place) bool {
	switch {
	case p.record != q.record:
		return p.record < q.record
	case p.unit != q.unit:
		return p.unit < q.unit
	case (p.view == 0) != (q.view == 0):
		return p.view == 0
	case p.at != q.at:
		return p.at < q.at
	case p.view != q.view:
		return p.view < q.view
	}
	return p.pos < q.pos
}

// Sizes of what is decoded at once, in bytes of the text.
const (
	chunkSize  = 4 << 10
	windowSoft = 32 << 10 // a window ends at the first blank behind this
	windowHard = 48 << 10
)

// chunk is a part of one piece of the stream.
type chunk struct {
	from  place
	text  string
	first bool // the piece begins with it, if the stream was not entered behind its start
	last  bool // the piece ends with it
}

// walker walks the stream of one record.
type walker struct {
	src    *source
	record uint32
	plain  bool // the text is no JSON: one string without escapes
	visit  func(chunk) bool
	// window is told every window of every string, before its views.
	window func(text string)

	skip     bool // there are no views
	viewless bool // so far there were none
	cut      bool // something with markers was not decoded
	buf      []byte
}

// walk visits the stream from a place on until visit returns false.
func (w *walker) walk(from place) {
	unit := int(from.unit)
	if w.plain {
		w.string(unit, 0, -1, from)
		return
	}
	for entered := from.at > from.unit || from.view > 0; ; entered = false {
		if !entered {
			if unit = w.next(unit); unit < 0 {
				return
			}
			from = place{record: w.record, unit: uint32(unit)}
		}
		var ok bool
		if b, _ := w.src.byte(unit); b == '"' || entered {
			unit, ok = w.string(unit, unit+1, '"', from)
		} else {
			unit, ok = w.number(unit)
		}
		if !ok {
			return
		}
	}
}

// next returns the offset of the next string or number, -1 at the end.
func (w *walker) next(at int) int {
	for ; ; at++ {
		switch b, ok := w.src.byte(at); {
		case !ok:
			return -1
		case b == '"', b == '-', isDigit(b):
			return at
		}
	}
}

// number visits a number that can be an account or an id.
func (w *walker) number(unit int) (int, bool) {
	end := unit
	w.buf = w.buf[:0]
	for {
		b, ok := w.src.byte(end)
		if !ok || !isDigit(b) && b != '-' && b != '+' && b != '.' && b != 'e' && b != 'E' {
			break
		}
		w.buf = append(w.buf, b)
		end++
	}
	text := numberText(string(w.buf))
	if !longNumber(text) {
		return end, true
	}
	from := place{record: w.record, unit: uint32(unit), at: uint32(unit)}
	return end, w.visit(chunk{from: from, text: text, first: true, last: true})
}

// string visits the string whose first character stands at start, and then its
// views, from a place in it on. It returns the offset behind it.
func (w *walker) string(unit, start, quote int, from place) (int, bool) {
	at := start
	if from.view == 0 {
		at = max(at, int(from.at))
		for first := at == start; ; first = false {
			text, next, last := w.decode(at, quote, chunkSize, chunkSize)
			c := chunk{from: place{record: w.record, unit: uint32(unit), at: uint32(at)}, text: text, first: first, last: last}
			if !w.visit(c) {
				return next, false
			}
			if at = next; last {
				break
			}
		}
		if w.skip {
			return at + 1, true
		}
		at = start
	} else {
		at = int(from.at)
	}
	skip := from.view
	end, going := w.windows(at, quote, func(at int, text string) bool {
		if w.window != nil {
			w.window(text)
		}
		here := place{record: w.record, unit: uint32(unit), at: uint32(at)}
		going := w.views(here, text, skip, from.pos)
		skip = 0
		return going
	})
	return end + boolInt(going && quote >= 0), going
}

// views visits the views of a window, the first of them from an offset on if
// the stream is entered there.
func (w *walker) views(from place, text string, skip, pos uint32) bool {
	list, cut := views(text)
	w.viewless = w.viewless && len(list) == 0
	w.cut = w.cut || cut
	for i, v := range list {
		from.view, from.pos = uint32(i)+1, 0
		if from.view < skip {
			continue
		}
		if from.view == skip {
			from.pos = pos
		}
		for first := from.pos == 0; ; first = false {
			rest := v.text[min(int(from.pos), len(v.text)):]
			n := cutRune(rest, chunkSize)
			if !w.visit(chunk{from: from, text: rest[:n], first: first, last: n == len(rest)}) {
				return false
			}
			if from.pos += uint32(n); n == len(rest) {
				break
			}
		}
	}
	return true
}

// cutRune returns how many of at most n bytes of s are whole code points.
func cutRune(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if n == 0 {
		return len(s)
	}
	return n
}

// decode returns the characters of a string from an offset on: those of soft
// bytes of the text, and on to the first blank, but not of more than hard bytes.
// It returns the offset behind them, and whether the string ends there.
func (w *walker) decode(at, quote, soft, hard int) (text string, next int, last bool) {
	out := w.buf[:0]
	defer func() { w.buf = out }()
	for from := at; ; {
		run := w.src.from(at, hard-(at-from))
		run = run[:min(len(run), hard-(at-from))]
		if len(run) == 0 {
			return string(out), at, w.ends(at, quote)
		}
		n, stop := plainRun(run, quote)
		if soft < hard {
			n, stop = endAtBlank(run, n, stop, soft-(at-from))
		}
		if stop == runCut {
			n = w.whole(run, at)
		}
		full := at+n-from >= hard-utf8.UTFMax
		if at == from && (stop == runQuote || stop == runBlank || stop == runCut && full) {
			return run[:n], at + n, stop == runQuote || w.ends(at+n, quote) // as it stands
		}
		out = append(out, run[:n]...)
		at += n
		switch {
		case stop == runQuote:
			return string(out), at, true
		case stop == runBlank:
			return string(out), at, w.ends(at, quote)
		case stop == runEscape:
			r, size := w.escape(at)
			out = appendWTF8(out, r)
			at += size
			full = at-from >= hard-utf8.UTFMax || soft < hard && at-from > soft && r <= ' '
		}
		if full {
			return string(out), at, w.ends(at, quote)
		}
	}
}

// ends says whether the string ends at an offset.
func (w *walker) ends(at, quote int) bool {
	b, ok := w.src.byte(at)
	return !ok || int(b) == quote
}

// whole returns how many bytes of a run that stands at an offset are whole code
// points, so far as there are any.
func (w *walker) whole(run string, at int) int {
	n := len(run)
	if b, ok := w.src.byte(at + n); !ok || utf8.RuneStart(b) {
		return n
	}
	for i := 1; i < utf8.UTFMax && i < n; i++ {
		if utf8.RuneStart(run[n-i]) {
			return n - i
		}
	}
	return n
}

// What ends a run of plain characters.
const (
	runCut = iota // what is loaded, or decoded at once
	runQuote
	runEscape
	runBlank
)

// plainRun returns the length of a run without escapes, and what ends it.
func plainRun(run string, quote int) (int, int) {
	if quote < 0 {
		return len(run), runCut
	}
	const stride = 256 // so that what lies behind the end is not looked at again and again
	for at := 0; at < len(run); at += stride {
		in := run[at:min(at+stride, len(run))]
		n, stop := strings.IndexByte(in, byte(quote)), runQuote
		if n >= 0 {
			in = in[:n]
		}
		if i := strings.IndexByte(in, '\\'); i >= 0 {
			n, stop = i, runEscape
		}
		if n >= 0 {
			return at + n, stop
		}
	}
	return len(run), runCut
}

// endAtBlank shortens a run to the first blank behind an offset of it.
func endAtBlank(run string, n, stop, from int) (int, int) {
	if from = max(from, 0); from >= n {
		return n, stop
	}
	if i := strings.IndexAny(run[from:n], " \t\r\n"); i >= 0 {
		return from + i + 1, runBlank
	}
	return n, stop
}

// escape returns the character of the escape at an offset, and its length.
func (w *walker) escape(at int) (rune, int) {
	b, ok := w.src.byte(at + 1)
	if !ok {
		return utf8.RuneError, 1
	}
	switch b {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r := rune(0)
		for i := 2; i < 6; i++ {
			d, _ := w.src.byte(at + i)
			r = r<<4 | rune(hexValue(d)&15)
		}
		return r, 6
	}
	return rune(b), 2
}

// appendWTF8 appends a code point, a lone surrogate as the three bytes that it
// would have.
func appendWTF8(dst []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(dst, r)
}

// source is the text of one record, read as far as it is needed.
type source struct {
	reader abi.TextReader
	ref    abi.Text
	base   int    // offset of data in the text
	data   string // what is loaded
	end    int    // length of the text
	err    error  // why the rest can not be read
}

// loadSize is how much of a text is read at once.
const loadSize = 32 << 10

// byte returns the byte at an offset.
func (s *source) byte(at int) (byte, bool) {
	if i := at - s.base; i >= 0 && i < len(s.data) {
		return s.data[i], true
	}
	if text := s.from(at, 1); text != "" {
		return text[0], true
	}
	return 0, false
}

// from returns what is loaded of the text from an offset on, at least n bytes of
// it unless it ends before.
func (s *source) from(at, n int) string {
	if at >= s.end || s.err != nil {
		return ""
	}
	if at < s.base || at+min(n, s.end-at) > s.base+len(s.data) {
		data := make([]byte, min(max(n, loadSize), s.end-at))
		if s.err = s.reader.ReadText(s.ref, data, int64(at)); s.err != nil {
			return ""
		}
		s.base, s.data = at, string(data)
	}
	return s.data[at-s.base:]
}

// resident is the source of a text in memory.
func resident(text string) *source { return &source{data: text, end: len(text)} }
