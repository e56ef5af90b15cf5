package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// doubling is a schema that applies its last one 2^n times: each names the next twice.
func doubling(n int, pair, last string) string {
	var b strings.Builder
	for i := range n {
		next := fmt.Sprintf(`{"$ref":"#/$defs/a%d"}`, i+1)
		fmt.Fprintf(&b, `"a%d":`+pair+`,`, i, next, next)
	}
	return fmt.Sprintf(`{"$defs":{%s"a%d":%s},"$ref":"#/$defs/a0"}`, b.String(), n, last)
}

func times(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }

// A schema comes with a stranger's module, and nothing of it may hold up a policy
// that is loaded: what would is refused, and its smaller twin applied.
func TestSchemasOfSettingsAreBounded(t *testing.T) {
	const all, some = `{"allOf":[%s,%s]}`, `{"not":{"anyOf":[%s,%s]}}`
	slow, unread := "takes too long to apply", "can not be read"
	tests := []struct{ name, schema, want, twin string }{
		{"doubled", doubling(40, all, `{}`), slow, doubling(4, all, `{}`)},
		{"doubled for nothing", doubling(40, all, `true`), slow, doubling(4, all, `true`)},
		{"doubled and wrong", doubling(40, all, `{"type":"string"}`), slow, doubling(4, all, `{"type":"object"}`)},
		{"doubled in doubt", doubling(40, some, `{"type":"string"}`), slow, doubling(3, some, `{"type":"string"}`)},
		{"doubled by an old draft", `{"$schema":"http://json-schema.org/draft-07/schema#",` + doubling(40, all, `{}`)[1:], slow, `{"$schema":"http://json-schema.org/draft-07/schema#",` + doubling(4, all, `{}`)[1:]},
		{"doubled with a format", doubling(40, `{"format":"regex","allOf":[%s,%s]}`, `{}`), slow, doubling(4, `{"format":"regex","allOf":[%s,%s]}`, `{}`)},
		{"a long list again and again", `{"$defs":{"e":{"enum":[` + times(3000, `1`) + `,{"a":1}]}},"allOf":[` + times(3000, `{"$ref":"#/$defs/e"}`) + `]}`, slow, `{"$defs":{"e":{"enum":[1,{"a":1}]}},"allOf":[` + times(400, `{"$ref":"#/$defs/e"}`) + `]}`},
		{"numbers of a million digits", `{"allOf":[` + times(1000, `{"maximum":1e999999}`) + `]}`, unread, `{"allOf":[` + times(1000, `{"maximum":1e300}`) + `]}`},
		{"a tiny number", `{"multipleOf":1e-999999}`, unread, `{"multipleOf":1e-300}`},
		{"a long number", `{"maximum":` + strings.Repeat("9", 65) + `}`, unread, `{"maximum":` + strings.Repeat("9", 64) + `}`},
		{"very many", `{"allOf":[` + times(20000, `{}`) + `]}`, unread, `{"allOf":[` + times(2000, `{}`) + `]}`},
	}
	with, err := abi.Parse([]byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tests {
		for schema, want := range map[string]string{c.schema: c.want, c.twin: ""} {
			settings, err := abi.Parse([]byte(schema))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			switch err := CheckSettings(&abi.Manifest{Name: "p", Settings: settings}, with); {
			case want == "" && err != nil:
				t.Errorf("%s: the twin: %v", c.name, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s: %v; want %q", c.name, err, want)
			}
		}
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}

// What a schema has said of a setting is as short as a line, however long its lists.
func TestMistakesOfSettingsAreShort(t *testing.T) {
	settings, err := abi.Parse([]byte(`{"enum":[` + times(5000, `"é"`) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	err = CheckSettings(&abi.Manifest{Name: "p", Settings: settings}, abi.ObjectValue())
	if err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), "'é', ") {
		t.Errorf("%.600v", err)
	}
}
