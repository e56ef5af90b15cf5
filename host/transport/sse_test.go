package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

// cutReader gives its text in pieces that end at the cuts.
type cutReader struct {
	text string
	cuts []int
	at   int
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.at == len(c.text) {
		return 0, io.EOF
	}
	end := len(c.text)
	for _, cut := range c.cuts {
		if cut > c.at && cut < end {
			end = cut
		}
	}
	n := copy(p, c.text[c.at:end])
	c.at += n
	return n, nil
}

// everyByte cuts between all bytes.
func everyByte(text string) []int {
	var cuts []int
	for i := range len(text) {
		cuts = append(cuts, i)
	}
	return cuts
}

// readAll reads a stream to its end, and demands that no byte of it is lost.
func readAll(t *testing.T, text string, cuts []int) []Event {
	t.Helper()
	r := NewEventReader(&cutReader{text: text, cuts: cuts}, 0)
	var all []Event
	var raw []byte
	for {
		e, err := r.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatalf("%q cut at %v: %v", text, cuts, err)
			}
			raw = append(raw, r.Rest()...)
			break
		}
		raw = append(raw, e.Raw...)
		all = append(all, e)
	}
	if string(raw) != text {
		t.Fatalf("%q cut at %v: the bytes of its events are %q", text, cuts, raw)
	}
	return all
}

// told describes what a client of the stream is told: dispatched events, ids and retries in their order.
func told(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		if e.HasID {
			fmt.Fprintf(&b, "id=%q ", e.ID)
		}
		if e.HasRetry {
			fmt.Fprintf(&b, "retry=%v ", e.Retry)
		}
		if e.HasData {
			fmt.Fprintf(&b, "%q=%q ", e.Name, e.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// obvious reads a whole stream the slow way, as the standard words it.
func obvious(text string) string {
	text = strings.TrimPrefix(text, byteOrderMark)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	lines = lines[:len(lines)-1] // the last has no ending
	var out []Event
	var e Event
	data := ""
	for _, line := range lines {
		if line == "" {
			e.HasData = data != ""
			e.Data = []byte(strings.TrimSuffix(data, "\n"))
			out = append(out, e)
			e, data = Event{}, ""
			continue
		}
		field, value := line, ""
		if at := strings.Index(line, ":"); at >= 0 {
			field, value = line[:at], strings.TrimPrefix(line[at+1:], " ")
		}
		switch field {
		case "data":
			data += value + "\n"
		case "event":
			e.Name = value
		case "id":
			if !strings.Contains(value, "\x00") {
				e.ID, e.HasID = value, true
			}
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				ms := time.Duration(0)
				for _, d := range value {
					if ms = ms*10 + time.Duration(d-'0'); ms > math.MaxInt64/time.Millisecond {
						ms = math.MaxInt64 / time.Millisecond
					}
				}
				e.Retry, e.HasRetry = ms*time.Millisecond, true
			}
		}
	}
	return told(out)
}

var streams = []struct{ name, text, want string }{
	{"one event", "data: a\n\n", `""="a"`},
	{"no blank line", "data: a\n", ``},
	{"no line ending", "data: a", ``},
	{"no space", "data:a\n\n", `""="a"`},
	{"two spaces", "data:  a\n\n", `""=" a"`},
	{"several data lines", "data: {\ndata: }\n\n", `""="{\n}"`},
	{"no colon", "data\n\n", `""=""`},
	{"empty data", "data:\n\n", `""=""`},
	{"an empty line of data", "data: a\ndata:\n\n", `""="a\n"`},
	{"a priming event", "id: 7\ndata:\n\n", `id="7" ""=""`},
	{"a name", "event: endpoint\ndata: /m\n\n", `"endpoint"="/m"`},
	{"the last name holds", "event: a\nevent: b\ndata: x\n\n", `"b"="x"`},
	{"an id without data", "id: 1\n\n", `id="1"`},
	{"an empty id", "id\ndata: a\n\n", `id="" ""="a"`},
	{"an id with NUL", "id: 1\nid: a\x00b\ndata: a\n\n", `id="1" ""="a"`},
	{"a retry", "retry: 250\n\n", `retry=250ms`},
	{"a retry of zero", "retry: 0\n\n", `retry=0s`},
	{"a retry that is no number", "retry: 1.5\nretry: -1\nretry:\ndata: a\n\n", `""="a"`},
	{"a retry without end", "retry: 99999999999999999999999999\n\n", "retry=2562047h47m16.854s"},
	{"unknown fields", "Data: a\ndata : b\nfoo: c\n\n", ``},
	{"comments", ": one\n:\ndata: a\n: two\n\n:\n\n", `""="a"`},
	{"a byte order mark", "\ufeffdata: a\n\n", `""="a"`},
	{"a second byte order mark", "\ufeff\ufeffdata: a\n\n", ``},
	{"a byte order mark later", "data: a\n\n\ufeffdata: b\n\n", `""="a"`},
	{"a byte order mark alone", "\ufeff\ndata: a\n\n", `""="a"`},
	{"blank lines", "\n\r\n\rdata: a\n\n\n\n", `""="a"`},
	{"bytes that are not UTF-8", "data: \xff\n\n", `""="\xff"`},
	{"a separator that is no line ending", "data: a\u2028b\n\n", `""="a\u2028b"`},
	{"an event without end behind one", "data: a\n\nid: 2\ndata: b\n", `""="a"`},
	{"a CR and a LF apart", "data: a\r\r\n\ndata: b\n\r", `""="a" ""="b"`},
}

func TestStreamsAreDividedAsTheStandardSays(t *testing.T) {
	for _, c := range streams {
		if got := told(readAll(t, c.text, nil)); got != c.want {
			t.Errorf("%s: %q tells %s, want %s", c.name, c.text, got, c.want)
		}
		if got := obvious(c.text); got != c.want {
			t.Errorf("%s: the reference says %s, want %s", c.name, got, c.want)
		}
	}
	if len(streams) == 0 {
		t.Fatal("no streams")
	}
}

func TestEveryCutGivesEqualEvents(t *testing.T) {
	count := 0
	endings := []string{"\n", "\r", "\r\n"}
	check := func(text string) {
		want := obvious(text)
		for cut := range len(text) + 1 {
			for second := cut; second <= len(text); second++ {
				if got := told(readAll(t, text, []int{cut, second})); got != want {
					t.Fatalf("%q cut at %d and %d tells %s, want %s", text, cut, second, got, want)
				}
				count++
			}
		}
		if got := told(readAll(t, text, everyByte(text))); got != want {
			t.Fatalf("%q cut everywhere tells %s, want %s", text, got, want)
		}
	}
	for _, one := range endings {
		for _, two := range endings {
			for _, three := range endings {
				check("id: 1" + one + "data: é" + two + three + "data: b" + one + ":" + two + "data: c" + three + one)
			}
		}
	}
	for _, c := range streams {
		check(c.text)
	}
	if count == 0 {
		t.Fatal("no cuts")
	}
}

// TestAnEventDoesNotWaitForWhatItDoesNotNeed reads from pipes that say no more.
func TestAnEventDoesNotWaitForWhatItDoesNotNeed(t *testing.T) {
	for _, c := range []struct {
		name, text, raw string
	}{
		{"LF", "data: a\n\n", "data: a\n\n"},
		{"CR", "data: a\r\r", "data: a\r\r"},
		{"CRLF", "data: a\r\n\r\n", "data: a\r\n\r\n"},
		{"half of CRLF", "data: a\r\n\r", "data: a\r\n\r"},
		{"a keep-alive", ":\r\n", ":\r\n"},
		{"half of a keep-alive", ":\r", ":\r"},
		{"a keep-alive in front", ": here\ndata: a\n", ": here\n"},
	} {
		in, out := io.Pipe()
		go func() {
			_, _ = io.WriteString(out, c.text)
		}()
		r := NewEventReader(in, 0)
		e, err := r.Next()
		if err != nil || string(e.Raw) != c.raw {
			t.Errorf("%s: %q and %v, want %q", c.name, e.Raw, err, c.raw)
		}
		_ = out.Close()
		if e, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %q and %v behind it", c.name, e.Raw, err)
		}
		_ = in.Close()
	}
}

func TestALateLineFeedComesByItself(t *testing.T) {
	text := "data: a\r\n\r\ndata: b\r\n\r\n"
	cut := strings.Index(text, "\r\n\r\n") + 3
	var raw []string
	for _, e := range readAll(t, text, []int{cut}) {
		raw = append(raw, string(e.Raw))
	}
	if got, want := fmt.Sprintf("%q", raw), fmt.Sprintf("%q", []string{"data: a\r\n\r", "\n", "data: b\r\n\r\n"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnEventOverTheCapIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		max        int
		ok         bool
	}{
		{"at the cap", "data: 45\n\n", 10, true},
		{"over the cap", "data: 456\n\n", 10, false},
		{"many small fields", "a\na\na\na\na\na\n\n", 10, false},
		{"many small events", "a\n\na\n\na\n\na\n\na\n\na\n\n", 10, true},
		{"a line bigger than the buffer", "data: " + strings.Repeat("x", 3*eventBuffer) + "\n\n", 0, true},
		{"the same under a cap", "data: " + strings.Repeat("x", 3*eventBuffer) + "\n\n", 2 * eventBuffer, false},
		{"keep-alives for ever", strings.Repeat(": still here\n", 1000), 20, true},
	} {
		r := NewEventReader(strings.NewReader(c.text), c.max)
		var err error
		for err == nil {
			_, err = r.Next()
		}
		var long *EventTooLongError
		if tooLong := errors.As(err, &long); tooLong == c.ok || tooLong && long.Max != c.max {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, again := r.Next(); again != err {
			t.Errorf("%s: %v, then %v", c.name, err, again)
		}
	}
}

func TestOnlyDataOfOneKindIsAMessage(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"data: {}\n\n", true},
		{"event: message\ndata: {}\n\n", true},
		{"event: endpoint\ndata: {}\n\n", false},
		{"event: Message\ndata: {}\n\n", false},
		{"id: 1\ndata:\n\n", false},
		{"id: 1\n\n", false},
		{": data\n", false},
	} {
		if got := readAll(t, c.text, nil)[0].Message(); got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

func TestOtherDataKeepsTheRestOfAnEvent(t *testing.T) {
	for _, c := range []struct{ text, data, want string }{
		{"id: 1\ndata: a\n\n", "b", "id: 1\ndata: b\n\n"},
		{"data:a\r\nid:1\r\n\r\n", "b", "data: b\r\nid:1\r\n\r\n"},
		{"event: message\rdata: {\r: between\rdata: }\rretry: 5\r\r", "b", "event: message\r: between\rdata: b\rretry: 5\r\r"},
		{"data: a\rdata: b\n\n", "c", "data: c\n\n"},
		{"\ufeffdata: a\n\n", "b", "\ufeffdata: b\n\n"},
		{"\ufeffdata: a\ndata: b\n\n", "c", "\ufeffdata: c\n\n"},
		{"data: a\n\n", "{\n\r\n}\r", "data: {\ndata: \ndata: }\ndata: \n\n"},
		{"data: a\n\n", "", "data: \n\n"},
		{"data: a\n\n", " b", "data:  b\n\n"},
		{"datas: a\ndata\n\n", "b", "datas: a\ndata: b\n\n"},
		{"id: 1\n\n", "b", "id: 1\n\n"},
		{": a\n", "b", ": a\n"},
	} {
		e := readAll(t, c.text, nil)[0]
		if got := string(e.WithData([]byte(c.data))); got != c.want {
			t.Errorf("%q with %q is %q, want %q", c.text, c.data, got, c.want)
		}
	}
}

func TestAWrittenEventIsReadAgain(t *testing.T) {
	for _, c := range []struct{ id, data, want string }{
		{"", "{}", "data: {}\n\n"},
		{"7", "{}", "id: 7\ndata: {}\n\n"},
		{"7\ndata: forged", "{}", "data: {}\n\n"},
		{"", "{\n}", "data: {\ndata: }\n\n"},
		{"", "", "data: \n\n"},
	} {
		got := AppendEvent([]byte(":"), c.id, []byte(c.data))
		if string(got) != ":"+c.want {
			t.Errorf("%q: %q", c.data, got)
		}
		if e := readAll(t, string(got[1:]), nil)[0]; string(e.Data) != c.data {
			t.Errorf("%q is read as %q", c.data, e.Data)
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, c := range streams {
		f.Add(c.text, uint16(3), uint16(8), "{\r\n}")
	}
	f.Fuzz(func(t *testing.T, text string, one, two uint16, data string) {
		if len(text)+len(data) > 1<<11 {
			return // the reference is slow
		}
		want := obvious(text)
		cuts := []int{int(one), int(two)}
		events := readAll(t, text, cuts)
		if got := told(events); got != want {
			t.Fatalf("%q tells %s, want %s", text, got, want)
		}
		if got := told(readAll(t, text, everyByte(text))); got != want {
			t.Fatalf("%q cut everywhere tells %s, want %s", text, got, want)
		}
		joined := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
		for _, e := range events {
			if !e.HasData {
				continue
			}
			edited := string(e.WithData([]byte(data)))
			again := readAll(t, edited, nil)
			changed := e
			changed.Data = []byte(joined)
			if !e.first && strings.HasPrefix(edited, byteOrderMark) {
				continue // read by itself, its first line would be another
			}
			if got, want := told(again), told([]Event{changed}); got != want {
				t.Fatalf("%q with %q is %q, which tells %s, want %s", e.Raw, data, edited, got, want)
			}
			if bytes.Count(e.Raw, []byte(":")) > 0 && len(again) == 0 {
				t.Fatalf("%q is no event any more", edited)
			}
		}
	})
}
