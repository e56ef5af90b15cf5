package transport

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

const sqlSchema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"limit":{"type":"integer","x-mcp-header":"Limit"},
	"dry":{"type":"boolean","x-mcp-header":"Dry-Run"},
	"where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}},
	"query":{"type":"string"}}}`

func parsed(t *testing.T, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestParamHeadersMirrorTheArguments(t *testing.T) {
	schema := parsed(t, sqlSchema)
	sql := func(args string) string { return modern("tools/call", `"name":"sql","arguments":{`+args+`}`) }
	std := func(more ...string) []string { return append([]string{v26, call, "Mcp-Name: sql"}, more...) }
	checkCases(t, []headerCase{
		{"a string", sql(`"region":"us-west1"`), std("Mcp-Param-Region: us-west1"), 0},
		{"another string", sql(`"region":"us-west1"`), std("Mcp-Param-Region: us-east1"), CodeHeaderMismatch},
		{"a string in another case", sql(`"region":"us-west1"`), std("Mcp-Param-Region: US-west1"), CodeHeaderMismatch},
		{"the name in another case", sql(`"region":"us-west1"`), std("MCP-PARAM-REGION: us-west1"), 0},
		{"no header", sql(`"region":"us-west1"`), std(), CodeHeaderMismatch},
		{"two lines", sql(`"region":"a"`), std("Mcp-Param-Region: a", "Mcp-Param-Region: a"), CodeHeaderMismatch},
		{"an encoded string", sql(`"region":"Hello"`), std("Mcp-Param-Region: =?base64?SGVsbG8=?="), 0},
		{"encoded without padding", sql(`"region":"Hello"`), std("Mcp-Param-Region: =?base64?SGVsbG8?="), CodeHeaderMismatch},
		{"encoded in other letters", sql(`"region":"Hello"`), std("Mcp-Param-Region: =?base64?SGVs!!!bG8=?="), CodeHeaderMismatch},
		{"base64 without mark", sql(`"region":"SGVsbG8="`), std("Mcp-Param-Region: SGVsbG8="), 0},
		{"half a mark", sql(`"region":"=?base64?SGVsbG8="`), std("Mcp-Param-Region: =?base64?SGVsbG8="), 0},
		{"an empty string", sql(`"region":""`), std("Mcp-Param-Region: "), 0},
		{"an empty string and no header", sql(`"region":""`), std(), CodeHeaderMismatch},
		{"no argument", sql(`"query":"x"`), std(), 0},
		{"a header for no argument", sql(`"query":"x"`), std("Mcp-Param-Region: a"), CodeHeaderMismatch},
		{"an empty header for no argument", sql(`"query":"x"`), std("Mcp-Param-Region: "), CodeHeaderMismatch},
		{"null", sql(`"region":null`), std(), 0},
		{"a header for null", sql(`"region":null`), std("Mcp-Param-Region: null"), CodeHeaderMismatch},
		{"an object", sql(`"region":{}`), std(), 0},
		{"a header for an object", sql(`"region":{}`), std("Mcp-Param-Region: {}"), CodeHeaderMismatch},
		{"no arguments at all", modern("tools/call", `"name":"sql"`), std(), 0},
		{"a header without arguments", modern("tools/call", `"name":"sql"`), std("Mcp-Param-Region: a"), CodeHeaderMismatch},
		{"an integer", sql(`"limit":42`), std("Mcp-Param-Limit: 42"), 0},
		{"an integer below zero", sql(`"limit":-7`), std("Mcp-Param-Limit: -7"), 0},
		{"an integer with a fraction of zero", sql(`"limit":42`), std("Mcp-Param-Limit: 42.0"), 0},
		{"an integer with an exponent", sql(`"limit":4.2e1`), std("Mcp-Param-Limit: 42"), 0},
		{"another integer", sql(`"limit":42`), std("Mcp-Param-Limit: 43"), CodeHeaderMismatch},
		{"a number with an exponent in the header", sql(`"limit":42`), std("Mcp-Param-Limit: 42e0"), CodeHeaderMismatch},
		{"a hexadecimal number", sql(`"limit":42`), std("Mcp-Param-Limit: 0x2a"), CodeHeaderMismatch},
		{"no number", sql(`"limit":42`), std("Mcp-Param-Limit: many"), CodeHeaderMismatch},
		{"the greatest integer", sql(`"limit":9007199254740991`), std("Mcp-Param-Limit: 9007199254740991"), 0},
		{"an integer no double holds", sql(`"limit":9007199254740993`), std(), 0},
		{"a header for an integer no double holds", sql(`"limit":9007199254740993`), std("Mcp-Param-Limit: 9007199254740992"), CodeHeaderMismatch},
		{"a number out of range", sql(`"limit":1e999`), std(), 0},
		{"a boolean", sql(`"dry":true`), std("Mcp-Param-Dry-Run: true"), 0},
		{"the other boolean", sql(`"dry":true`), std("Mcp-Param-Dry-Run: false"), CodeHeaderMismatch},
		{"a boolean in capitals", sql(`"dry":true`), std("Mcp-Param-Dry-Run: True"), CodeHeaderMismatch},
		{"a number that a header writes as text", sql(`"region":5`), std("Mcp-Param-Region: 5"), 0},
		{"an argument within another", sql(`"where":{"zone":"b"}`), std("Mcp-Param-Zone: b"), 0},
		{"another within another", sql(`"where":{"zone":"b"}`), std("Mcp-Param-Zone: c"), CodeHeaderMismatch},
		{"one of the same name outside", sql(`"zone":"b"`), std(), 0},
		{"a header that nothing declares", sql(`"query":"x"`), std("Mcp-Param-Query: y"), 0},
		{"a legacy call without header", legacy("tools/call", `"name":"sql","arguments":{"region":"a"}`), []string{v25}, 0},
		{"a legacy call that mirrors", legacy("tools/call", `"name":"sql","arguments":{"region":"a"}`), []string{v25, "Mcp-Param-Region: a"}, 0},
		{"a legacy call that mirrors another", legacy("tools/call", `"name":"sql","arguments":{"region":"a"}`), []string{v25, "Mcp-Param-Region: b"}, CodeHeaderMismatch},
		{"a tool without schema", modern("tools/call", `"name":"other","arguments":{"region":"a"}`), []string{v26, call, "Mcp-Name: other", "Mcp-Param-Region: b"}, 0},
	}, func(tool string) abi.Value {
		if tool == "sql" {
			return schema
		}
		return abi.Value{}
	})
}

func TestAnnotationsAreFoundWhereClientsFindThem(t *testing.T) {
	cases := []struct {
		name, schema string
		want         string // header=path, by space
		wrong        string // in the error
	}{
		{"none", `{"type":"object","properties":{"a":{"type":"string"}}}`, "", ""},
		{"no schema", `true`, "", ""},
		{"several", sqlSchema, "Mcp-Param-Dry-Run=dry Mcp-Param-Limit=limit Mcp-Param-Region=region Mcp-Param-Zone=where.zone", ""},
		{"a property of that name", `{"properties":{"x-mcp-header":{"type":"string"}}}`, "", ""},
		{"a value of that name", `{"properties":{"a":{"type":"object","default":{"x-mcp-header":"A"}}}}`, "", ""},
		{"one of several primitives", `{"properties":{"a":{"type":["string","integer"],"x-mcp-header":"A"}}}`, "Mcp-Param-A=a", ""},
		{"a number", `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, "", "a"},
		{"an object", `{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`, "", "a"},
		{"perhaps null", `{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, "", "a"},
		{"no type", `{"properties":{"a":{"x-mcp-header":"A"}}}`, "", "a"},
		{"an empty name", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, "", "a"},
		{"a name with a space", `{"properties":{"a":{"type":"string","x-mcp-header":"My Region"}}}`, "", "a"},
		{"a name with a line end", `{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nX: y"}}}`, "", "a"},
		{"a name that is no string", `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`, "", "a"},
		{"two of one name", `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, "", "twice"},
		{"at the root", `{"type":"string","x-mcp-header":"A"}`, "", "only properties"},
		{"in items", `{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, "", "only properties"},
		{"in a branch", `{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "", "only properties"},
		{"in a definition", `{"$defs":{"d":{"type":"string","x-mcp-header":"A"}}}`, "", "only properties"},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			params, err := HeaderParams(parsed(t, c.schema))
			var got []string
			for _, p := range params {
				got = append(got, p.Header()+"="+strings.Join(p.Path, "."))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("found %q; want %q", s, c.want)
			}
			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("error %v; want one with %q", err, c.wrong)
			}
		})
	}
}

func FuzzHeaderParams(f *testing.F) {
	f.Add(sqlSchema)
	f.Add(`{"properties":{"a":{"type":"string","x-mcp-header":"A"}},"items":[{"x-mcp-header":1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		schema, err := abi.Parse([]byte(text))
		if err != nil {
			return
		}
		params, err := HeaderParams(schema)
		if err != nil && params != nil {
			t.Errorf("refused, and yet found: %v", params)
		}
		seen := map[string]bool{}
		for _, p := range params {
			if seen[p.Header()] || !isToken(p.Header()) {
				t.Errorf("header %q is no header, or mirrors two arguments", p.Header())
			}
			seen[p.Header()] = true
		}
	})
}
