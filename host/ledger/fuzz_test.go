package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// seedFile is an intact file of three lines.
func seedFile(t testing.TB) []byte {
	l := Memory(MemoryOptions{Keep: true})
	if _, err := l.Append(event(0, "a"), event(1, "b"), []byte(`{"seq":2,"x":{"\ud800":1,"\ud801":2}}`)); err != nil {
		t.Fatal(err)
	}
	return l.Bytes()
}

// chained is a second, slower opinion on whether complete lines are a chain.
func chained(data []byte) error {
	prev := ""
	for i, line := range bytes.Split(data, []byte("\n")) {
		if i == bytes.Count(data, []byte("\n")) {
			break
		}
		if i > 0 && !bytes.HasPrefix(line, []byte(`{"prev":"`+prev+`",`)) {
			return fmt.Errorf("line %d does not name %s", i+1, prev)
		}
		if !regexp.MustCompile(fmt.Sprintf(`"seq"\s*:\s*%d[\s,}]`, i)).Match(line) {
			return fmt.Errorf("line %d has no seq", i+1)
		}
		sum := sha256.Sum256(line)
		prev = hex.EncodeToString(sum[:])
	}
	return nil
}

func FuzzOpen(f *testing.F) {
	whole := seedFile(f)
	lines := linesOf(whole)
	f.Add(whole)
	f.Add([]byte{})
	f.Add([]byte("\n"))
	f.Add([]byte("hello"))
	f.Add(whole[:len(whole)-1])
	f.Add(whole[:len(whole)/2])
	f.Add(whole[:len(lines[0])+5])
	f.Add(append(bytes.Clone(whole), 0, 0, 0))
	f.Add(bytes.Join([][]byte{lines[0], lines[2]}, nil))
	f.Add(bytes.Replace(whole, []byte("seq"), []byte("SEQ"), 1))
	f.Add([]byte(linePrefix + zeroHash + `","seq":0}` + "\n" + linePrefix))
	f.Add([]byte(linePrefix + zeroHash + `","seq":0,"seq":0}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		o := options(dir, 0)
		path := filepath.Join(dir, fileName(o.Now, o.Server, o.ID))
		mustWrite(t, path, data)
		report, verifyErr := Verify(path)
		l, priors, err := Open(options(dir, 1))
		if (err == nil) != (verifyErr == nil) {
			t.Fatalf("open answers %v and verify %v", err, verifyErr)
		}
		if err != nil {
			if got := mustRead(t, path); !bytes.Equal(got, data) {
				t.Fatal("a refused file was changed")
			}
			return
		}
		defer l.Close()
		p := priors[0]
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		if p.Lines != bytes.Count(data, []byte("\n")) || p.Cut != int64(len(data)-len(whole)) || p.Lines != report.Lines || p.Last != report.Last {
			t.Fatalf("prior %+v, report %+v for %q", p, report, data)
		}
		if err := chained(whole); err != nil {
			t.Fatalf("accepted a broken chain: %v: %q", err, data)
		}
		if got := mustRead(t, path); !bytes.Equal(got, whole) {
			t.Fatalf("after open the file is %q; want %q", got, whole)
		}
	})
}

func FuzzReadPins(f *testing.F) {
	for _, list := range [][][]byte{nil, defs(`{"a":1}`), defs(`{"a":1}`, `{"b":{"c":[]}}`)} {
		data, err := pinsFile("files", list)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
		f.Add(append(data, "{}\n"...))
	}
	f.Add([]byte{})
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		path := PinsPath(dir, "files")
		mustWrite(t, path, data)
		got, err := ReadPins(dir, "files")
		if err != nil {
			if got != nil {
				t.Fatalf("%q came with an error", got)
			}
			return
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := WritePins(dir, "files", got); err != nil {
			t.Fatalf("what was read cannot be stored: %v", err)
		}
		if again := mustRead(t, path); !bytes.Equal(again, data) {
			t.Fatalf("accepted %q, which is stored as %q", data, again)
		}
	})
}

// FuzzEvent checks that whatever append takes, a reader accepts.
func FuzzEvent(f *testing.F) {
	for _, s := range []string{`{"seq":0}`, `{"seq":0,"a":"\ud800"}`, `{"seq":0,"\ud800":1,"\ud801":1}`, `{"prev":"","seq":0}`, `{"seq":0,"\u0070rev":1}`, `{"s\u0065q":1,"seq":0}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := Memory(MemoryOptions{Keep: true})
		if _, err := l.Append(data); err != nil {
			return
		}
		s := newScanner("x", bytes.NewReader(l.Bytes()))
		if err := s.all(func([]byte, string) error { return nil }); err != nil || s.lines != 1 || s.last != l.Prev() {
			t.Fatalf("append took %q, which reads back as %d lines, %v", data, s.lines, err)
		}
	})
}
