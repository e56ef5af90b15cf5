package clients

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxFile is the largest configuration that is read, in bytes. Claude Code keeps
// its history in the file that has its servers.
const maxFile = 64 << 20

// maxDepth is the deepest nesting that is read.
const maxDepth = 1000

// maxServers is the most servers that a configuration may name. Each is looked up
// in the file, and a project that somebody else wrote carries such files, too.
const maxServers = 1000

// tooMany is the mistake of a configuration with one server more.
func tooMany(data []byte, at int) error {
	return mistakeAt(data, at, "the file names more than %d servers; no client's configuration does", maxServers)
}

// span is a range of bytes, without its end.
type span struct{ from, to int }

func (s span) of(data []byte) string { return string(data[s.from:s.to]) }

// valueKind is what a value is, as far as that matters here.
type valueKind int

const (
	missing valueKind = iota
	text
	list  // of texts
	other // whatever else
)

// item is an element of a list: from its dash, where it has one.
type item struct {
	span
	text string
}

// value is a value of an entry.
type value struct {
	span
	kind    valueKind
	text    string
	items   []item
	remarks bool   // comments stand inside
	why     string // it is of another kind, where that says too little

	// How items are put into a list: at an offset, each with dash before it and
	// comma and gap behind it.
	at               int
	dash, comma, gap string
}

// server is an entry and where its parts are.
type server struct {
	Entry
	command, args value
	url           bool   // a member says where a remote server is
	fault         string // keeps the entry from being edited
	record        *record
	flags         []flag
	parsed        bool // what follows -- is known

	// An entry without args gets them behind its command: before[0], the items
	// with comma and gap between them, before[1].
	around     [2]string
	comma, gap string
	cut        []span // takes the args out again; nil where that can not be told
}

// id names an entry in its file.
func (s *server) id() [2]string { return [2]string{s.Scope, s.Name} }

// document is a parsed configuration, without its byte order mark.
type document struct {
	mark    []byte
	data    []byte
	format  format
	servers []server
}

// format is how a kind of file is read and written.
type format struct {
	name  string
	parse func(data []byte, l Layout) ([]server, error)
	quote func(string) string
}

func (k Kind) format() (format, error) {
	switch k {
	case JSON:
		return format{"json", parseJSON, quoteJSON}, nil
	case TOML:
		return format{"toml", parseTOML, quoteTOML}, nil
	case YAML:
		return format{"yaml", parseYAML, quoteYAML}, nil
	}
	return format{}, &Mistake{Text: "the file names no servers; name one of the client's other files"}
}

// byteOrderMark is what PowerShell 5.1 starts a file in UTF-8 with.
const byteOrderMark = "\xef\xbb\xbf"

// parse reads a configuration and says what its entries are.
func (l Layout) parse(data []byte) (*document, error) {
	f, err := l.Kind.format()
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, &Mistake{Text: fmt.Sprintf("the file has %d bytes; want at most %d", len(data), maxFile)}
	}
	d := &document{data: data, format: f}
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		d.mark, d.data = data[:len(byteOrderMark)], data[len(byteOrderMark):]
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, mistakeAt(data, 0, "the file is in UTF-16; save it in UTF-8")
	}
	if at := invalidUTF8(d.data); at >= 0 {
		return nil, mistakeAt(d.data, at, "a byte that is not UTF-8; save the file in UTF-8")
	}
	if d.servers, err = f.parse(d.data, l); err != nil {
		return nil, err
	}
	slices.SortStableFunc(d.servers, func(a, b server) int { return a.Line - b.Line })
	seen := map[[2]string]int{}
	for i := range d.servers {
		s := &d.servers[i]
		if first, ok := seen[s.id()]; ok && s.Name != "" {
			return nil, &Mistake{Line: s.Line, Text: fmt.Sprintf("the server %q is there twice, in line %d too, and clients differ in which one they start; take one out", s.Name, first)}
		}
		seen[s.id()] = s.Line
		s.classify(d)
	}
	return d, nil
}

// invalidUTF8 is the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// edit replaces a span.
type edit struct {
	span
	text string
}

// splice applies edits that do not overlap.
func splice(data []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, data[at:e.from]...)
		out = append(out, e.text...)
		at = e.to
	}
	return append(out, data[at:]...)
}

// apply is the file with edits made.
func (d *document) apply(edits []edit) []byte {
	return append(slices.Clone(d.mark), splice(d.data, edits)...)
}
