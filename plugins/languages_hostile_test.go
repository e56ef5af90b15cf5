package plugins_test

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// times repeats what make makes of a number, with commas between.
func times(n int, make func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(make(i))
	}
	return b.String()
}

func nested(n int, open, inside, shut string) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(shut, n)
}

// hostileArguments are arguments that views have gone wrong with, or might.
var hostileArguments = []struct {
	name, arguments string
	many            bool // so many that no fuel is enough to look at more than names and texts
}{
	{"nothing", `{}`, false},
	{"ordinary ones", `{"to":"a@b.example","n":3,"yes":true,"no":false,"none":null,"list":["a",{"b":[]}],"empty":{}}`, false},
	{"as deep as it goes, lists", `{"a":` + nested(abi.MaxDepth-3, "[", "1", "]") + `}`, false},
	{"as deep as it goes, objects", `{"a":` + nested(abi.MaxDepth-3, `{"a":`, "1", "}") + `}`, false},
	{"as deep as it goes, in turn", `{"a":` + nested(abi.MaxDepth/2-2, `[{"~/":`, "1", "}]") + `}`, false},
	{"a wide one in a deep one", `{"a":` + nested(200, `[0,{"a":`, "1", "},2]") + `}`, false},
	{"numbers that no float holds", `{"n":[1e400,-1e400,1e-400,1E+2,1e+0,0e0,0E-7,-0,-0.0,0.10,123456789012345678901234567890,` + strings.Repeat("9", 400) + `,0.` + strings.Repeat("3", 400) + `]}`, false},
	{"numbers about 2^53 and 2^63", `{"n":[9007199254740991,9007199254740992,9007199254740993,-9007199254740991,-9007199254740992,-9007199254740993,
		9223372036854775806,9223372036854775807,9223372036854775808,-9223372036854775807,-9223372036854775808,-9223372036854775809,18446744073709551615,18446744073709551616,9007199254740993.0]}`, false},
	{"lone surrogates", `{"s":["\ud800","\udfff","a\ud800b","\ud800\ud800\udc00","\udc00\ud800","\ud83d\ude00\ud83d","\ud800\u0041","\ufffd"],"\ud800":1,"x\udfffy":{"\udbff":[2]}}`, false},
	{"names that look like one another when they are shown", `{"\ufffd":1,"\ud800":2,"\ud801":3,"\udc00":4}`, false},
	{"no name", `{"":{"":[{"":""},{"":{"":null}}]}}`, false},
	{"names of signs of pointers", `{"~":1,"/":2,"~0":3,"~1":4,"~01":5,"~10":6,"a/b~c":{"/~":[7]},"//":{"":8},"~~":9}`, false},
	{"names that are nearly the same", `{"a":1,"A":2,"a ":3," a":4,"a\u0000":5,"\u0000a":6,"é":7,"e\u0301":8,"а":9,"a\u200b":10,"\ufeffa":11}`, false},
	{"names of numbers", `{"0":"a","1":"b","01":"c","-1":"d","1e0":"e","4294967296":"f","length":"g"}`, false},
	{"names of JavaScript", `{"__proto__":{"polluted":true},"constructor":1,"toString":2,"hasOwnProperty":3}`, false},
	{"names in the order of UTF-16", `{"\ud83d\ude00":1,"\uffff":2,"\ue000":3,"z":4}`, false},
	{"NUL", `{"a\u0000b":"c\u0000d\u0000","\u0000":"\u0000","s":"\u0000\u0001\u001f\u007f\u0080\u2028\u2029"}`, false},
	{"signs of JSON in texts", `{"{":"}","[\"":"]\\","s":"\\\\\"\\u0041 , : { } [ ] \\","\\":"\"\\"}`, false},
	{"a text of a MiB", `{"s":"` + strings.Repeat("x", 1<<20) + `"}`, false},
	{"a text of escapes of a MiB", `{"s":"` + strings.Repeat(`\u0001`, 1<<20/6) + `"}`, false},
	{"a text of faces of a MiB", `{"s":"` + strings.Repeat("😀", 1<<20/4) + `"}`, false},
	{"a text of lone surrogates", `{"s":"` + strings.Repeat(`\ud800`, 1<<16) + `"}`, false},
	{"a text of quotes and strokes", `{"s":"` + strings.Repeat(`\"\\`, 1<<17) + `"}`, false},
	{"a long name", `{"` + strings.Repeat("n~/", 1<<16) + `":{"a":[1]}}`, false},
	{"a hundred thousand members", `{` + times(100_000, func(i int) string { return fmt.Sprintf(`"k%06d":%d`, i, i%7) }) + `}`, true},
	{"a hundred thousand items", `{"l":[` + times(100_000, func(i int) string { return strconv.Itoa(i) }) + `]}`, true},
	{"many empty ones", `{"l":[` + times(50_000, func(i int) string { return [...]string{"[]", "{}", `""`}[i%3] }) + `]}`, true},
}

// hostileTexts are texts that JSON is looked for in. reads says that there is some.
var hostileTexts = []struct {
	name, text  string
	reads, many bool
}{
	{"an object", `{"a":[1,{"b":null}]}`, true, false},
	{"members twice", `{"a":1,"a":2,"\u0061":3}`, true, false},
	{"white space of all kinds", " \t\r\n{ \"a\" :\n[ 1 ,\t2 ]\r}\n", true, false},
	{"a bare number", `-0`, true, false},
	{"a bare text", `"\ud800\u0041"`, true, false},
	{"numbers that no float holds", `[1e400,-0,9007199254740993,1E-999]`, true, false},
	{"a hundred thousand lists", nested(100_000, "[", "", "]"), true, true},
	{"fifty thousand objects", nested(50_000, `{"a":`, "0", "}"), true, true},
	{"fifty thousand members", `{` + times(50_000, func(i int) string { return fmt.Sprintf(`"k%06d":%d`, i, i%7) }) + `}`, true, true},
	{"NUL in a text", `["a\u0000b"]`, true, false},
	{"lists that are not closed", strings.Repeat("[", 100_000), false, false},
	{"one closed too often", nested(1000, "[", "", "]") + "]", false, false},
	{"closed by the other", `[{]}`, false, false},
	{"nothing", ``, false, false},
	{"white space", "  \n", false, false},
	{"a byte order mark", "\ufeff{}", false, false},
	{"NUL as white space", "\x00{}", false, false},
	{"NUL behind it", "{}\x00", false, false},
	{"space of another kind", "\u00a0{}", false, false},
	{"two of them", `{}{}`, false, false},
	{"a comma too many", `[1,]`, false, false},
	{"a comment", `[1/*2*/]`, false, false},
	{"what JavaScript takes", `{a:1,'b':NaN,"c":Infinity,"d":undefined}`, false, false},
	{"a plus", `+1`, false, false},
	{"a zero first", `[01]`, false, false},
	{"a point alone", `[1.,.5]`, false, false},
	{"no exponent", `1e`, false, false},
	{"hexadecimal", `0x10`, false, false},
	{"a line end in a text", "\"a\nb\"", false, false},
	{"an escape that is none", `"\x41"`, false, false},
	{"an escape that is cut off", `"\u00`, false, false},
	{"digits of another script", `[١]`, false, false},
	{"words in capitals", `[TRUE]`, false, false},
	{"a member without a value", `{"a"}`, false, false},
	{"a name that is no text", `{1:2}`, false, false},
}

// TestEveryViewFindsTheSameInHostileSnapshots has all guests go through what hostile
// clients send, and holds what they see to what the host sent.
func TestEveryViewFindsTheSameInHostileSnapshots(t *testing.T) {
	t.Parallel()
	all := guests(t, "walk")
	for _, h := range hostileArguments {
		arguments := parse(t, h.arguments)
		w := walked{light: h.many}
		want := fmt.Sprintf(`{"outcome":"abstain","tags":{"all":"%s","open":"%s"}}`, w.sum(arguments, "/call/arguments", ""), w.sum(abi.Value{}, "", ""))
		sameOfAll(t, h.name, all, h.many, arguments, want)
	}
	read, refused := 0, 0
	for _, h := range hostileTexts {
		arguments := abi.ObjectValue(abi.Member{Name: "m", Value: abi.StringValue(h.text)})
		w := walked{light: h.many, text: true}
		said := sameOfAll(t, h.name, all, h.many, arguments, "")
		if got := !strings.Contains(said, `"open":"`+w.sum(abi.Value{}, "", "")+`"`); got != h.reads {
			t.Errorf("%s: read as JSON: %t; want %t: %s", h.name, got, h.reads, said)
		}
		// Where the host reads it as well, it has to be the same.
		v, err := abi.Parse([]byte(h.text))
		if err == nil && h.reads {
			read++
			if want := `"open":"` + w.sum(v, "/call/arguments/m", "m") + `"`; !strings.Contains(said, want) {
				t.Errorf("%s: %s; want %s", h.name, said, want)
			}
		}
		if err != nil && !h.reads {
			refused++
		}
	}
	if read < 5 || refused < 20 {
		t.Errorf("the host reads %d and refuses %d of the texts", read, refused)
	}
}

// sameOfAll has each guest judge arguments, all of which have to say the same, and
// what is wanted.
func sameOfAll(t *testing.T, name string, all []*guest, light bool, arguments abi.Value, want string) string {
	t.Helper()
	settings := abi.ObjectValue(abi.Member{Name: "light", Value: abi.BoolValue(light)})
	call := abi.ObjectValue(abi.Member{Name: "arguments", Value: arguments})
	snapshot := parse(t, `{"abi":"1.0","phase":"call"}`).With("call", call).With("settings", settings)
	for _, g := range all {
		p, err := g.load(t, settings)
		if err != nil {
			t.Fatalf("%s: %v", g.lang, err)
		}
		a := p.Evaluate(snapshot)
		got := string(a.Class) + a.Detail + string(a.Output)
		if want == "" {
			want = got
		}
		if got != want || a.Class != "" {
			t.Errorf("%s: %s: %.300s; want %.300s", name, g.lang, got, want)
		}
	}
	return want
}

// walked is what walk looks at: names and texts alone if it is light; everything in a
// text stands at the text.
type walked struct{ light, text bool }

// sum is what walk answers of a value: how much there is, and FNV-1a over all of it.
func (w walked) sum(v abi.Value, at, name string) string {
	h, n := fnv.New32a(), 0
	word := func(s string) { h.Write(append([]byte(shown(s)), 0xff)) }
	var walk func(v abi.Value, at, name string)
	walk = func(v abi.Value, at, name string) {
		n++
		word(name)
		word(v.Str())
		if kind := v.Kind(); !w.light {
			word(at)
			word(strconv.Itoa(int(kind)))
			if kind < abi.String {
				word(v.String())
			}
			if i, err := strconv.ParseInt(v.Lexeme(), 10, 64); err == nil {
				word(strconv.FormatInt(i, 10))
			}
		}
		below := func(to string) string {
			if w.text {
				return at
			}
			return to
		}
		for i, item := range v.Items() {
			walk(item, below(abi.JoinIndex(at, i)), "")
		}
		for _, m := range v.Members() {
			walk(m.Value, below(abi.Join(at, m.Name)), m.Name)
		}
	}
	if v.Exists() {
		walk(v, at, name)
	}
	return fmt.Sprint(n, " ", h.Sum32())
}

// shown is a text with U+FFFD in place of each lone surrogate, which the host holds as
// the three bytes that UTF-8 would have for it.
func shown(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == 0xed && i+2 < len(s) && s[i+1] >= 0xa0 {
			b.WriteRune('\ufffd')
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
