package wire

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// hostileFrame writes a frame of names and values that parsers are known to read differently, now and then a plain one.
func hostileFrame(r *rand.Rand) []byte {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	odd := func(of ...string) string {
		if r.IntN(12) > 0 {
			return of[0]
		}
		return pick(of...)
	}
	object := func(members ...string) string {
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		if r.IntN(12) == 0 && len(members) > 0 {
			members = members[1:]
		}
		if r.IntN(16) == 0 && len(members) > 0 {
			members = append(members, members[0])
		}
		gap := odd("", "", " ", "\t", "\r", " \n ")
		return "{" + gap + strings.Join(members, gap+","+gap) + gap + "}"
	}
	value := func() string {
		return odd("1", `"x"`, "1e999", "null", `{"a":{"b":[1,2]}}`, `{"a":1,"a":2}`, "NaN", `"\ud800"`, "-0.0", `{"name":"y","Name":"z"}`, "[[]]", "\"\xff\"", "\"\u2028\"")
	}
	arguments := odd(object(`"path":`+value(), `"Path":`+value(), odd(`"p"`, `"\ud800"`, `"\udfff"`, `"pa\u0074h"`)+":"+value()), "[]", "null", `""`)
	answers := odd(`{"k":{"action":"accept"}}`, `{}`, "null", "[]", `{"k":1,"k":2}`)
	params := object(
		odd(`"name"`, `"Name"`, `"n\u0061me"`, `"NAME"`)+":"+odd(`"ls"`, `"l\u0073"`, `"ls\ud800"`, "5", "null"),
		odd(`"arguments"`, `"Arguments"`, `"argument\u017f"`, `"argumentſ"`)+":"+arguments,
		odd(`"_meta"`, `"_Meta"`, `"x"`)+":"+value(),
		odd(`"y"`, `"taſk"`, `"tas\u212a"`, `"task"`)+":"+value(),
		odd(`"uri"`, `"URI"`, `"ur\u0131"`, `"u\u0072i"`)+":"+odd(`"file:///a"`, `"\u0066ile:"`, `"\udc00"`, "null", `"a\u0000b"`),
		odd(`"taskId"`, `"taskID"`, `"tas\u212aId"`)+":"+odd(`"t"`, "1"),
		odd(`"requestState"`, `"x2"`, `"RequestState"`, `"requeſtState"`)+":"+odd(`"s"`, `""`, "null", "{}"),
		odd(`"inputResponses"`, `"x3"`, `"inputresponses"`)+":"+answers,
		odd(`"ref"`, `"Ref"`)+":"+odd(`{"type":"ref/prompt","name":"x"}`, `{"URI":"x"}`, "[]", "1"),
		odd(`"argument"`, `"Argument"`)+":"+odd(`{"name":"a","value":"b"}`, `{"Value":"b"}`, "null"),
	)
	ask := object(
		odd(`"method"`, `"Method"`, `"m\u0065thod"`)+":"+odd(`"sampling/createMessage"`, `"elicitation/create"`, `"Sampling/createMessage"`, `"x/y"`, "5"),
		odd(`"params"`, `"PARAMS"`, `"paramſ"`)+":"+odd(object(odd(`"tools"`, `"Tools"`, `"toolſ"`)+":[]", `"messages":[]`), "null", "[]"),
	)
	result := object(
		odd(`"resultType"`, `"ResultType"`, `"r\u0065sultType"`)+":"+pick(`"complete"`, `"input_required"`, `"input_required"`, odd(`"input_requir\u0065d"`, "5")),
		odd(`"inputRequests"`, `"InputRequests"`, `"inputRequestſ"`)+":"+odd(object(`"k":`+ask, `"l":`+ask), value()),
		odd(`"requestState"`, `"RequestState"`)+":"+value(),
	)
	id := odd(`"id"`, `"ID"`, `"\u0069d"`, `"Id"`) + ":" + odd("1", `"1"`, "1.0", "null", "-0", "[]", "9007199254740993")
	if r.IntN(5) == 0 {
		return []byte(object(`"jsonrpc":"2.0"`, id, `"result":`+result) + "\n")
	}
	frame := object(
		odd(`"jsonrpc"`, `"JSONRPC"`, `"j\u0073onrpc"`)+":"+odd(`"2.0"`, `"2\u002e0"`, "2.0", `"1.0"`),
		id,
		odd(`"method"`, `"Method"`, `"m\u0065thod"`)+":"+pick(`"tools/call"`, `"tools/call"`, odd(`"tools\/call"`, `"ping"`, "5", `"Resources/Read"`, `"prompts/get "`), `"resources/read"`, `"prompts/get"`, `"completion/complete"`, `"tasks/update"`),
		odd(`"params"`, `"paramſ"`, `"PARAMS"`)+":"+odd(params, "[]", "null", `"x"`),
		odd(`"z"`, `"result"`, `"error"`, `"Result"`, `"params"`)+":"+value(),
	)
	return []byte(odd("", " ", "\xef\xbb\xbf") + frame + odd("\n", "\r\n", "", frame+"\n", "\x00\n"))
}

func TestGeneratedFramesAreReadAsLenientParsersReadThem(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	refused := map[string]int{}
	kinds := map[Kind]int{}
	calls := map[string]int{}
	var c Classifier
	for range 8000 {
		raw := hostileFrame(r)
		for _, side := range []Side{FromClient, FromServer} {
			f := c.Classify(raw, side, Options{})
			checkFrame(t, f, side)
			kinds[f.Kind]++
			if f.Problem != nil {
				refused[f.Problem.Code]++
			} else if ruleOf(f.Method, side) != nil && side == FromClient || f.ResultType != "" {
				calls[f.Method]++
			}
			if again := Classify(raw, side, Options{}); again.Kind != f.Kind || !bytes.Equal(again.Raw, f.Raw) || again.ID != f.ID {
				t.Fatalf("%q is %v with reused memory and %v with fresh", raw, f.Kind, again.Kind)
			}
		}
	}
	for _, method := range []string{"tools/call", "resources/read", "prompts/get", "completion/complete", "tasks/update", ""} {
		if calls[method] < 100 {
			t.Errorf("%d frames of %q pass; the generator meets too little", calls[method], method)
		}
	}
	if kinds[Refused] < 1000 || len(refused) < 25 {
		t.Errorf("kinds %v, %d codes; the generator meets too little", kinds, len(refused))
	}
}
