package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/wire"
)

// MaxLine is the longest line that a ledger writes, in bytes.
const MaxLine = 512 << 20

// Files reads the ledger files of a group as a process of it did: each file
// further on, as far as the next `read` event says. The result serves one
// [Player], as [Options.Prior].
func Files(files []ledger.File) func(abi.ReadEvent, func(abi.Event) error) error {
	at := map[string]*position{}
	return func(read abi.ReadEvent, each func(abi.Event) error) error {
		for _, f := range files {
			if f.ID != read.File && !strings.HasPrefix(read.File, f.ID) {
				continue
			}
			if at[f.ID] == nil {
				at[f.ID] = &position{path: f.Path}
			}
			return at[f.ID].advance(read, each)
		}
		return fmt.Errorf("no file %q in the group", read.File)
	}
}

// position is how far a file was read.
type position struct {
	path   string
	offset int64
	lines  uint64
	last   string // hash of the last line
}

func (p *position) advance(read abi.ReadEvent, each func(abi.Event) error) error {
	if read.Lines == p.lines {
		return p.same(read)
	}
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(p.offset, 0); err != nil {
		return err
	}
	for in := wire.NewReader(f, MaxLine); p.lines < read.Lines; {
		line, err := in.Next()
		text := line.Bytes
		if err != nil || line.TooLong || len(text) == 0 || text[len(text)-1] != '\n' {
			return errors.Join(fmt.Errorf("%q has %d lines; it had %d when it was read", p.path, p.lines, read.Lines), err)
		}
		sum := sha256.Sum256(text[:len(text)-1])
		p.offset, p.lines, p.last = p.offset+int64(len(text)), p.lines+1, hex.EncodeToString(sum[:])
		e, err := abi.ParseEvent(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", p.path, p.lines, err)
		}
		if err := each(e); err != nil {
			return err
		}
	}
	return p.same(read)
}

func (p *position) same(read abi.ReadEvent) error {
	if p.lines != read.Lines || p.lines > 0 && p.last != read.Last {
		return fmt.Errorf("%q is not as it was when it was read", p.path)
	}
	return nil
}
