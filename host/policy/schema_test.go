package policy

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestSchemaNamesEveryKey(t *testing.T) {
	v, err := abi.Parse(Schema())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(Schema(), Schema()) {
		t.Error("not stable")
	}
	if v.Get("$schema").Str() != "https://json-schema.org/draft/2020-12/schema" || v.Get("additionalProperties").Kind() != abi.Bool {
		t.Errorf("head of the schema: %s", v.Get("$schema"))
	}
	var keys []string
	for _, typ := range []reflect.Type{reflect.TypeFor[file](), reflect.TypeFor[settings](), reflect.TypeFor[approval](), reflect.TypeFor[approve](), reflect.TypeFor[server](), reflect.TypeFor[requests](), reflect.TypeFor[permit](), reflect.TypeFor[tool](), reflect.TypeFor[sink](), reflect.TypeFor[arg](), reflect.TypeFor[budget](), reflect.TypeFor[source]()} {
		for _, f := range fieldsOf(typ) {
			if f.name == "" || f.tag.Get("doc") == "" || !strings.HasSuffix(f.tag.Get("doc"), ".") {
				t.Errorf("%s has no key or description: %q", typ, f.tag)
			}
			keys = append(keys, f.name)
		}
	}
	found := map[string]bool{}
	v.Walk("", func(at string, _ abi.Value, key bool) {
		if key && strings.Contains(at, "/properties/") {
			found[at[strings.LastIndexByte(at, '/')+1:]] = true
		}
	})
	for _, k := range keys {
		if !found[k] {
			t.Errorf("the schema lacks %q", k)
		}
	}
	if len(keys) < 60 {
		t.Errorf("%d keys", len(keys))
	}
	if e := v.At("/properties/settings/properties/default/enum"); !e.Equal(texts([]string{"deny", "ask", "allow"})) {
		t.Errorf("default: %s", e)
	}
	if e := v.At("/properties/tools/additionalProperties/properties/sink/anyOf/0/enum"); !e.Equal(texts([]string{"none"})) {
		t.Errorf("sink: %s", e)
	}
}

func TestEverySettingCanBeReplaced(t *testing.T) {
	typ := reflect.TypeFor[settings]()
	for _, f := range fieldsOf(typ) {
		if f.name == "replace" {
			continue
		}
		if list := fieldsOf(typ)[typ.NumField()-1]; !slices.Contains(enumOf(list.tag), f.name) {
			t.Errorf("settings.replace does not know %q", f.name)
		}
	}
}

// meets says whether a value meets what the schema of a leaf asks for.
func meets(t *testing.T, schema, v abi.Value) bool {
	t.Helper()
	ok := true
	for _, m := range schema.Members() {
		switch m.Name {
		case "description":
		case "type":
			types := append(m.Value.Items(), m.Value)
			ok = ok && slices.ContainsFunc(types, func(name abi.Value) bool {
				whole := !strings.ContainsAny(v.Lexeme(), ".eE")
				return v.IsString() && name.Str() == "string" || v.Kind() == abi.Number && (name.Str() == "number" || name.Str() == "integer" && whole) ||
					v.Kind() == abi.Bool && name.Str() == "boolean"
			})
		case "pattern":
			ok = ok && (!v.IsString() || regexp.MustCompile(m.Value.Str()).MatchString(v.Str()))
		case "minimum", "maximum":
			bound, _ := strconv.ParseFloat(m.Value.Lexeme(), 64)
			if n, err := strconv.ParseFloat(v.Lexeme(), 64); err == nil && v.Kind() == abi.Number {
				ok = ok && (m.Name == "minimum" && n >= bound || m.Name == "maximum" && n <= bound)
			}
		case "allOf":
			for _, part := range m.Value.Items() {
				ok = meets(t, part, v) && ok
			}
		default:
			t.Fatalf("the schema says %s, which the test does not know", m.Name)
		}
	}
	return ok
}

func TestSchemaAcceptsWhatTheLoaderAccepts(t *testing.T) {
	root, err := abi.Parse(Schema())
	if err != nil {
		t.Fatal(err)
	}
	idle := "/properties/settings/properties/session_idle"
	size := "/properties/settings/properties/max_argument_bytes"
	per := "/properties/budgets/items/properties/per"
	calls := "/properties/tools/additionalProperties/properties/max_calls"
	wait := "/properties/settings/properties/approval_timeout"
	reach := "/properties/tools/additionalProperties/properties/approve/properties/for"
	asks := "/properties/settings/properties/max_asks"
	forms := map[string]string{
		wait: "settings: {approval_timeout: %s}", reach: "tools: {a/b: {approve: {for: %s}}}", asks: "settings: {max_asks: %s}",
		idle: "settings: {session_idle: %s}", size: "settings: {max_argument_bytes: %s}",
		per: "budgets: [{name: x, tools: [a/b], max: 1, per: %s}]", calls: "tools: {a/b: {max_calls: %s}}",
	}
	cases := []struct {
		at    string
		value string // JSON, which is YAML too
		want  bool
	}{
		{idle, `30`, false}, {idle, `"30"`, false}, {idle, `"30m"`, true}, {idle, `"1h30m"`, true}, {idle, `"1.5h"`, true}, {idle, `"+5s"`, true},
		{idle, `"0s"`, false}, {idle, `0`, false}, {idle, `"-5s"`, false}, {idle, `"5 s"`, false}, {idle, `"1d"`, false}, {idle, `"session"`, false},
		{idle, `"250ms"`, true}, {idle, `".5s"`, true}, {idle, `"5.s"`, true}, {idle, `"."`, false}, {idle, `".s"`, false}, {idle, `true`, false},
		{wait, `"0s"`, true}, {wait, `"50s"`, true}, {wait, `"10m"`, true}, {wait, `"+1m"`, true}, {wait, `"1.5m"`, true}, {wait, `0`, false}, {wait, `"0"`, false},
		{wait, `"-0s"`, false}, {wait, `"-1s"`, false}, {wait, `50`, false}, {wait, `"session"`, false}, {wait, `"+0"`, false}, {wait, `true`, false},
		{reach, `"30m"`, true}, {reach, `"0s"`, false}, {reach, `30`, false}, {reach, `"session"`, false},
		{asks, `0`, true}, {asks, `20`, true}, {asks, `"20"`, false}, {asks, `-1`, false}, {asks, `1.5`, false},
		{per, `"session"`, true}, {per, `"24h"`, true}, {per, `24`, false}, {per, `"day"`, false}, {per, `"0h"`, false}, {per, `"sessions"`, false},
		{size, `0`, true}, {size, `4096`, true}, {size, `"4096"`, true}, {size, `"512KiB"`, true}, {size, `"1MiB"`, true}, {size, `"2GiB"`, true}, {size, `"10B"`, true},
		{size, `-1`, false}, {size, `1.5`, false}, {size, `"1MB"`, false}, {size, `"1 MiB"`, false}, {size, `"MiB"`, false}, {size, `"1k"`, false}, {size, `"-1KiB"`, false},
		{size, `9007199254740991`, true}, {size, `9007199254740992`, false}, {size, `true`, false},
		{calls, `0`, true}, {calls, `20`, true}, {calls, `9007199254740992`, true}, {calls, `9007199254740994`, false}, {calls, `-1`, false}, {calls, `"20"`, false}, {calls, `1.5`, false},
	}
	for _, c := range cases {
		schema := root.At(c.at)
		if !schema.Exists() {
			t.Fatalf("the schema has nothing at %s", c.at)
		}
		v, err := abi.Parse([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		_, err = load(head(fmt.Sprintf(forms[c.at], c.value)))
		if loads, fits := err == nil, meets(t, schema, v); loads != c.want || fits != c.want {
			t.Errorf("%s %s: loads %v, meets the schema %v; want %v (%v)", c.at, c.value, loads, fits, c.want, err)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
