package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTheChainGoesOnOverRestarts(t *testing.T) {
	dir := t.TempDir()
	last := zeroHash
	var files []string
	for n, count := range []int{3, 0, 2, 1} {
		l, priors := mustOpen(t, options(dir, n))
		if l.Prev() != last {
			t.Fatalf("start %d continues %s; want %s", n, l.Prev(), last)
		}
		if len(priors) != len(files) {
			t.Fatalf("start %d has %d priors; want %d", n, len(priors), len(files))
		}
		for i, p := range priors {
			if p.Path != files[i] || p.Alive || p.Cut != 0 {
				t.Errorf("start %d prior %d is %+v; want %s", n, i, p, files[i])
			}
		}
		fill(t, l, count)
		last = l.Prev()
		files = append(files, l.Path())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	reports, err := VerifyGroup(dir)
	if err != nil || len(reports) != 4 || reports[2].First != reports[0].Last || reports[1].Lines != 0 {
		t.Errorf("group: %+v, %v", reports, err)
	}
}

func TestServersOfAGroupHaveChainsOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	written(t, options(dir, 0), 3)
	other := options(dir, 1)
	other.Server = "mail.example/ÿ"
	l, priors := mustOpen(t, other)
	if l.Prev() != zeroHash || len(priors) != 0 {
		t.Errorf("another server continues %s with priors %v", l.Prev(), priors)
	}
	fill(t, l, 1)
	same, priors := mustOpen(t, options(dir, 2))
	if same.Prev() == zeroHash || len(priors) != 1 {
		t.Errorf("the same server continues %s with priors %v", same.Prev(), priors)
	}
	files, err := Group(dir)
	if err != nil || len(files) != 3 || files[1].Server != other.Server || files[1].ID != other.ID[:12] || !files[1].Time.Equal(other.Now) {
		t.Errorf("group: %+v, %v", files, err)
	}
}

// breakCase changes an intact file of three lines.
type breakCase struct {
	name string
	edit func(lines [][]byte) [][]byte
	line int // where the break is; 0 if there is none
}

func breakCases() []breakCase {
	head := func(prev string) string { return `{"prev":"` + prev + `",` }
	zero := head(zeroHash)
	return []breakCase{
		{"untouched", func(l [][]byte) [][]byte { return l }, 0},
		{"empty file", func(l [][]byte) [][]byte { return nil }, 0},
		{"first line edited", func(l [][]byte) [][]byte { return replaced(l, 0, "event 0", "event X") }, 2},
		{"second line edited", func(l [][]byte) [][]byte { return replaced(l, 1, "event 1", "event X") }, 3},
		{"line removed", func(l [][]byte) [][]byte { return append(l[:1:1], l[2:]...) }, 2},
		{"first line removed", func(l [][]byte) [][]byte { return l[1:] }, 1},
		{"lines swapped", func(l [][]byte) [][]byte { return [][]byte{l[1], l[0], l[2]} }, 1},
		{"line doubled", func(l [][]byte) [][]byte { return [][]byte{l[0], l[0], l[1]} }, 2},
		{"hash stripped", func(l [][]byte) [][]byte { return [][]byte{l[0], append([]byte("{"), l[1][headLen:]...)} }, 2},
		{"hash of the first line stripped", func(l [][]byte) [][]byte { return [][]byte{append([]byte("{"), l[0][headLen:]...)} }, 1},
		{"hash wrong", func(l [][]byte) [][]byte { return [][]byte{l[0], append([]byte(zero), l[1][headLen:]...)} }, 2},
		{"hash in capitals", func(l [][]byte) [][]byte { return [][]byte{[]byte(head(strings.Repeat("A", 64)) + `"seq":0}` + "\n")} }, 1},
		{"hash short", func(l [][]byte) [][]byte { return [][]byte{[]byte(head(strings.Repeat("a", 63)) + `"seq":0}` + "\n")} }, 1},
		{"well formed by hand", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"seq":0}` + "\n")} }, 0},
		{"seq wrong", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"seq":1}` + "\n")} }, 1},
		{"seq missing", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"v":1}` + "\n")} }, 1},
		{"seq twice", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"seq":0,"seq":0}` + "\n")} }, 1},
		{"prev twice", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"seq":0,"prev":""}` + "\n")} }, 1},
		{"not JSON", func(l [][]byte) [][]byte { return [][]byte{l[0], []byte("hello\n")} }, 2},
		{"JSON cut inside", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"seq":0,"a":[}` + "\n")} }, 1},
		{"CR before LF", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"seq":0}` + "\r\n")} }, 1},
		{"invalid UTF-8", func(l [][]byte) [][]byte { return [][]byte{[]byte(zero + `"seq":0,"a":"` + "\xff\"}\n")} }, 1},
		{"empty line", func(l [][]byte) [][]byte { return [][]byte{l[0], []byte("\n"), l[1]} }, 2},
		{"empty line at the end", func(l [][]byte) [][]byte { return append(l, []byte("\n")) }, 4},
		{"BOM", func(l [][]byte) [][]byte { return append([][]byte{[]byte("\ufeff")}, l...) }, 1},
		{"tail that is no torn line", func(l [][]byte) [][]byte { return append(l, []byte("hello")) }, 4},
		{"tail after another line", func(l [][]byte) [][]byte { return append(l, []byte(zero)) }, 4},
		{"tail with NUL inside", func(l [][]byte) [][]byte { return append(l, []byte("{\x00\"prev")) }, 4},
	}
}

func TestAnyBreakRefusesToStart(t *testing.T) {
	cases := breakCases()
	for _, c := range cases {
		dir := t.TempDir()
		path := written(t, options(dir, 0), 3)
		data := bytes.Join(c.edit(linesOf(mustRead(t, path))), nil)
		mustWrite(t, path, data)
		l, _, err := Open(options(dir, 1))
		if c.line == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			fill(t, l, 1)
			l.Close()
			continue
		}
		offset := 0
		for i := 1; i < c.line; i++ {
			offset += bytes.IndexByte(data[offset:], '\n') + 1
		}
		t.Run(c.name, func(t *testing.T) { wantBreak(t, err, path, c.line, int64(offset)) })
		if got := mustRead(t, path); !bytes.Equal(got, data) {
			t.Errorf("%s: a file that was refused was changed", c.name)
		}
		if files, err := Group(dir); err != nil || len(files) != 1 {
			t.Errorf("%s: a refused start left files %v, %v", c.name, files, err)
		}
	}
	counted(t, len(cases))
}

func replaced(lines [][]byte, i int, old, new string) [][]byte {
	lines[i] = bytes.Replace(lines[i], []byte(old), []byte(new), 1)
	return lines
}

func TestAnEditedByteOfAnyLineButTheLastRefusesToStart(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 3)
	data := mustRead(t, path)
	lines := linesOf(data)
	inner := len(lines[0]) + len(lines[1])
	for i := range inner {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		mustWrite(t, path, changed)
		if _, err := Verify(path); err == nil {
			t.Errorf("a change of byte %d was accepted", i)
		}
	}
	counted(t, inner)
	mustWrite(t, path, data)
	if r, err := Verify(path); err != nil || r.Lines != 3 {
		t.Errorf("the file as it was: %+v, %v", r, err)
	}
}

func TestOldFilesAreLeftAloneButTheNewestIsContinued(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for n, count := range []int{2, 2, 2, 0} {
		path := written(t, options(dir, n), count)
		paths = append(paths, path)
		at := begin.Add(time.Duration(n) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	report, err := Verify(paths[2])
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		since time.Time
		want  []string
	}{
		{time.Time{}, paths},
		{begin, paths},
		{begin.Add(time.Minute), paths[1:]},
		{begin.Add(2 * time.Hour), paths[2:]},
		{begin.Add(100 * time.Hour), paths[2:]},
	}
	for i, c := range cases {
		o := options(dir, 10+i)
		o.Since = c.since
		l, priors := mustOpen(t, o)
		var got []string
		for _, p := range priors {
			got = append(got, p.Path)
		}
		if !reflect.DeepEqual(got, c.want) || l.Prev() != report.Last {
			t.Errorf("since %v: priors %v, prev %s; want %v, %s", c.since, got, l.Prev(), c.want, report.Last)
		}
		l.Close()
		os.Remove(l.Path())
	}
	counted(t, len(cases))

	old := options(dir, 30)
	old.Since = begin.Add(time.Minute)
	mustWrite(t, paths[0], []byte("hello\n"))
	if err := os.Chtimes(paths[0], begin, begin); err != nil {
		t.Fatal(err)
	}
	l, _ := mustOpen(t, old)
	l.Close()
	os.Remove(l.Path())
	old.Since = begin
	_, _, err = Open(old)
	wantBreak(t, err, paths[0], 1, 0)
}

func TestAForkFromAnOldFileIsLookedUpInIt(t *testing.T) {
	dir := t.TempDir()
	old, _ := mustOpen(t, options(dir, 0))
	fill(t, old, 1)
	early, _ := mustOpen(t, options(dir, 1))
	fill(t, old, 1)
	late, _ := mustOpen(t, options(dir, 2))
	fill(t, early, 1)
	fill(t, late, 1)
	for _, l := range []*Ledger{old, early, late} {
		l.Close()
	}
	if err := os.Chtimes(old.Path(), begin, begin); err != nil {
		t.Fatal(err)
	}
	o := options(dir, 3)
	o.Since = begin.Add(time.Second)
	l, priors := mustOpen(t, o)
	if len(priors) != 2 {
		t.Errorf("priors %v; want the two that are not old", priors)
	}
	l.Close()
	os.Remove(l.Path())
	mustWrite(t, old.Path(), linesOf(mustRead(t, old.Path()))[0])
	if err := os.Chtimes(old.Path(), begin, begin); err != nil {
		t.Fatal(err)
	}
	_, _, err := Open(o)
	wantBreak(t, err, late.Path(), 1, 0)
}

func TestAClockSetBackKeepsTheOrderOfFiles(t *testing.T) {
	dir := t.TempDir()
	written(t, options(dir, 9), 2)
	second := written(t, options(dir, 0), 2)
	files, err := Group(dir)
	if err != nil || files[1].Path != second || !files[1].Time.Equal(files[0].Time.Add(1)) {
		t.Errorf("files %v, %v; want %s last", files, err, second)
	}
	if _, err := VerifyGroup(dir); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, fileName(time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), "files", strings.Repeat("f", 32)))
	mustWrite(t, path, nil)
	if _, _, err := Open(options(dir, 10)); err == nil || !strings.Contains(err.Error(), "year") {
		t.Errorf("after the last possible name: %v", err)
	}
}

func TestOptionsThatMakeNoFileAreRefused(t *testing.T) {
	cases := []struct {
		name string
		set  func(*Options)
		ok   bool
	}{
		{"complete", func(*Options) {}, true},
		{"long server name", func(o *Options) { o.Server = strings.Repeat("s", maxEncoded) }, true},
		{"server name that looks like a path", func(o *Options) { o.Server = "../../x\x00" }, true},
		{"no directory", func(o *Options) { o.Dir = "" }, false},
		{"no server", func(o *Options) { o.Server = "" }, false},
		{"server name too long", func(o *Options) { o.Server = strings.Repeat("s", maxEncoded+1) }, false},
		{"server name too long when encoded", func(o *Options) { o.Server = strings.Repeat("/", 64) }, false},
		{"no time", func(o *Options) { o.Now = time.Time{} }, false},
		{"no id", func(o *Options) { o.ID = "" }, false},
		{"short id", func(o *Options) { o.ID = o.ID[1:] }, false},
		{"id in capitals", func(o *Options) { o.ID = strings.Repeat("A", 32) }, false},
		{"id with a slash", func(o *Options) { o.ID = "/" + o.ID[1:] }, false},
	}
	for _, c := range cases {
		dir := t.TempDir()
		o := options(filepath.Join(dir, "g"), 0)
		c.set(&o)
		l, _, err := Open(o)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v; want ok %v", c.name, err, c.ok)
		}
		if c.ok && err == nil {
			if filepath.Dir(l.Path()) != o.Dir {
				t.Errorf("%s: file %s is not in %s", c.name, l.Path(), o.Dir)
			}
			l.Close()
		}
	}
	counted(t, len(cases))
	if _, _, err := Open(Options{}); err == nil {
		t.Error("the zero Options open a ledger")
	}
}

func TestReadHandsOutWhatVerifyAccepts(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 3)
	data := mustRead(t, path)
	var got [][]byte
	read := func() error {
		got = nil
		return Read(path, func(line []byte) error { got = append(got, bytes.Clone(line)); return nil })
	}
	if err := read(); err != nil || len(got) != 3 || string(got[2])+"\n" != string(linesOf(data)[2]) {
		t.Errorf("read %q, %v", got, err)
	}
	torn := append(bytes.Clone(data), `{"prev`...)
	mustWrite(t, path, torn)
	if err := read(); err != nil || len(got) != 3 {
		t.Errorf("with a torn line: %d lines, %v", len(got), err)
	}
	if r, err := Verify(path); err != nil || r.Torn != 6 || r.Alive || r.Server != "files" || r.ID != options(dir, 0).ID[:12] {
		t.Errorf("with a torn line: %+v, %v", r, err)
	}
	if !bytes.Equal(mustRead(t, path), torn) {
		t.Error("reading changed the file")
	}
	mustWrite(t, path, bytes.Join(replaced(linesOf(data), 1, "event 1", "event X"), nil))
	err := read()
	if len(got) != 2 {
		t.Errorf("%d lines before a break; want 2", len(got))
	}
	wantBreak(t, err, path, 3, int64(len(linesOf(data)[0])+len(linesOf(data)[1])))
	if _, err := Verify(filepath.Join(dir, "none.jsonl")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestABreakIsEscapedOnceAndSendsNobodyInACircle(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"a member twice", `"v":1,`, `"v":1,"allow":1,"\u0061llow":2,`, `duplicate object member name "allow"; want one strict JSON object`},
		{"a seq that is text", `"seq":1,`, `"seq":"1",`, `seq the text "1"; want 1`},
		{"a seq that is another", `"seq":1,`, `"seq":7,`, `seq "7"; want 1`},
		{"a seq that is none", `"seq":1,`, ``, `seq missing; want 1`},
	}
	for _, c := range cases {
		path := written(t, options(t.TempDir(), 0), 2)
		mustWrite(t, path, bytes.Join(replaced(linesOf(mustRead(t, path)), 1, c.old, c.new), nil))
		_, err := Verify(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "ledger verify") {
			t.Errorf("%s: %v; want %q, and not what was just done", c.name, err, c.want)
		}
	}
	counted(t, len(cases))
}
