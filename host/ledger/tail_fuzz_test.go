package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// mangle does to a file what one byte says, and what a process, a crash, an
// editor or a stranger could do.
func mangle(t *testing.T, path string, op byte, whole, extra []byte) {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	k := int(op >> 3)
	switch op & 7 {
	case 0, 1, 2: // go on with the intact file
		if len(data) < len(whole) {
			mustWrite(t, path, append(data, whole[len(data):min(len(data)+1+9*k, len(whole))]...))
		}
	case 3:
		mustWrite(t, path, append(data, extra...))
	case 4:
		mustWrite(t, path, data[:len(data)*k/32])
	case 5:
		if len(data) > 0 {
			data[len(data)*k/32] ^= 1 << (k % 8)
			mustWrite(t, path, data)
		}
	case 6:
		mustWrite(t, path+".new", whole)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	case 7:
		os.Remove(path)
	}
}

// FuzzTail checks that a tail hands out chains only, whatever happens to a file,
// and all of a file that it has nothing against.
func FuzzTail(f *testing.F) {
	whole := seedFile(f)
	lines := linesOf(whole)
	f.Add([]byte{0, 8, 0xff, 0, 0xff, 0xff}, []byte{})
	f.Add([]byte{6, 4, 6, 5, 6, 7, 6}, []byte{})
	f.Add([]byte{0xf8, 3, 6}, []byte("hello\n"))
	f.Add([]byte{6, 3, 3}, lines[2])
	f.Add([]byte{3, 3, 6}, bytes.Join(lines[:2], nil))
	f.Add([]byte{3, 7, 3}, []byte(linePrefix+zeroHash+`","seq":0,"seq":0}`+"\n"))
	f.Fuzz(func(t *testing.T, ops, extra []byte) {
		dir := t.TempDir()
		o := options(dir, 0)
		path := filepath.Join(dir, fileName(o.Now, o.Server, o.ID))
		tail := NewTail(TailOptions{Dir: dir, Self: selfIn(dir)})
		defer tail.Close()
		tail.now = func() time.Time { return begin }
		var got []byte
		for _, op := range ops[:min(len(ops), 40)] {
			mangle(t, path, op, whole, extra)
			for _, p := range tail.peers {
				p.seen = stamp{} // the clock may be coarse
			}
			list, err := tail.Poll(func(_ File, line []byte) error { got = append(append(got, line...), '\n'); return nil })
			if err != nil || len(list) > 1 {
				t.Fatalf("progress %+v, %v", list, err)
			}
			if err := chained(got); err != nil {
				t.Fatalf("handed out a broken chain: %v: %q", err, got)
			}
			p := tail.peers[filepath.Base(path)]
			data, err := os.ReadFile(path)
			if err != nil || p.err != nil {
				continue
			}
			if a, b := linesOf(data[:bytes.LastIndexByte(data, '\n')+1]), linesOf(got); len(a) != len(b) || len(a) > 0 && !bytes.Equal(a[len(a)-1], b[len(b)-1]) || p.read.lines != len(b) {
				t.Fatalf("nothing is wrong with %q, but handed out was %q", data, got)
			}
		}
	})
}

func FuzzHolder(f *testing.F) {
	f.Add([]byte(signature()))
	f.Add([]byte("17 \n"))
	f.Add([]byte("0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := holderFrom(text); len(got) > 40 {
			t.Fatalf("%q names %q", text, got)
		}
	})
}
