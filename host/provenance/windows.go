package provenance

import (
	"strings"
	"unicode/utf8"
)

// windowLap is how much of a window the next one begins with, in bytes of the
// text: what is encoded across the end of one window stands whole in the next.
const windowLap = 4 << 10

// windows calls visit for the windows of the string that ends at a quote, from
// one that begins at an offset on, until it returns false. It returns the offset
// where the string ends.
func (w *walker) windows(at, quote int, visit func(at int, text string) bool) (end int, going bool) {
	for {
		text, next, last := w.decode(at, quote, windowSoft, windowHard)
		if !visit(at, text) {
			return next, false
		}
		if last {
			return next, true
		}
		at = w.lap(at, next, text)
	}
}

// lap returns where the window behind one that begins at an offset, and ends at
// next, begins.
func (w *walker) lap(at, next int, text string) int {
	to := next - windowLap
	if len(text) == next-at { // without escapes
		return at + cleanStart(text, to-at)
	}
	for to > at && w.inside(at, to) {
		to--
	}
	if to == at {
		return next
	}
	return to
}

// inside says whether an offset behind at, where none is, lies inside of an escape
// or of a code point.
func (w *walker) inside(at, to int) bool {
	if b, _ := w.src.byte(to); !utf8.RuneStart(b) {
		return true
	}
	for i := to - 1; i >= max(at, to-5); i-- {
		n := 0 // backslashes in a row, every other of which begins an escape
		for b, _ := w.src.byte(i); b == '\\'; b, _ = w.src.byte(i - n) {
			if n++; i-n < at {
				break
			}
		}
		if n == 0 {
			continue
		}
		size := 2
		if b, _ := w.src.byte(i + 1); b == 'u' {
			size = 6
		}
		return n%2 == 1 && i+size > to
	}
	return false
}

// cleanStart returns the offset of the first word at or behind an offset, or, of a
// word that is long, that of a group of characters of base64 in it.
func cleanStart(text string, at int) int {
	if i := strings.IndexAny(text[at:at+windowLap/2], " \t\r\n"); i >= 0 {
		return at + i + 1
	}
	word := at
	for word > 0 && marks[text[word-1]]&markBase64 != 0 {
		word--
	}
	for at = word + (at-word)&^3; at > 0 && !utf8.RuneStart(text[at]); at-- {
	}
	return at
}

// windowsOf calls visit for the windows of a text, as the stream has them.
func windowsOf(s string, visit func(text string)) {
	w := walker{src: resident(s)}
	w.windows(0, -1, func(_ int, text string) bool {
		visit(text)
		return true
	})
}
