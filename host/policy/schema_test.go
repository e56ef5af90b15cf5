package policy

import (
	"bytes"
	"reflect"
	"slices"
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
	for _, typ := range []reflect.Type{reflect.TypeFor[file](), reflect.TypeFor[settings](), reflect.TypeFor[server](), reflect.TypeFor[tool](), reflect.TypeFor[sink](), reflect.TypeFor[arg](), reflect.TypeFor[budget](), reflect.TypeFor[source]()} {
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
