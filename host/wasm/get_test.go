package wasm

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// gets are pointers into a view, and what get says of them.
var gets = []struct {
	pointer string
	kind    abi.Kind
	bytes   string
}{
	{"/nothing", abi.Absent, ""},
	{"/null", abi.Null, "null"},
	{"/yes", abi.Bool, "true"},
	{"/no", abi.Bool, "false"},
	{"/n", abi.Number, "1.00e+2"},
	{"/big", abi.Number, "123456789012345678901234567890"},
	{"/s", abi.String, "\u00e9\n\"\U0001f511"},
	{"/empty", abi.String, ""},
	{"/lone", abi.RawString, `"\ud83d!"`},
	{"/list", abi.Array, `[1,"b",[],{}]`},
	{"/list/0", abi.Number, "1"},
	{"/list/1", abi.String, "b"},
	{"/list/2", abi.Array, "[]"},
	{"/list/3", abi.Object, "{}"},
	{"/list/4", abi.Absent, ""},
	{"/list/-", abi.Absent, ""},
	{"/list/-0", abi.Absent, ""},
	{"/list/00", abi.Absent, ""},
	{"/list/01", abi.Absent, ""},
	{"/list/+1", abi.Absent, ""},
	{"/list/ 1", abi.Absent, ""},
	{"/list/", abi.Absent, ""},
	{"/list/4294967296", abi.Absent, ""},
	{"/list/18446744073709551616", abi.Absent, ""},
	{"/list/1/0", abi.Absent, ""},
	{"/o", abi.Object, `{"":1,"\u0001":4,"a/b":2,"m~n":3,"é":5}`},
	{"/o/", abi.Number, "1"},
	{"/o/a~1b", abi.Number, "2"},
	{"/o/m~0n", abi.Number, "3"},
	{"/o/\u0001", abi.Number, "4"},
	{"/o/é", abi.Number, "5"},
	{"/o/a/b", abi.Absent, ""},
	{"/o/m~n", abi.Absent, ""},
	{"/o/m~", abi.Absent, ""},
	{"/o/m~2n", abi.Absent, ""},
	{"/o/m~00n", abi.Absent, ""},
	{"/o/\xff", abi.Absent, ""},
	{"s", abi.Absent, ""},
	{"//", abi.Absent, ""},
	{"/s/", abi.Absent, ""},
	{"#/s", abi.Absent, ""},
	{"/" + strings.Repeat("x", 5000), abi.Absent, ""},
	{strings.Repeat("/o", 4000), abi.Absent, ""},
}

const getView = `{"null":null,"yes":true,"no":false,"n":1.00e+2,"big":123456789012345678901234567890,"s":"\u00e9\n\"\ud83d\udd11","empty":"",
	"lone":"\ud83d!","list":[1,"b",[],{}],"o":{"é":5,"":1,"a/b":2,"m~n":3,"\u0001":4}}`

// TestGetFindsWhatAPointerNames compares with abi.Value.At as well, where the
// pointer is one.
func TestGetFindsWhatAPointerNames(t *testing.T) {
	view := parse(t, getView)
	p := load(t, newHost(t, Options{}), Source{Name: "get", Module: guest(t, "get")})
	for _, g := range gets {
		if !strings.Contains(g.pointer, "\xff") {
			a := p.Evaluate(view.With("ask", abi.StringValue(g.pointer)))
			if a.Class != "" {
				t.Fatalf("%.40q: %s", g.pointer, short(a))
			}
			want := string(binary.LittleEndian.AppendUint64(nil, abi.PackKind(g.kind, uint32(len(g.bytes))))) + g.bytes
			if string(a.Output) != want {
				t.Errorf("%.40q: %q; want %q", g.pointer, a.Output, want)
			}
		}
		r := run{view: view}
		v := r.at([]byte(g.pointer))
		if v.Kind() != g.kind || string(v.Bytes(nil)) != g.bytes {
			t.Errorf("%.40q: %v; want %q", g.pointer, v, g.bytes)
		}
		if known := view.At(g.pointer); v.Exists() && !v.Equal(known) {
			t.Errorf("%.40q: %v; abi finds %v", g.pointer, v, known)
		}
	}
}

// TestGetWritesNothingThatDoesNotFit and says how long it is all the same.
func TestGetWritesNothingThatDoesNotFit(t *testing.T) {
	p := load(t, newHost(t, Options{}), Source{Name: "get", Module: guest(t, "get")})
	for _, c := range []struct {
		bytes, limit int
		fits         bool
	}{{15, 1, true}, {16, 1, true}, {17, 1, false}, {1, 0, false}, {0, 0, true}, {144, 9, true}, {145, 9, false}} {
		text := strings.Repeat("t", c.bytes)
		a := p.Evaluate(parse(t, fmt.Sprintf(`{"ask":"/t","limit":"%d","t":%q}`, c.limit, text)))
		want := string(binary.LittleEndian.AppendUint64(nil, abi.PackKind(abi.String, uint32(c.bytes))))
		delivered := uint64(3) // of /ask and /limit
		if c.fits {
			want += text
			delivered += uint64(c.bytes)
		}
		if string(a.Output) != want || a.Delivered != delivered {
			t.Errorf("%d bytes for %d: %q, delivered %d; want %q, %d", c.bytes, 16*c.limit, a.Output, a.Delivered, want, delivered)
		}
	}
}

// TestTheWholeSnapshotIsCanonical is get of the empty pointer.
func TestTheWholeSnapshotIsCanonical(t *testing.T) {
	p := load(t, newHost(t, Options{}), Source{Name: "get", Module: guest(t, "get")})
	view := parse(t, `{"phase":"call","b":[1.0, {"z":1,"a":"\u0041"}],"ask":""}`)
	if a := p.Evaluate(view); len(a.Output) < 8 || string(a.Output[8:]) != view.String() {
		t.Errorf("%s; want %s", short(a), view)
	}
}

// TestLookingIsBounded where nothing is delivered, and asking twice is one look.
func TestLookingIsBounded(t *testing.T) {
	limits := Limits{}.withDefaults()
	big := abi.StringValue(strings.Repeat("b", MaxLookedAt/4))
	r := run{limits: &limits, view: abi.ObjectValue(abi.Member{Name: "a", Value: big}, abi.Member{Name: "b", Value: big})}
	for range 10 {
		r.look([]byte("/a"))
	}
	for _, p := range []string{"/b", "/a", "/b"} {
		r.look([]byte(p))
	}
	if r.looked != MaxLookedAt || r.class != "" {
		t.Fatalf("looked at %d bytes, class %q; want %d, and none", r.looked, r.class, MaxLookedAt)
	}
	defer func() {
		if recover() != errStop || r.class != abi.FailLimit {
			t.Errorf("class %q; want limit", r.class)
		}
	}()
	r.look([]byte("/a"))
	t.Error("nobody stopped it")
}
