package redact

import (
	"strings"
	"testing"
)

func TestValuesAreRedacted(t *testing.T) {
	s := compiled(t, usual...)
	picture := `"iVBORw0KGgoAAAANSUhEUgAAAAEAAKIAQQQQEXAMPLEZZZZ1"`
	glued := compiled(t, Entry{Name: "k", Pattern: "AKIA[0-9A-Z]{16}", With: "[k]"})
	cases := []struct {
		name, was, want string
		set             *Set
	}{
		{"every string", `{"content":[{"type":"text","text":"TOKEN"}],"structuredContent":{"env":[{"v":"x TOKEN"}]},"_meta":{"t":"TOKEN"}}`,
			`{"_meta":{"t":"[redacted: github-token]"},"content":[{"text":"[redacted: github-token]","type":"text"}],"structuredContent":{"env":[{"v":"x [redacted: github-token]"}]}}`, s},
		{"a resource in a block", `{"content":[{"type":"resource","resource":{"uri":"cfg://a","text":"TOKEN"}}]}`,
			`{"content":[{"resource":{"text":"[redacted: github-token]","uri":"cfg://a"},"type":"resource"}]}`, s},
		{"a member by its name", `{"structuredContent":{"Pass_Word":"hunter2","client-secret":"x","password_hint":"none","password":["a",{"b":"c"}]}}`,
			`{"structuredContent":{"Pass_Word":"[redacted: password-member]","client-secret":"[redacted: password-member]","password":["[redacted: password-member]",{"b":"[redacted: password-member]"}],"password_hint":"none"}}`, s},
		{"a member by the name beside it", `{"env":[{"name":"client_secret","value":"x"},{"name":"HOME","value":"/srv"}],"name":"password","default":"y"}`,
			`{"default":"y","env":[{"name":"client_secret","value":"[redacted: password-member]"},{"name":"HOME","value":"/srv"}],"name":"password"}`, s},
		{"a property of a schema is no value", `{"requestedSchema":{"properties":{"password":{"type":"string"}}}}`, `{"requestedSchema":{"properties":{"password":{"type":"string"}}}}`, s},
		{"MCP's own names", `{"content":[{"type":"text","text":"a"}],"structuredContent":{"content":"b"}}`, `{"content":[{"text":"a","type":"text"}],"structuredContent":{"content":"[c]"}}`,
			compiled(t, Entry{Name: "c", Keys: []string{"*content"}, With: "[c]"})},
		{"a picture", `{"content":[{"type":"image","data":` + picture + `}]}`, `{"content":[{"data":` + picture + `,"type":"image"}]}`, glued},
		{"a sound of a prompt", `{"messages":[{"content":{"type":"audio","data":` + picture + `}}]}`, `{"messages":[{"content":{"data":` + picture + `,"type":"audio"}}]}`, glued},
		{"a blob", `{"contents":[{"uri":"x","blob":` + picture + `}]}`, `{"contents":[{"blob":` + picture + `,"uri":"x"}]}`, glued},
		{"a picture in a link", `{"icons":[{"src":"data:image/png;base64,AKIAQQQQEXAMPLEZZZZ1"}]}`, `{"icons":[{"src":"data:image/png;base64,AKIAQQQQEXAMPLEZZZZ1"}]}`, glued},
		{"text in a link", `{"a":"data:text/plain,AKIAQQQQEXAMPLEZZZZ1"}`, `{"a":"data:text/plain,[k]"}`, glued},
		{"data that is no picture", `{"content":[{"type":"text","data":"AKIAQQQQEXAMPLEZZZZ1"}]}`, `{"content":[{"data":"[k]","type":"text"}]}`, glued},
		{"data that is no base64", `{"content":[{"type":"image","data":"see AKIAQQQQEXAMPLEZZZZ1!"}]}`, `{"content":[{"data":"see [k]!","type":"image"}]}`, glued},
		{"a picture in structured content is a server's own form", `{"structuredContent":{"type":"image","data":"AKIAQQQQEXAMPLEZZZZ1"}}`, `{"structuredContent":{"data":"[k]","type":"image"}}`, glued},
		{"numbers stay", `{"n":9007199254740993,"x":1e999}`, `{"n":9007199254740993,"x":1e999}`, s},
	}
	for _, c := range cases {
		v := value(t, strings.ReplaceAll(c.was, "TOKEN", token))
		f := c.set.Value(Results, v, true)
		edited, err := v.Edited(f.Edits)
		if f.Failed() || err != nil || edited.String() != c.want {
			t.Errorf("%s:\n got %s, %v, %+v\nwant %s", c.name, edited, err, f, c.want)
		}
		if kept, other := c.set.Kept(Results, v, true); kept.String() != c.want || other != (len(f.Edits) > 0) {
			t.Errorf("%s: kept %s, %v", c.name, kept, other)
		}
		if again := c.set.Value(Results, edited, true); len(again.Edits) > 0 {
			t.Errorf("%s: a second time %+v", c.name, again.Edits)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestNamesCanNotBeEdited(t *testing.T) {
	s := compiled(t, usual...)
	v := value(t, `{"a":[{"x `+token+`":1}]}`)
	if f := s.Value(Results, v, true); !f.Failed() || f.Key != "/a/0/x "+token {
		t.Errorf("got %+v", f)
	}
	kept, other := s.Kept(Ledger, value(t, `{"`+token+`":1,"`+token+`z":2}`), false)
	if want := `{"[redacted: github-token]":1,"[redacted: github-token]'":2}`; kept.String() != want || !other {
		t.Errorf("kept %s, want %s", kept, want)
	}
}

func TestWhatDoesNotSettleFails(t *testing.T) {
	s := compiled(t, Entry{Name: "e", Pattern: "ab", With: ""})
	v := value(t, `{"a":"`+strings.Repeat("a", 9)+strings.Repeat("b", 9)+`"}`)
	if f := s.Value(Results, v, false); !f.Failed() || f.Stuck != "/a" {
		t.Errorf("got %+v", f)
	}
	if kept, _ := s.Kept(Results, v, false); kept.String() != `{"a":""}` {
		t.Errorf("kept %s", kept)
	}
	twin := value(t, `{"a":"aaabbb"}`)
	if f := s.Value(Results, twin, false); f.Failed() || len(f.Edits) != 1 || f.Edits[0].With.Str() != "" {
		t.Errorf("twin: got %+v", f)
	}
}
