package abi

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// plainSeeds are JSON texts and texts that are nearly JSON.
func plainSeeds() (good, bad []string) {
	deep := strings.Repeat(`[`, MaxDepth) + strings.Repeat(`]`, MaxDepth)
	wide := make([]string, 40) // more members than are sorted as they come
	for i := range wide {
		wide[i] = `"` + string(rune('a'+(i*7)%26)) + strings.Repeat("x", i) + `":` + `{}`
	}
	good = []string{
		`0`, `-0`, `10.25e+07`, `1E400`, `true`, `false`, `null`, `""`, ` [ ] `, "\t{\r\n}", deep, `{` + strings.Join(wide, ",") + `}`,
		`"\"\\\/\b\f\n\r\t\u0041\uD83D\uDE00"`, `"\ud800"`, `"\udc00\ud800"`, `"é😀"`, `{"\ud800":1,"\ud801":2}`,
		`{"b":1,"a":{"d":[1,{"c":null}],"c":"x"},"":[]}`, `[1,2,3,4,5,6,7,8,9,[10]]`, `{"v":1,"seq":7,"user":{"text":"x"}}`,
	}
	bad = []string{
		``, ` `, `[`, `]`, `{`, `}`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,"a":1}`, `{"a" 1}`, `{a:1}`, `{1:1}`,
		`01`, `-`, `-a`, `1.`, `.5`, `1e`, `1e+`, `+1`, `0x1`, `NaN`, `tru`, `truex`, `nul`, `True`, `1 2`, `{}{}`, `[]]`,
		`"`, `"a`, `"\`, `"\x"`, `"\u"`, `"\u12"`, `"\u123g"`, `"\u123`, "\"\x01\"", "\"\n\"", `'a'`, "\ufeff1", "\x00", "1\x00", "\v1",
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"b":1,"a":2,"b":3}`, `{"\ud800":1,"\uD800":2}`, `{` + strings.Join(append(wide, wide[3]), ",") + `}`,
		`[` + deep + `]`, `{"a":` + deep + `}`,
	}
	return good, bad
}

// agree fails when the plain parser and the decoder do not say the same.
func agree(t *testing.T, text string) bool {
	t.Helper()
	for _, room := range []int{0, eventDepth} {
		plain, ok := parsePlain([]byte(text), -room)
		strict, err := parseStrict([]byte(text), room)
		if ok != (err == nil) || ok && !reflect.DeepEqual(plain, strict) {
			t.Fatalf("%q with room for %d more levels: the plain parser says %v, %v; the decoder %v, %v", text, room, plain, ok, strict, err)
		}
	}
	_, err := Parse([]byte(text))
	return err == nil
}

func TestBothParsersAcceptTheSame(t *testing.T) {
	good, bad := plainSeeds()
	for _, text := range good {
		if !agree(t, text) {
			t.Errorf("%q is refused", text)
		}
	}
	for _, text := range bad {
		if agree(t, text) {
			t.Errorf("%q is accepted", text)
		}
	}
	if len(good) == 0 || len(bad) == 0 {
		t.Fatal("no cases")
	}
}

func FuzzBothParsersAcceptTheSame(f *testing.F) {
	good, bad := plainSeeds()
	for _, text := range append(good, bad...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) {
			agree(t, text)
		}
	})
}

func TestNamesOfEventsAreNotAllocated(t *testing.T) {
	v, ok := parsePlain([]byte(`{"v":1,"seq":2,"prev":"","time":"","call":{"id":"","server":"","tool":"","arguments":{}}}`), 0)
	if !ok {
		t.Fatal("it is refused")
	}
	names := 0
	for _, m := range append(v.Members(), v.Get("call").Members()...) {
		names++
		if knownNames[m.Name] != m.Name {
			t.Errorf("%q is allocated", m.Name)
		}
	}
	if names != 9 || knownNames["server2"] != "" {
		t.Errorf("%d names", names)
	}
}
