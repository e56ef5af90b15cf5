package provenance

import (
	"bytes"
	"sort"
	"strings"

	"github.com/callgate/callgate/abi"
)

// reading is one record read into leaves. It holds their images one after the
// other, each followed by a NUL, which no image contains.
type reading struct {
	fold, bare []byte
	leaves     []leaf
}

// keptReadings is how many bytes of readings are kept for the next question.
const keptReadings = 8 << 20

// leaf is one text of a record: a string of the JSON value, or a piece of a
// text block.
type leaf struct {
	record  uint32
	raw     string // the text as it stands, or decoded
	pointer string // of the string in the message
	view    string // how the text was read, with the inner pointer
	inner   string // pointer below structured content or in a read document
	at      int    // offset in the string
	span    int    // length of the token it was decoded from, 0: offsets are exact
	field   bool   // a whole field
	names   bool   // a field for addresses with display names
	vouches bool   // a place where whole fields can vouch
	decoded bool   // offsets mean nothing: raw was decoded from a text
	aligned bool   // offsets in the folded image are offsets in raw
	fold    int    // start in the folded image
	bare    int    // start in the bare image
}

// read returns the leaves of a record, nil where its text is gone.
func (x *index) read(n uint32) *reading {
	if in, ok := x.readings.get(n); ok {
		return in
	}
	x.readings.trim() // two large ones at once are one too many
	r := &x.records[n]
	text := []byte(r.text)
	if r.evicted {
		return nil
	}
	if r.ref.Digest != "" {
		var err error
		if text, err = r.ref.Read(x.options.Text); err != nil {
			return nil
		}
	}
	in := &reading{}
	if r.plain {
		in.add(leaf{record: n, raw: string(text)})
	} else if v, err := abi.Parse(text); err == nil {
		in.value(r, n, v)
	}
	x.readings.put(n, in, len(in.fold)+len(in.bare)+len(text)+64*len(in.leaves))
	return in
}

// value reads every string, every member name and every long number.
func (in *reading) value(r *record, n uint32, v abi.Value) {
	v.Walk(r.prefix, func(at string, v abi.Value, key bool) {
		s, ok := scalarText(v)
		if !ok || v.Kind() == abi.Number && !longNumber(s) {
			return
		}
		if !key && isTextBlock(at) {
			in.block(r, n, at, s)
			return
		}
		l := leaf{record: n, raw: s, pointer: at, field: true, names: addressName(at)}
		if key {
			l.view = "key"
		}
		if inner, ok := strings.CutPrefix(at, "/structuredContent"); ok && (inner == "" || inner[0] == '/') {
			l.inner, l.vouches = inner, !key
		}
		in.add(l)
	})
}

// block reads a text block into fields.
func (in *reading) block(r *record, n uint32, at, block string) {
	mode, pieces := fields(block, r.source.Text)
	for _, p := range pieces {
		if p.field && !p.key && allNumber(p.text) && !longNumber(p.text) {
			continue
		}
		l := leaf{record: n, raw: p.text, pointer: at, at: p.at, span: p.span, field: p.field, inner: p.inner}
		l.names = p.field && addressName(p.inner)
		l.vouches = mode == readJSON && p.field && !p.key
		if mode != readProse {
			l.view = mode
			if p.inner != "" {
				l.view += ":" + p.inner
			}
		}
		in.add(l)
	}
}

// isTextBlock says whether a pointer names the text of a content block, of a
// resource or of a prompt message.
func isTextBlock(at string) bool {
	tokens, _ := abi.Tokens(at)
	if n := len(tokens); n < 2 || tokens[n-1] != "text" {
		return false
	}
	switch tokens[0] {
	case "content", "contents":
		return len(tokens) == 3 && isIndex(tokens[1]) || len(tokens) == 4 && tokens[2] == "resource"
	case "messages":
		return len(tokens) <= 5
	}
	return false
}

// add takes in a leaf, and one for each view of it.
func (in *reading) add(l leaf) {
	if l.raw == "" {
		return
	}
	in.put(l)
	outer := l.view
	windowsOf(l.raw, func(text string) {
		list, _ := views(text)
		for _, v := range list {
			d := l
			d.decoded, d.raw, d.vouches, d.view = true, v.text, false, v.name
			if outer != "" {
				d.view = outer + "+" + v.name
			}
			in.put(d)
		}
	})
}

// put appends a leaf.
func (in *reading) put(l leaf) {
	l.fold, l.bare = len(in.fold), len(in.bare)
	in.fold, l.aligned = appendFold(in.fold, l.raw)
	in.bare = appendAlnum(in.bare, in.fold[l.fold:])
	in.fold, in.bare = append(in.fold, 0), append(in.bare, 0)
	in.leaves = append(in.leaves, l)
}

// image returns one of the images.
func (in *reading) image(i image) []byte {
	if i == imageBare {
		return in.bare
	}
	return in.fold
}

// start returns where a leaf starts in an image.
func (l *leaf) start(i image) int {
	if i == imageBare {
		return l.bare
	}
	return l.fold
}

// find calls visit for every place of a form, in order, with the number of the
// leaf and the offset in its image. visit returns whether it wants to see more
// of the same leaf; going is false when nothing more is wanted at all.
func (in *reading) find(i image, text string, visit func(leaf, offset int) (more, going bool)) {
	image := in.image(i)
	if text == "" {
		return
	}
	needle := []byte(text)
	for at := 0; at < len(image); {
		hit := bytes.Index(image[at:], needle)
		if hit < 0 {
			return
		}
		hit += at
		n := sort.Search(len(in.leaves), func(n int) bool { return in.leaves[n].start(i) > hit }) - 1
		more, going := visit(n, hit-in.leaves[n].start(i))
		switch {
		case !going:
			return
		case more:
			at = hit + 1
		case n+1 < len(in.leaves):
			at = in.leaves[n+1].start(i)
		default:
			return
		}
	}
}
