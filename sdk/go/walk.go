package callgate

import "strconv"

// level is an array or object that a walk is in.
type level struct {
	array bool
	next  int // index of the next item
	base  int // length of its pointer
}

// walk goes through JSON text. It does not call itself: the host bounds how deep
// calls nest, and not how deep JSON does.
type walk struct {
	text   string
	i      int
	at     []byte
	frozen bool
	levels []level
}

func (w *walk) enter() {
	w.levels = append(w.levels, level{array: w.text[w.i] == '[', base: len(w.at)})
	w.i++
}

// below visits what is in an array or object: all of it if deep, else only what
// stands there itself.
func (v Value) below(deep bool, yield func(Value) bool) {
	w := walk{text: v.text, i: space(v.text, 0), at: []byte(v.at), frozen: v.frozen}
	w.enter()
	for {
		child, ok := w.child()
		if !ok || !yield(child) {
			return
		}
		c := w.text[w.i]
		if deep && (c == '{' || c == '[') {
			w.enter()
			continue
		}
		if w.i = skip(w.text, w.i); w.i < 0 {
			return
		}
	}
}

// child returns the next value, where the walk then stands.
func (w *walk) child() (Value, bool) {
	for len(w.levels) > 0 {
		l := &w.levels[len(w.levels)-1]
		w.at = w.at[:l.base]
		w.i = space(w.text, w.i)
		switch {
		case w.i >= len(w.text):
			return Value{}, false
		case w.text[w.i] == ',':
			w.i++
		case w.text[w.i] == '}' || w.text[w.i] == ']':
			w.levels = w.levels[:len(w.levels)-1]
			w.i++
		case l.array:
			return w.value(strconv.Itoa(l.next), ""), true
		default:
			end := quoted(w.text, w.i)
			if end < 0 {
				return Value{}, false
			}
			name, _ := unquote(w.text[w.i:end])
			w.i = space(w.text, space(w.text, end)+1)
			return w.value(escaped(name), name), true
		}
	}
	return Value{}, false
}

// value makes the value at which the walk stands.
func (w *walk) value(token, name string) Value {
	w.levels[len(w.levels)-1].next++
	if !w.frozen {
		w.at = append(append(w.at, '/'), token...)
	}
	return Value{at: string(w.at), name: name, form: lexeme, text: w.text[w.i:], frozen: w.frozen}
}
