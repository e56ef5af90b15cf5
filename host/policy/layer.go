package policy

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// layer is one file of a policy, or one pack.
type layer struct {
	path     string // as loaded, "" after Decode
	named    string // as the user named it, "" after Decode
	digest   string // of the bytes of the file
	builtin  bool
	label    string // how rules name it
	pack     string // name of the pack, "" for files
	includes []string

	value  abi.Value        // the file without includes
	doc    file             // value, typed; of a compiled pack: see typed
	lines  abi.Value        // object: lines of members by pointer into value; see linesOf
	places map[string]place // nil: all that is known is in lines
	keys   []keyed          // entries of tools:, sorted

	ignores []ignored // comments for lint
	// unpinned are the entries of plugins: that state no digest.
	unpinned []int
	// silent are the entries of plugins: whose manifests give no labels.
	silent  []int
	bundles map[int]contract.Bundle // of the entries of plugins: whose modules came in one
	beside  map[string]string       // see [converter]
	written map[string]string       // see [converter]

	compiled abi.Value    // of a compiled pack: what it is in a policy's value
	late     func() *file // of a compiled pack: its value, typed
}

// keyed is one entry of tools: with its parsed key.
type keyed struct {
	key  key
	at   string       // pointer of the entry
	tool func() *tool // never nil
}

// typed returns the layer's value as a Go value.
func (y *layer) typed() *file {
	if y.late != nil {
		return y.late()
	}
	return &y.doc
}

// linesOf keeps of the places of members those that [layer.rule] would not
// find by going up: a member in the line of what is around it has none.
func linesOf(v abi.Value, places map[string]place) abi.Value {
	var lines []abi.Member
	for at, p := range places {
		up := at
		if i := strings.LastIndexByte(at, '/'); i >= 0 {
			up = at[:i]
		}
		if (at == up || places[up].line != p.line) && v.At(at).Exists() {
			lines = append(lines, abi.Member{Name: at, Value: abi.IntValue(int64(p.line))})
		}
	}
	return abi.ObjectValue(lines...)
}

// rule names a member as verdicts do: file:line: path.
func (y *layer) rule(at string) string { return ruleText(y.label, y.line(at), at) }

// line is the line of a member, or of what it stands in; 0: unknown.
func (y *layer) line(at string) int {
	for {
		line, _ := strconv.Atoi(y.lines.Get(at).Lexeme()) // 0 where there is none
		i := strings.LastIndexByte(at, '/')
		if line != 0 || i < 0 {
			return line
		}
		at = at[:i]
	}
}

// errorAt is a mistake at a pointer, found after the file itself was read.
func (y *layer) errorAt(at, format string, args ...any) error {
	name := cmp.Or(y.named, y.path, y.label)
	c := issues{}
	c.add(at, format, args...)
	return errors.Join(c.errorsOf(name, y.known())...)
}

// told is the one value below a pointer that an error about it quotes, or else
// the pointer: contracts know no positions.
func (y *layer) told(at string, err error) string {
	var found []string
	var walk func(at string, v abi.Value)
	walk = func(at string, v abi.Value) {
		text := v.Lexeme()
		if v.IsString() {
			text = strconv.Quote(v.Str())
		}
		if text != "" && slices.Contains(strings.FieldsFunc(err.Error(), between), text) || strings.HasPrefix(text, `"`) && strings.Contains(err.Error(), text) {
			found = append(found, at)
		}
		for _, m := range v.Members() {
			walk(abi.Join(at, m.Name), m.Value)
		}
		for i, item := range v.Items() {
			walk(abi.JoinIndex(at, i), item)
		}
	}
	if walk(at, y.value.At(at)); len(found) == 1 {
		return found[0]
	}
	return at
}

// between says whether a character stands between the numbers of a text.
func between(r rune) bool { return strings.ContainsRune(" ;,:", r) }

// known returns the places of members, as far as they are known.
func (y *layer) known() map[string]place {
	if y.places != nil {
		return y.places
	}
	places := map[string]place{}
	for _, m := range y.lines.Members() {
		n, _ := strconv.Atoi(m.Value.Lexeme()) // 0, unknown, for what is no line
		places[m.Name] = place{line: n}
	}
	return places
}

// index prepares the lookup of tools.
func (y *layer) index() {
	if y.late != nil {
		return // its keys are there already
	}
	y.keys = nil
	for _, name := range sortedKeys(y.doc.Tools) {
		t := y.doc.Tools[name]
		y.keys = append(y.keys, keyed{parseKey(name), abi.Join("/tools", name), func() *tool { return &t }})
	}
}

// label gives every file a short name that is its own: the end of its path, as
// long as it must be.
func label(p *Policy) {
	list := slices.Clone(p.layers)
	if p.floor != nil {
		list = append(list, p.floor.layers...)
	}
	for _, y := range list {
		if y.builtin {
			y.label = StarterFile
			continue
		}
		y.label = shortest(y, list)
	}
}

func shortest(y *layer, list []*layer) string {
	for n := 1; ; n++ {
		short := tail(y.path, n)
		if short == y.path || !slices.ContainsFunc(list, func(o *layer) bool {
			return o.path != y.path && tail(o.path, n) == short
		}) {
			return printable(short)
		}
	}
}

// tail returns the last n components of a path.
func tail(p string, n int) string {
	short := path.Base(p)
	for dir := path.Dir(p); n > 1 && dir != "." && dir != "/"; n, dir = n-1, path.Dir(dir) {
		short = path.Base(dir) + "/" + short
	}
	if n > 1 {
		return p
	}
	return short
}

// printable keeps a file name that someone else chose from writing more than
// its name into a reason.
func printable(s string) string {
	if strings.ContainsFunc(s, invisible) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
