package provenance

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/callgate/callgate/abi"
)

// Limits of the search for data with labels in one call. Whatever is beyond them
// may hold any.
const (
	maxCarried = 512      // scalars of the call
	maxWhole   = 64 << 20 // bytes of outputs that are searched for whole values, once for each of their forms
	maxLoad    = 8 << 20  // folded bytes of the call
	maxTokens  = 256
	maxCompare = 1 << 30 // bytes of it that are compared with parts of outputs
)

// What counts as a part of a text: so many letters and digits in a row of it that
// stand in an output, or a whole field of that many which is no mere word.
const (
	fragment  = 16
	wholeLeaf = 8
)

// Position of a part of a text.
const positionFragment = abi.Prose

// ViewFragment is the view of evidence that only a part of the scalar was found.
const ViewFragment = "fragment"

// labelled returns the labels of a record.
func (x *index) labelled(n uint32) []string {
	if x.options.Labels == nil {
		return nil
	}
	r := &x.records[n]
	return x.options.Labels(r.call, r.server, r.seq)
}

// Carried implements [Index].
func (x *index) Carried(arguments abi.Value, wanted []abi.Wanted) []abi.Carried {
	records := map[string][]uint32{} // by what the labels are
	var sets []string
	labels := map[string][]string{}
	for n := range x.records {
		l := x.labelled(uint32(n))
		if len(l) == 0 {
			continue
		}
		set := strings.Join(l, " ")
		if labels[set] == nil {
			sets = append(sets, set)
			labels[set] = l
		}
		records[set] = append(records[set], uint32(n))
	}
	if len(sets) == 0 {
		return nil
	}
	slices.Sort(sets)
	load := x.load(arguments, wanted)
	var out []abi.Carried
	for _, set := range sets {
		out = append(out, x.carriedOf(load, records[set], labels[set])...)
	}
	return out
}

// carriedOf looks for data of some records, which have the same labels.
func (x *index) carriedOf(load *load, records []uint32, labels []string) []abi.Carried {
	found := map[int][]found{} // by scalar
	unsure := load.cut
	budget := maxWhole
	for i := range load.scalars {
		evidence, cut := x.whole(&load.scalars[i], records, &budget)
		found[i], unsure = append(found[i], evidence...), unsure || cut
	}
	parsed := 0
	for _, n := range records {
		in := x.read(n)
		if parsed > maxParsed || in == nil {
			unsure = true
			continue
		}
		parsed += len(in.fold)
		load.parts(in, func(scalar int, e abi.Evidence) {
			r := &x.records[n]
			if s := &load.scalars[scalar]; s.said && !x.precedes(int(n), s.first) {
				return // the client said all of it before the server did
			}
			e.Seq, e.Call, e.Server, e.Tool = r.seq, r.call, r.server, r.tool
			found[scalar] = append(found[scalar], foundAt(n, e))
		})
		unsure = unsure || load.cut || slices.Contains(x.opaque, n) || slices.Contains(x.gone, n)
	}
	var out []abi.Carried
	for i, s := range load.scalars {
		if len(found[i]) == 0 {
			continue
		}
		q := query{found: found[i]}
		c := abi.Carried{At: s.at, Key: s.key, Labels: labels, Evidence: q.evidence()}
		for k := range c.Evidence {
			c.Evidence[k].Labels = labels
		}
		out = append(out, c)
	}
	if unsure {
		c := abi.Carried{Labels: labels, Unsure: true}
		r := &x.records[records[0]]
		c.Evidence = []abi.Evidence{{Seq: r.seq, Call: r.call, Server: r.server, Tool: r.tool, Position: abi.Evicted, Labels: labels}}
		out = append(out, c)
	}
	return out
}

func foundAt(n uint32, e abi.Evidence) found { return found{record: int(n), evidence: e} }

// whole looks for the forms of a scalar, and of the addresses in it, in records.
func (x *index) whole(s *carriedScalar, records []uint32, budget *int) (out []found, cut bool) {
	if s.mere {
		return nil, false
	}
	entities, deep := Canonicalise(s.text)
	more, deeper := concealed(s.text, entities)
	for _, e := range append(slices.Clone(entities), more...) {
		if e.Kind == KindText && mereWord(e.Identity) {
			continue
		}
		forms := e.forms()
		q := query{
			x: x, entity: e, forms: forms, distinctive: e.distinctive(), quiet: true,
			best: map[class]int{}, raw: map[stringAt]bool{}, seen: map[hit]bool{},
		}
		for _, n := range records {
			if *budget -= (len(forms) + 8) * x.records[n].size; *budget < 0 {
				return out, true
			}
			q.examine(n, forms, true)
		}
		q.echo()
		for _, f := range q.found {
			if f.evidence.Position != abi.Echo && !envelope(f.evidence.Pointer, f.evidence.View) {
				out = append(out, f)
			}
		}
		cut = cut || q.cut || q.places > maxPlaces || len(q.lost) > 0
	}
	return out, cut || deep || deeper
}

// telling says whether a text can be data at all: a letter or two stand
// everywhere.
func telling(s string) bool {
	n := 0
	for _, c := range appendBare(nil, s) {
		n++
		if isDigit(c) && n >= 3 {
			return true
		}
	}
	return n >= 4
}

// load is what a call holds, folded to letters and digits.
type load struct {
	scalars []carriedScalar
	image   []byte // every text, with a NUL behind each
	ends    []int  // where the texts end in it
	of      []int  // the scalar of each
	grams   []uint64
	tokens  [][]byte // words of it that are found inside of any text
	cut     bool     // not everything is in it
	work    int      // bytes that were compared
}

type carriedScalar struct {
	at   string
	key  bool
	text string
	mere bool // beside markers there is a word at most
	// said says that the client said exactly this in a call before, and first when.
	said  bool
	first echo
}

// The grams of a load are a set of bits: most texts have none in common with it.
const (
	loadGram = 8
	gramBits = 1 << 16
)

// gramOf is the bit of the first letters of b. Two grams may share one: what the
// bits say is verified.
func gramOf(b []byte) uint64 {
	return binary.LittleEndian.Uint64(b[:loadGram]) * 0x9E3779B97F4A7C15 >> 48
}

func (x *index) load(arguments abi.Value, wanted []abi.Wanted) *load {
	l := &load{grams: make([]uint64, gramBits/64)}
	for _, w := range wanted {
		text, ok := wantedText(arguments, w)
		left := x.unmarked(text)
		if plain := strings.Join(left, " "); !ok || !telling(plain) {
			continue
		}
		if len(l.scalars) == maxCarried || len(l.image) > maxLoad {
			l.cut = true
			break
		}
		s := carriedScalar{at: w.At, key: w.Key, text: text, mere: len(left) > 1 && mereWord(strings.Join(left, " "))}
		if entities, cut := Canonicalise(text); len(entities) == 1 && !cut {
			s.first, s.said = x.echoed[entities[0].key()]
			s.said = s.said && strings.TrimSpace(text) == entities[0].Value
		}
		l.scalars = append(l.scalars, s)
		hidden, cut := views(text)
		l.cut = l.cut || cut
		for _, v := range hidden {
			left = append(left, x.unmarked(v.text)...)
		}
		for _, part := range left {
			l.add(part)
		}
	}
	for i := 0; i+loadGram <= len(l.image); i++ {
		g := gramOf(l.image[i:])
		l.grams[g/64] |= 1 << (g % 64)
	}
	return l
}

// add takes in one text of the last scalar.
func (l *load) add(text string) {
	for _, word := range strings.Fields(text) {
		b := appendBare(nil, word)
		if !codeLike(word, b) || slices.ContainsFunc(l.tokens, func(t []byte) bool { return bytes.Equal(t, b) }) {
			continue
		}
		if l.cut = l.cut || len(l.tokens) == maxTokens; len(l.tokens) < maxTokens {
			l.tokens = append(l.tokens, b)
		}
	}
	folded, _ := appendFold(nil, text)
	l.image = append(l.image, appendAlnum(nil, folded)...)
	l.image = append(l.image, 0)
	l.ends, l.of = append(l.ends, len(l.image)), append(l.of, len(l.scalars)-1)
}

// codeLike says whether a word can be a number, a password or a name of something:
// it has figures, and is no date.
func codeLike(word string, b []byte) bool {
	figures := 0
	for _, c := range b {
		figures += boolInt(isDigit(c))
	}
	return (figures >= 6 || figures > 0 && len(b) >= wholeLeaf) && len(b) < fragment && !dateLike(strings.ToLower(strings.Trim(word, ".,;:()\"'")))
}

func (l *load) has(b []byte) bool {
	g := gramOf(b)
	return l.grams[g/64]&(1<<(g%64)) != 0
}

// parts finds what a record and the load have in common, once for each scalar and
// leaf.
func (l *load) parts(in *reading, visit func(scalar int, e abi.Evidence)) {
	l.words(in, visit)
	for n := range in.leaves {
		leaf := &in.leaves[n]
		end := len(in.bare)
		if n+1 < len(in.leaves) {
			end = in.leaves[n+1].bare
		}
		text := in.bare[leaf.bare : end-1]
		if len(text) < wholeLeaf || envelope(leaf.pointer, leaf.view) {
			continue
		}
		seen := map[int]bool{}
		note := func(at int, part []byte) {
			if l.work += len(l.image); l.work > maxCompare || len(seen) == len(l.scalars) {
				l.cut = l.cut || l.work > maxCompare
				return
			}
			l.places(part, func(scalar, place int) {
				if !seen[scalar] {
					seen[scalar] = true
					visit(scalar, partAt(leaf, at, len(part)+common(text[at+len(part):], l.image[place+len(part):])))
				}
			})
		}
		if len(text) < fragment {
			if leaf.field && l.has(text) && (&Entity{Kind: KindText, Identity: leaf.raw}).marked() {
				note(0, text)
			}
			continue
		}
		for i := 0; i+fragment <= len(text); i++ {
			if l.has(text[i:]) && l.has(text[i+fragment-loadGram:]) {
				note(i, text[i:i+fragment])
			}
		}
	}
}

// partAt is the evidence of a part of a leaf, by its place in the leaf's image.
func partAt(l *leaf, at, n int) abi.Evidence {
	e := abi.Evidence{Pointer: l.pointer, Position: positionFragment, View: ViewFragment}
	c := cursor{raw: l.raw, bare: true}
	from := c.start(at)
	locate(&e, l, from, c.end(at+n))
	return e
}

// words finds the words of the load that stand in a record.
func (l *load) words(in *reading, visit func(scalar int, e abi.Evidence)) {
	for _, t := range l.tokens {
		if l.work += len(in.bare); l.work > maxCompare {
			l.cut = true
			return
		}
		i := bytes.Index(in.bare, t)
		if i < 0 {
			continue
		}
		n := sort.Search(len(in.leaves), func(n int) bool { return in.leaves[n].bare > i }) - 1
		l.places(t, func(scalar, _ int) {
			visit(scalar, partAt(&in.leaves[n], i-in.leaves[n].bare, len(t)))
		})
	}
}

// envelope says whether a text is a part of every result, and no data: a name that
// MCP gives a member, or the type of a block.
func envelope(pointer, view string) bool {
	tokens, _ := abi.Tokens(pointer)
	key, n := view == "key" || strings.HasPrefix(view, "key+"), len(tokens)
	if n == 1 {
		return key
	}
	if n == 0 || n > 4 || tokens[0] != "content" && tokens[0] != "contents" && tokens[0] != "messages" {
		return false
	}
	switch tokens[n-1] {
	case "type", "role", "mimeType":
		return true
	case "text", "content", "resource", "uri", "data", "blob", "annotations", "name", "title", "description":
		return key
	}
	return false
}

// marked says whether a short field is more than a word of the language.
func (e *Entity) marked() bool {
	if e.distinctive() {
		return true
	}
	b := bare(e.Identity)
	return len(b) >= shortWord || strings.ContainsAny(b, "0123456789") || len(strings.Fields(e.Identity)) > 1
}

// common is how many bytes two texts begin with that are the same in both.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] && a[n] != 0 {
		n++
	}
	return n
}

// places visits the scalars that hold a part, and where in the image they do.
func (l *load) places(part []byte, visit func(scalar, place int)) {
	for at := 0; at < len(l.image); {
		i := bytes.Index(l.image[at:], part)
		if i < 0 {
			return
		}
		at += i
		k, _ := slices.BinarySearch(l.ends, at+1)
		visit(l.of[k], at)
		at = l.ends[k]
	}
}
