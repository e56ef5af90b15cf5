package main

import (
	"testing"

	callgate "github.com/callgate/callgate/sdk/go"
)

func TestNumbersAreComparedExactly(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1", "1.0", 0}, {"1e3", "1000", 0}, {"-0.0", "0", 0}, {"0.1", ".10", 0}, {"+7", "7", 0}, {"1e999999999", "1e999999998", 1}, {"-1e9", "-1e8", -1},
		{"0.5", "1", -1}, {"-1", "1", -1}, {"12", "1.2e1", 0}, {"9007199254740993", "9007199254740992", 1},
	} {
		a, ok := parseDecimal(c.a)
		b, ok2 := parseDecimal(c.b)
		if got := a.compare(b); !ok || !ok2 || got != c.want || b.compare(a) != -c.want {
			t.Errorf("%s against %s: %d; want %d", c.a, c.b, got, c.want)
		}
	}
	for _, s := range []string{"", "-", ".", "e3", "1e", "1e+", "1 2", "0x1", "1.2.3", "NaN", "١"} {
		if _, ok := parseDecimal(s); ok {
			t.Errorf("%q is read as a number", s)
		}
	}
}

func TestValuesAreWrittenCanonically(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": [1.0, {}], "a": "\u0041\n\u001f"}`: `{"a":"A\n\u001f","b":[1.0,{}]}`,
		` [ ] `:                     `[]`,
		`{"é":1,"ａ":4,"z":2,"𐀀":3}`: `{"z":2,"é":1,"𐀀":3,"ａ":4}`,
	} {
		if got := canonical(callgate.Parse(in)); got != want {
			t.Errorf("%s: %s; want %s", in, got, want)
		}
	}
}

func TestARuleNamesTheItem(t *testing.T) {
	got, err := callgate.Try(`{"call":{"arguments":{"n":[1,20]}},"settings":{"args":[{"arg":"n","max":10}]}}`)
	if want := `{"at":["/call/arguments/n/1"],"code":"ARGS_MAX","outcome":"deny"}`; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, err = callgate.Try(`{"call":{"arguments":{"n":[1,2]}},"settings":{"args":[{"arg":"n","max":10}]}}`); err != nil || got != `{"outcome":"abstain"}` {
		t.Errorf("%s, %v; want it to abstain", got, err)
	}
}
