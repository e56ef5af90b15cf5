package wasm

import (
	"bytes"
	"context"
	"strconv"
	"unsafe"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/abi"
)

// lookup is the answer to one get.
type lookup struct {
	known bool
	path  []byte
	kind  abi.Kind
	bytes []byte
}

// forget lets go of what was found, and of more room than most answers take.
func (l *lookup) forget() {
	const keep = 64 << 10
	l.known, l.path, l.bytes = false, l.path[:0], l.bytes[:0]
	if cap(l.path)+cap(l.bytes) > keep {
		l.path, l.bytes = nil, nil
	}
}

// get is callgate_v0.get.
func get(ctx context.Context, mod api.Module, stack []uint64) {
	r := runOf(ctx, mod)
	path := r.read("get: path", stack[0], stack[1])
	limit := uint32(stack[3])
	buf := r.read("get: buffer", stack[2], stack[3])
	r.look(path)
	size := uint64(len(r.last.bytes))
	r.charge(uint64(len(path)) + size)
	stack[0] = abi.PackKind(r.last.kind, uint32(size))
	if size == 0 || size > uint64(limit) {
		return
	}
	if r.delivered+size > r.limits.MaxDelivered {
		r.stop(abi.FailLimit, "get delivers %d bytes and more; at most %d an evaluation", r.delivered+size, r.limits.MaxDelivered)
	}
	r.delivered += size
	r.credit(size)
	copy(buf, r.last.bytes)
}

// look finds what a path points at, or remembers it from the last time: guests
// ask for the length, and then for the bytes. A path is copied only if it is short
// or leads somewhere, when it is hardly longer than what it leads through: guests
// have paths of 256 MiB.
func (r *run) look(path []byte) {
	l := &r.last
	if l.known && bytes.Equal(l.path, path) {
		return
	}
	v := r.at(path)
	l.path = l.path[:0]
	if l.known = v.Exists() || len(path) <= longPath; l.known {
		l.path = append(l.path, path...)
	}
	l.kind, l.bytes = v.Kind(), v.Bytes(l.bytes[:0])
	if r.looked += uint64(len(l.bytes)); r.looked > MaxLookedAt {
		r.stop(abi.FailLimit, "get looks at %d bytes and more; at most %d an evaluation", r.looked, uint64(MaxLookedAt))
	}
}

// longPath is the length of a path, or of one token of it, from which on it is
// looked at with care: nothing stops the host in a search or a copy.
const longPath = 4 << 10

// at is what abi.Value.At does in the view, without allocating for most; a
// malformed pointer leads to what is absent. Nobody may write to path meanwhile.
func (r *run) at(path []byte) abi.Value {
	v := r.view
	for len(path) > 0 {
		if path[0] != '/' {
			return abi.Value{}
		}
		token, rest, ok := r.token(path[1:])
		if !ok {
			return abi.Value{}
		}
		path = rest
		switch v.Kind() {
		case abi.Object:
			v = v.Get(unsafe.String(unsafe.SliceData(token), len(token)))
		case abi.Array:
			v = item(v, token)
		default:
			return abi.Value{}
		}
	}
	return v
}

// token takes the first token of a path. There is none where it is malformed, or
// longer than whatever is in the view: that is not read to its end.
func (r *run) token(path []byte) (token, rest []byte, ok bool) {
	within := path
	if len(path) > longPath {
		const escaped = 2 // bytes for one, at most
		within = path[:min(len(path), max(longPath, escaped*r.longestName())+1)]
	}
	end := bytes.IndexByte(within, '/')
	switch {
	case end >= 0:
	case len(within) < len(path):
		return nil, nil, false
	default:
		end = len(path)
	}
	token, rest = path[:end], path[end:]
	if bytes.IndexByte(token, '~') >= 0 {
		token, ok = unescape(nil, token)
		return token, rest, ok
	}
	return token, rest, true
}

// longestName is the length of the longest name of a member in the view, in bytes.
func (r *run) longestName() int {
	if !r.named {
		r.named, r.longest = true, longestName(r.view)
	}
	return r.longest
}

func longestName(v abi.Value) (n int) {
	for _, m := range v.Members() {
		n = max(n, len(m.Name), longestName(m.Value))
	}
	for _, item := range v.Items() {
		n = max(n, longestName(item))
	}
	return n
}

// item is the item of an array that a token names: digits, without zeroes first.
func item(v abi.Value, token []byte) abi.Value {
	const digits = 10 // of what fits into 31 bits
	if len(token) == 0 || len(token) > digits || len(token) > 1 && token[0] == '0' || token[0] < '0' || token[0] > '9' {
		return abi.Value{}
	}
	i, err := strconv.ParseUint(string(token), 10, 31)
	if err != nil || i >= uint64(v.Len()) {
		return abi.Value{}
	}
	return v.Items()[i]
}

// unescape is RFC 6901, section 4.
func unescape(dst, token []byte) ([]byte, bool) {
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c == '~' {
			i++
			if i == len(token) || token[i] != '0' && token[i] != '1' {
				return nil, false
			}
			c = "~/"[token[i]-'0']
		}
		dst = append(dst, c)
	}
	return dst, true
}
