package wire

import (
	"bytes"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestCutStringKeepsTheRest(t *testing.T) {
	cases := []struct {
		raw  string
		cuts []Cut
		want string // "": refused
	}{
		{`"abc"`, []Cut{{1, 2, "X"}}, `"aXc"`},
		{`"abc"`, []Cut{{0, 3, ""}}, `""`},
		{`"abc"`, []Cut{{0, 1, "\"\n"}, {2, 3, "\u2028"}}, `"\"\nb\u2028"`},
		{`"a\u0062\u00e9c"`, []Cut{{1, 2, "X"}}, `"aX\u00e9c"`},
		{`"\ud83d\ude00x"`, []Cut{{4, 5, "y"}}, `"\ud83d\ude00y"`},
		{`"\ud83dx"`, []Cut{{3, 4, "y"}}, `"\ud83dy"`},
		{`"éx\/\\z"`, []Cut{{3, 4, "-"}, {5, 6, "+"}}, `"éx-\\+"`},
		{`"abc"`, []Cut{{3, 3, "d"}}, `"abcd"`},
		{`"abc"`, []Cut{{1, 4, "X"}}, ""},
		{`"abc"`, []Cut{{2, 1, "X"}}, ""},
		{`"abc"`, []Cut{{1, 2, "X"}, {1, 3, "Y"}}, ""},
		{`"é"`, []Cut{{1, 2, "X"}}, ""},
		{`"é"`, []Cut{{0, 1, "X"}}, ""},
		{`"\ud83d\ude00"`, []Cut{{0, 3, "X"}}, ""},
		{`12`, []Cut{{0, 1, "X"}}, ""},
	}
	for _, c := range cases {
		raw := []byte("[ " + c.raw + " ]")
		edits, err := CutString(raw, Span{2, 2 + len(c.raw)}, c.cuts)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s %v: no error", c.raw, c.cuts)
			}
			continue
		}
		got, spliceErr := Splice(raw, edits)
		if err != nil || spliceErr != nil || string(got) != "[ "+c.want+" ]" {
			t.Errorf("%s %v: got %s, %v, %v; want %s", c.raw, c.cuts, got, err, spliceErr, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// FuzzCutString holds a cut in the lexeme against the same cut in the text.
func FuzzCutString(f *testing.F) {
	f.Add([]byte(`"a\u0062\ud83d\ude00é"`), 1, 2, "x")
	f.Add([]byte(`"\ud83d\\\"/"`), 0, 3, "\u2028")
	f.Fuzz(func(t *testing.T, raw []byte, from, to int, with string) {
		v, err := abi.Parse(raw)
		if err != nil || !v.IsString() {
			return
		}
		raw = bytes.TrimSpace(raw)
		edits, err := CutString(raw, Span{0, len(raw)}, []Cut{{from, to, with}})
		if err != nil {
			return
		}
		out, err := Splice(raw, edits)
		if err != nil {
			t.Fatal(err)
		}
		got, err := abi.Parse(out)
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		clean, err := abi.Parse(AppendString(nil, with))
		if err != nil {
			t.Fatal(err)
		}
		want := v.Str()[:from] + clean.Str() + v.Str()[to:]
		if parsed, err := abi.Parse(abi.StringValue(want).Append(nil)); err != nil || !parsed.Equal(got) {
			t.Fatalf("%s cut %d-%d %q: got %s, want %q (%v)", raw, from, to, with, got, want, err)
		}
	})
}
