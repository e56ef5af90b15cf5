package abi

import (
	"strconv"
	"strings"
)

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Join appends one reference token to a JSON Pointer (RFC 6901).
func Join(pointer, token string) string {
	if strings.ContainsAny(token, "~/") {
		token = pointerEscaper.Replace(token)
	}
	return pointer + "/" + token
}

// JoinIndex appends an array index to a JSON Pointer.
func JoinIndex(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// Tokens splits a JSON Pointer into its reference tokens. A string that is
// neither empty nor starts with a slash is not a pointer.
func Tokens(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens := strings.Split(pointer[1:], "/")
	if strings.IndexByte(pointer, '~') >= 0 {
		for i, t := range tokens {
			tokens[i] = pointerUnescaper.Replace(t)
		}
	}
	return tokens, true
}

// At returns the value a JSON Pointer names, or an absent value.
func (v Value) At(pointer string) Value {
	tokens, ok := Tokens(pointer)
	if !ok {
		return Value{}
	}
	for _, t := range tokens {
		switch v.kind {
		case Object:
			v = v.Get(t)
		case Array:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(v.Items()) || strconv.Itoa(i) != t {
				return Value{}
			}
			v = v.Items()[i]
		default:
			return Value{}
		}
	}
	return v
}

// Walk calls visit for v and everything below it, parents first, members in
// canonical order. A member's name is visited with key true, before its value.
func (v Value) Walk(pointer string, visit func(pointer string, v Value, key bool)) {
	visit(pointer, v, false)
	for i, item := range v.Items() {
		item.Walk(JoinIndex(pointer, i), visit)
	}
	for _, m := range v.Members() {
		at := Join(pointer, m.Name)
		visit(at, StringValue(m.Name), true)
		m.Value.Walk(at, visit)
	}
}

// Set returns a copy of v in which the value at pointer is replaced, and
// whether there was one to replace.
func (v Value) Set(pointer string, to Value) (Value, bool) {
	tokens, ok := Tokens(pointer)
	if !ok {
		return v, false
	}
	return v.set(tokens, to)
}

func (v Value) set(tokens []string, to Value) (Value, bool) {
	if len(tokens) == 0 {
		return to, v.Exists()
	}
	switch v.kind {
	case Object:
		inner, ok := v.Get(tokens[0]).set(tokens[1:], to)
		if !ok {
			return v, false
		}
		return v.With(tokens[0], inner), true
	case Array:
		i, err := strconv.Atoi(tokens[0])
		if err != nil || i < 0 || i >= len(v.Items()) {
			return v, false
		}
		inner, ok := v.Items()[i].set(tokens[1:], to)
		if !ok {
			return v, false
		}
		items := append([]Value(nil), v.Items()...)
		items[i] = inner
		return ArrayValue(items...), true
	}
	return v, false
}
