package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// chain checks that each file of a server continues an earlier one, without
// keeping the hashes of all lines: what first lines name is collected first.
type chain struct {
	wanted  map[string]bool // prevs of first lines; true once a line has that hash
	started map[string]bool // prevs of the first lines of the files joined
	earlier string          // path of the file with lines joined last
	left    []File          // files that were left alone, read only before a break is reported
}

// newChain looks at the first lines of a server's files.
func newChain(files []File) (*chain, error) {
	c := &chain{wanted: map[string]bool{}, started: map[string]bool{}}
	for _, f := range files {
		p, err := peek(f.Path)
		if err != nil {
			return nil, err
		}
		if p.prev != "" {
			c.wanted[p.prev] = false
		}
	}
	return c, nil
}

// saw notes the hash of a line.
func (c *chain) saw(hash string) {
	if _, ok := c.wanted[hash]; ok {
		c.wanted[hash] = true
	}
}

// join adds the next file, whose first line names first, after its lines were
// seen; first is empty for a file without lines, which is as good as gone: a
// process that ended before its first event leaves one that nothing names.
func (c *chain) join(path, first string) error {
	if first == "" {
		return nil
	}
	known, err := c.knows(first)
	if err != nil {
		return err
	}
	if !known {
		return &Break{
			Path: path, Line: 1, Offset: 0,
			Found: "prev " + strconv.Quote(first),
			Want:  fmt.Sprintf("the hash of a line of an earlier file, the newest being %q, so that file has lost its last lines or one between the two is gone", c.earlier),
			Mend:  "restore them, or move the files of this server that are older than this one to another directory to start without them",
		}
	}
	c.started[first] = true
	c.earlier = path
	return nil
}

// knows reports whether a first line may name first.
func (c *chain) knows(first string) (bool, error) {
	found, looked := c.wanted[first]
	// A first line that was not there when the chain was made is being written
	// by a live process, after a line that this process need not have read.
	if found || !looked || c.started[first] || c.earlier == "" {
		return true, nil
	}
	for _, f := range c.left {
		report, err := verify(f.Path, func(_ []byte, hash string) error { c.saw(hash); return nil })
		if err != nil {
			return false, err
		}
		if c.wanted[first] || report.First == first {
			return true, nil
		}
	}
	return false, nil
}

// peeked is what the beginning of a file shows.
type peeked struct {
	prev string // of the first line; empty if that is not complete or not a ledger's
	line bool   // there is a complete line
}

// peek reads the first line of a file, of which only the beginning is kept.
func peek(path string) (peeked, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return peeked{}, fmt.Errorf("ledger: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	head, err := r.Peek(headLen + 1)
	if err != nil && err != io.EOF {
		return peeked{}, fmt.Errorf("ledger file %q: read: %w", path, err)
	}
	p := peeked{}
	if prev, ok := splitHead(head); ok {
		p.prev = string(prev)
	}
	for {
		_, err := r.ReadSlice('\n')
		switch {
		case err == nil:
			p.line = true
			return p, nil
		case err == io.EOF:
			return peeked{}, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return peeked{}, fmt.Errorf("ledger file %q: read: %w", path, err)
		}
	}
}
