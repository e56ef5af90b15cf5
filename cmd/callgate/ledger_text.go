package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/segment"
)

// textCheck looks for the text that the events of ledger files refer to.
type textCheck struct {
	there int
	lost  []lostText
	count map[[2]string]int // of lost texts, by file and segment
}

// lostText is the first text of a segment that a file refers to and that is not
// there, or is not what it was.
type lostText struct {
	path    string
	line    int
	ref     abi.Text
	why     error
	evicted bool // an event says that the segment is gone
}

// text is the error that names all of it in one line.
func (l lostText) text(count int) error {
	return fmt.Errorf("ledger file %q refers to text that is gone, %s in segment %q, the first at line %d: %w; bring that segment, a file that ends with .text or .text.s2, back from where the ledger was copied or cleaned, "+
		"or move the file and the older ones of its server away: what they hold can not be replayed in full", l.path, plural.Of(count, "time"), l.ref.Segment, l.line, l.why)
}

// checkTexts reads all text of the files that are intact.
func checkTexts(reports []ledger.Report) (*textCheck, error) {
	c := &textCheck{count: map[[2]string]int{}}
	for _, r := range reports {
		if err := c.file(r.Path); err != nil {
			return nil, err
		}
	}
	c.excuse()
	return c, nil
}

// file looks for the text of one file.
func (c *textCheck) file(path string) error {
	text := textOf(path)
	defer text.Close()
	return eachLine(path, func(n int, line []byte) error {
		if !bytes.Contains(line, []byte(`"text":{`)) {
			return nil
		}
		e, err := abi.ParseEvent(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if e.Text == nil || e.Text.Segment == "" {
			return nil // it was never to be kept
		}
		c.look(path, n, *e.Text, text)
		return nil
	})
}

func (c *textCheck) look(path string, line int, ref abi.Text, from *segment.Reader) {
	_, err := ref.Read(from)
	if err == nil {
		c.there++
		return
	}
	key := [2]string{path, ref.Segment}
	if c.count[key]++; c.count[key] == 1 {
		c.lost = append(c.lost, lostText{path: path, line: line, ref: ref, why: err})
	}
}

// excuse finds out which of the lost texts were evicted, as a file of the same
// group says.
func (c *textCheck) excuse() {
	said := map[string]map[string]bool{} // by file: segments
	for i := range c.lost {
		l := &c.lost[i]
		if said[l.path] == nil {
			said[l.path] = evictions(filepath.Dir(l.path), l.path)
		}
		l.evicted = said[l.path][l.ref.Segment]
	}
}

// evictions reads which segments the files of a directory say are gone, also a
// file that has another name than those of a group. What can not be read says
// nothing: whether it should be there is not asked here.
func evictions(dir, also string) map[string]bool {
	paths := []string{also}
	files, _ := ledger.Group(dir) // none of a group: the file stands alone
	for _, f := range files {
		if f.Path != also {
			paths = append(paths, f.Path)
		}
	}
	gone := map[string]bool{}
	for _, path := range paths {
		_ = eachLine(path, func(_ int, line []byte) error {
			if !bytes.Contains(line, []byte(`"evicted":{`)) {
				return nil
			}
			if e, err := abi.ParseEvent(line); err == nil && e.Evicted != nil {
				gone[e.Evicted.Segment] = true
			}
			return nil
		})
	}
	return gone
}

// errs are what is wrong, one for each file and segment.
func (c *textCheck) errs() []error {
	var out []error
	for _, l := range c.lost {
		if !l.evicted {
			out = append(out, l.text(c.count[[2]string{l.path, l.ref.Segment}]))
		}
	}
	return out
}

// summary says how many texts there are, if there are any.
func (c *textCheck) summary() string {
	evicted, lost := 0, 0
	for _, l := range c.lost {
		n := c.count[[2]string{l.path, l.ref.Segment}]
		if l.evicted {
			evicted += n
		} else {
			lost += n
		}
	}
	if c.there+evicted+lost == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %d evicted, %d gone or damaged\n", plural.Of(c.there+evicted+lost, "text"), evicted, lost)
}

// value lists what is wrong for programs.
func (c *textCheck) value() abi.Value {
	var out []abi.Value
	for _, l := range c.lost {
		out = append(out, object("path", l.path, "line", l.line, "segment", l.ref.Segment, "offset", l.ref.Offset, "length", l.ref.Length,
			"digest", l.ref.Digest, "texts", c.count[[2]string{l.path, l.ref.Segment}], "evicted", l.evicted, "why", l.why.Error()))
	}
	return abi.ArrayValue(out...)
}
