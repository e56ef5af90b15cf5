package wire

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// chunks reads its text in pieces of the sizes given in turn.
type chunks struct {
	text  []byte
	sizes []byte
	at    int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := len(c.text)
	if len(c.sizes) > 0 {
		n = int(c.sizes[c.at%len(c.sizes)])%7 + 1
		c.at++
	}
	n = copy(p, c.text[:min(n, len(c.text))])
	c.text = c.text[n:]
	return n, nil
}

func readAll(t *testing.T, r *Reader) []Line {
	t.Helper()
	var lines []Line
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			if len(line.Bytes) > 0 {
				t.Fatalf("io.EOF came with %q", line.Bytes)
			}
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}

func TestReaderSplitsAtLineFeedsOnly(t *testing.T) {
	cases := []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one line", "{}\n", []string{"{}\n"}},
		{"a last line without line feed", "a\nb", []string{"a\n", "b"}},
		{"empty lines", "\n\na\n", []string{"\n", "\n", "a\n"}},
		{"CRLF stays", "a\r\nb\r\n", []string{"a\r\n", "b\r\n"}},
		{"CR splits nothing", "a\rb\n", []string{"a\rb\n"}},
		{"U+2028 and U+0085 split nothing", "a\u2028b\u0085c\n", []string{"a\u2028b\u0085c\n"}},
		{"letters of many bytes", "ж😀\nж\n", []string{"ж😀\n", "ж\n"}},
		{"longer than the buffer", strings.Repeat("x", 3*readBuffer+1) + "\ny\n", []string{strings.Repeat("x", 3*readBuffer+1) + "\n", "y\n"}},
	}
	total := 0
	for _, c := range cases {
		for name, input := range map[string]io.Reader{
			"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
			"error with data": iotest.DataErrReader(strings.NewReader(c.in)),
		} {
			lines := readAll(t, NewReader(input, 0))
			if len(lines) != len(c.want) {
				t.Errorf("%s, %s: got %d lines, want %d", c.name, name, len(lines), len(c.want))
				continue
			}
			for i, line := range lines {
				total++
				if string(line.Bytes) != c.want[i] || line.TooLong {
					t.Errorf("%s, %s: line %d is %.40q (too long %v)", c.name, name, i, line.Bytes, line.TooLong)
				}
			}
		}
	}
	if total == 0 {
		t.Fatal("no line was compared")
	}
}

func TestReaderKeepsLinesApart(t *testing.T) {
	r := NewReader(strings.NewReader("aaaa\nbbbb\n"), 0)
	first, _ := r.Next()
	second, _ := r.Next()
	if string(first.Bytes) != "aaaa\n" || string(second.Bytes) != "bbbb\n" {
		t.Errorf("got %q and %q", first.Bytes, second.Bytes)
	}
}

func TestReaderResynchronisesBehindALineOverTheCap(t *testing.T) {
	pad := strings.Repeat("x", 3*readBuffer)
	cases := []struct {
		name, line string
		max        int
		side       Side
		ids        string // "" when the line is within the cap
	}{
		{"at the cap", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 41, FromClient, ""},
		{"over the cap by one", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 40, FromClient, "1"},
		{"the id last, as TypeScript writes it", `{"method":"tools/call","params":{"x":"` + pad + `"},"jsonrpc":"2.0","id":"z"}`, 100, FromClient, `"z"`},
		{"over the cap far behind the buffer", `{"method":"tools/call","params":{"x":"` + pad + `"},"jsonrpc":"2.0","id":7}`, 2 * readBuffer, FromClient, "7"},
		{"a long result", `{"result":{"x":"` + pad + `"},"jsonrpc":"2.0","id":7}`, 100, FromServer, "7"},
		{"a long request of the server", `{"method":"x","params":{"x":"` + pad + `"},"jsonrpc":"2.0","id":7}`, 100, FromServer, "-"},
	}
	refused, allowed := 0, 0
	for _, c := range cases {
		for _, end := range []string{"\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`, ""} {
			lines := readAll(t, NewReader(&chunks{text: []byte(c.line + end), sizes: nil}, c.max))
			if want := 1 + min(len(end), 1); len(lines) != want {
				t.Fatalf("%s: got %d lines, want %d", c.name, len(lines), want)
			}
			f := new(Classifier).ClassifyLine(lines[0], c.side, Options{})
			switch {
			case c.ids == "":
				allowed++
				if lines[0].TooLong || f.Kind != Request {
					t.Errorf("%s: got %v, too long %v", c.name, f.Kind, lines[0].TooLong)
				}
			case !lines[0].TooLong && end == "" && len(c.line) <= c.max:
				// Without its line feed the line is within the cap.
			default:
				refused++
				if f.Kind != Refused || f.Problem.Code != CodeTooLong || lexemes(f.Problem.IDs) != c.ids {
					t.Errorf("%s: got %v %+v, want ids %s", c.name, f.Kind, f.Problem, c.ids)
				}
				if !strings.HasPrefix(c.line, string(lines[0].Bytes)) || len(lines[0].Bytes) > tooLongPrefix || len(lines[0].Bytes) > c.max {
					t.Errorf("%s: the prefix has %d bytes", c.name, len(lines[0].Bytes))
				}
			}
		}
	}
	if refused == 0 || allowed == 0 {
		t.Fatalf("%d refused and %d allowed; want both", refused, allowed)
	}
}

func TestALineOverTheCapCostsNoMoreThanOneAtTheCap(t *testing.T) {
	const most = 1 << 20
	cost := func(size int64) (bytes uint64, long bool) {
		line := io.MultiReader(io.LimitReader(zeros{}, size-1), strings.NewReader("\n"))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := NewReader(line, most).Next()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		return after.TotalAlloc - before.TotalAlloc, got.TooLong
	}
	atCap, long := cost(most)
	if long {
		t.Fatal("a line at the cap is refused")
	}
	over, long := cost(8 * most)
	if !long || over > atCap+4*tooLongPrefix {
		t.Errorf("8 times the cap: too long %v, %d bytes allocated; at the cap %d", long, over, atCap)
	}
}

// zeros is an endless line.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestLongNoiseOfAServerStaysNoise(t *testing.T) {
	lines := readAll(t, NewReader(strings.NewReader("warning: "+strings.Repeat("x", 100)+"\n"), 20))
	if f := new(Classifier).ClassifyLine(lines[0], FromServer, Options{}); f.Kind != Noise {
		t.Errorf("from the server it is %v", f.Kind)
	}
	if f := new(Classifier).ClassifyLine(lines[0], FromClient, Options{}); f.Kind != Refused {
		t.Errorf("from the client it is %v", f.Kind)
	}
}

func TestReaderHandsOnTheErrorOfItsInput(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, max := range []int{0, 3} {
		r := NewReader(io.MultiReader(strings.NewReader("a\n{\"id\":"), iotest.ErrReader(broken)), max)
		if line, err := r.Next(); err != nil || string(line.Bytes) != "a\n" {
			t.Fatalf("got %q and %v", line.Bytes, err)
		}
		if line, err := r.Next(); !errors.Is(err, broken) || !bytes.HasPrefix([]byte(`{"id":`), line.Bytes) {
			t.Errorf("cap %d: got %q and %v", max, line.Bytes, err)
		}
	}
}
