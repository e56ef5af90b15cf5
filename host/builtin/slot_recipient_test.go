package builtin

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

func TestRecipientsAreJudgedByWhereTheyGo(t *testing.T) {
	tests := []slotTest{
		{name: "domain", rule: allowing("recipient", "*@example.com", "*@*.corp.example", "*@bücher.example"), pass: []string{
			"ops@example.com", "Ops+alerts@Example.COM", `"Finance" <finance@example.com>`, `"Desk, Ops" <ops@example.com>`, "ops@example.com, sales@example.com", "ops@example.com;sales@example.com",
			"Team: a@example.com, b@example.com;", "ops@example.com (on call)", "mailto:ops@example.com?cc=a@example.com&subject=hi", "<ops@example.com>", "a@corp.example", "a@b.corp.example",
			"x@xn--bcher-kva.example", "ops@example.com.", "first.last@example.com", `"finance@example.com" <finance@example.com>`, "bounce+a=b.com@example.com",
		}, refused: map[string][]string{
			"ARGS_RECIPIENT_OUTSIDE": {
				"x@evil.example", `"finance@example.com" <x@evil.example>`, "x@evil.example, ops@example.com", "ops@example.com;x@evil.example", "ops@example.com x@evil.example", "ops@evilexample.com",
				"ops@example.com.evil.example", "example.com@evil.example", "ops@sub.example.com", "Team: a@example.com, x@evil.example;", "mailto:ops@example.com?bcc=x@evil.example", "mailto:ops@example.com?cc=a@example.com,x@evil.example",
				`"x@evil.example, y" <ops@example.com>`, "#general", "@ops", "Ops", "+15550100", "a@evil.example@example.com", "x@[127.0.0.1]", "x@evilcorp.example", "ops@example.com <x@evil.example>",
				"ops@example.com (x@evil.example)",
			},
			"ARGS_RECIPIENT_UNDECIDABLE": {
				"ops@example.com\r\nBcc: x@evil.example", "ops@example.com\n", "ops@exam\tple.com", "ops@example.com\x00", "mailto:ops@example.com?cc=a@example.com%0d%0aBcc:x@evil.example", "ops\u200b@example.com", "ops＠example.com",
				"x%evil.example@example.com", "evil.example!x@example.com", `"x y"@example.com`, "=?utf-8?q?x=40evil.example=3e=00?=y@example.com", "ops%40example.com", "ops@example.com (x@evil.example",
			},
			"ARGS_RECIPIENT_MISSING": {"", "  "},
		}},
		{name: "exact", rule: allowing("recipient", "pat@example.com", "#general", "@ana", "C0123ABC", "+1 555 0100"), pass: []string{
			"pat@example.com", "Pat <pat@EXAMPLE.com>", "#general", "general", "@ana", "C0123ABC", "+15550100", "+1 (555) 0100", "tel:+1-555-0100",
		}, refused: map[string][]string{"ARGS_RECIPIENT_OUTSIDE": {
			"Pat@example.com", "pat+x@example.com", "#General", "#general-evil", "@Ana", "ana", "#ana", "C0123ABD", "c0123abc", "+15550199", "15550100", "#general, #random",
		}}},
		{name: "deny", rule: contract.Arg{Slot: "recipient", Deny: []string{"*@*.evil.example", "pat@example.com", "#general", "@ana", "+15550199"}}, pass: []string{
			"a@notevil.example", "pat2@example.com", "#random", "+15550100", "Bob", "a@example.com, b@example.com",
		}, refused: map[string][]string{"ARGS_RECIPIENT_DENIED": {
			"a@EVIL.example", "a@mail.evil.example", `"b@example.com" <a@evil.example>`, "b@example.com,a@evil.example", "please ask a@evil.example about it", "Pat@Example.com", "pat+tag@example.com", "PAT@example.com", "#General", "general",
			"@Ana", "ana", "+1-555-0199", "15550199", "0015550199", "whatsapp:+15550199", "sip:a@evil.example", `"a@evil.example" <b@example.com>`, "mailto:b@example.com?cc=a@evil.example",
		}, "ARGS_RECIPIENT_UNDECIDABLE": {"b@example.com\nBcc: a@evil.example", "a%evil.example@example.com"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, "to") })
	}
}

func TestRecipientsAreFoundInEveryForm(t *testing.T) {
	ours := allowing("recipient", "*@example.com", "C1", "15550100")
	cases := []struct{ pass, refused string }{
		{`{"to":["ops@example.com"],"bcc":["archive@example.com"],"cc":"","subject":"x@evil.example"}`, `{"to":["ops@example.com"],"bcc":["drop@evil.example"]}`},
		{`{"to":[{"name":"Ops","email":"ops@example.com"}]}`, `{"to":[{"name":"Ops","email":"x@evil.example"}]}`},
		{`{"to":{"address":"ops@example.com","name":"Ops"}}`, `{"to":{"address":"x@evil.example"}}`},
		{`{"to":{"emailAddress":{"address":"ops@example.com","name":"Ops"}}}`, `{"to":{"emailAddress":{"address":"x@evil.example"}}}`},
		{`{"toRecipients":[{"emailAddress":{"address":"ops@example.com"}}]}`, `{"toRecipients":[{"emailAddress":{"address":"ops@example.com","name":"x@evil.example,"}}]}`},
		{`{"to":{"ops@example.com":"Ops"}}`, `{"to":{"x@evil.example":"Ops"}}`},
		{`{"to":[{"email":"ops@example.com","name":"Ops","role":"chair","optional":false}]}`, `{"to":[{"email":"ops@example.com","address":"x@evil.example"}]}`},
		{`{"to":{"email":"ops@example.com","cc":["a@example.com"]}}`, `{"to":{"email":"ops@example.com","bcc":["x@evil.example"]}}`},
		{`{"to":{"email":"ops@example.com","name":"Ops"}}`, `{"to":{"email":"ops@example.com","name":"Ops\r\nBcc: x"}}`},
		{`{"to":{"email":"ops@example.com"}}`, `{"to":{"email":""}}`},
		{`{"headers":[{"name":"To","value":"ops@example.com"},{"name":"X-Tag","value":"evil"}]}`, `{"to":"ops@example.com","headers":[{"name":"Bcc","value":"x@evil.example"}]}`},
		{`{"headers":{"To":"ops@example.com","Subject":"s"}}`, `{"to":"ops@example.com","headers":{"Bcc":"x@evil.example"}}`},
		{`{"message":{"personalizations":[{"to":[{"email":"ops@example.com"}]}]}}`, `{"message":{"personalizations":[{"to":[{"email":"ops@example.com"}],"cc":[{"email":"x@evil.example"}]}]}}`},
		{`{"to":{"ops@example.com":true}}`, `{"to":{"ops@example.com":true,"#random":true}}`},
		{`{"channel":"C1","text":"hi"}`, `{"channel":"C2","text":"hi"}`},
		{`{"chat_id":15550100}`, `{"chat_id":15550199}`},
		{`{"email_to":"ops@example.com","from_email":"me@elsewhere.example"}`, `{"email_to":"x@evil.example"}`},
		{`{"recipient":"ops@example.com"}`, `{"recipient":"ops@example.com","to":"x@evil.example"}`},
		{`{"to":"ops@example.com"}`, `{"subject":"s"}`},
		{`{"to":"ops@example.com"}`, `{"to":[]}`},
		{`{"attendees":[{"email":"ops@example.com","responseStatus":"accepted"}]}`, `{"attendees":[["x@evil.example"]]}`},
	}
	for i, c := range cases {
		if got := judgeArguments(t, c.pass, ours); got.Outcome < abi.Allow {
			t.Errorf("%d: %s: got %s at %q (%s), want it to pass", i, c.pass, got.Code, got.At, got.Reason)
		}
		if got := judgeArguments(t, c.refused, ours); got.Outcome != abi.Deny {
			t.Errorf("%d: %s passed", i, c.refused)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// FuzzRecipient holds what an allow list lets through against a plain reading:
// every word of it that has an @ inside ends in an allowed domain.
func FuzzRecipient(f *testing.F) {
	for _, s := range []string{
		"ops@example.com", `"Desk, Ops" <ops@example.com>`, "Team: a@example.com, b@example.com;", "mailto:ops@example.com?cc=x@evil.example", "ops@example.com (x@evil.example)",
		"x@evil.example;ops@example.com", "<ops@example.com>x@evil.example", `"a@b"@example.com`, "ops@example.com\nBcc: x@evil.example", "a@example.com@evil.example", "ops@EXAMPLE.com.", "@ops", "x!y@example.com",
	} {
		f.Add(s)
	}
	allow, err := newRecipientMatcher(&contract.Arg{Allow: []string{"*@example.com"}})
	if err != nil {
		f.Fatal(err)
	}
	deny, err := newRecipientMatcher(&contract.Arg{Deny: []string{"*@*.example.com"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := abi.StringValue(s)
		one, two := allow.judge(v, nil), allow.judge(v, nil)
		if one != two {
			t.Fatalf("%q: %v and %v", s, one, two)
		}
		if one.code != "" || strings.TrimSpace(s) == "" {
			return
		}
		if deny.judge(v, nil).code == "" {
			t.Fatalf("%q is inside *@example.com, and no deny of that finds it", s)
		}
		if hasPrefixFold(s, "mailto:") {
			return
		}
		for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,;<>()\t\"", r) }) {
			_, domain, ok := strings.Cut(word, "@")
			if domain = strings.TrimRight(strings.ToLower(domain), ".:'`*[]{}!?"); ok && domain != "example.com" && domain != "" {
				t.Fatalf("%q passed with %q in it", s, word)
			}
		}
	})
}
