package builtin

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// slotTest holds values of one argument against one rule: those that pass, and
// those that do not, by the code that they get.
type slotTest struct {
	name    string
	rule    contract.Arg
	pass    []string
	refused map[string][]string
}

// judgeArguments holds arguments, as JSON, against rules of one tool.
func judgeArguments(t *testing.T, arguments string, rules ...contract.Arg) abi.Verdict {
	t.Helper()
	for i := range rules {
		rules[i].MaxBytes = -1
	}
	c, err := NewArgs(&contract.Rules{Tool: "tool", Args: rules})
	if err != nil {
		t.Fatal(err)
	}
	s := &abi.Snapshot{}
	s.Session.Place = posix
	s.Call.Arguments = value(t, arguments)
	return c.Judge(s)
}

// argumentOf is the JSON of one argument with this text.
func argumentOf(name, text string) string {
	return string(abi.ObjectValue(abi.Member{Name: name, Value: abi.StringValue(text)}).Append(nil))
}

func (test *slotTest) run(t *testing.T, argument string) {
	t.Helper()
	for _, text := range test.pass {
		if got := judgeArguments(t, argumentOf(argument, text), test.rule); got.Outcome < abi.Allow {
			t.Errorf("%q: got %s (%s), want it to pass", text, got.Code, got.Reason)
		}
	}
	refused := 0
	for code, list := range test.refused {
		for _, text := range list {
			got := judgeArguments(t, argumentOf(argument, text), test.rule)
			if refused++; got.Outcome != abi.Deny || got.Code != code {
				t.Errorf("%q: got %v %s (%s), want %s", text, got.Outcome, got.Code, got.Reason, code)
			}
			if got.Reason == "" || got.Mend == "" || strings.Contains(got.Reason+got.Mend, "evil") {
				t.Errorf("%q: reason %q, mend %q", text, got.Reason, got.Mend)
			}
		}
	}
	if len(test.pass) == 0 || refused == 0 {
		t.Fatalf("%d pass, %d are refused; want some of both", len(test.pass), refused)
	}
}

func allowing(slot string, patterns ...string) contract.Arg {
	return contract.Arg{Slot: slot, Allow: patterns, HasAllow: true}
}

func TestURLsAreJudgedByWhereTheyLead(t *testing.T) {
	public := contract.Arg{Slot: "url", Private: true, Schemes: []string{"http", "https"}, Except: []string{"http://localhost:3000", "127.0.0.1:3000", "10.1.0.0/16"}}
	tests := []slotTest{
		{name: "hosts", rule: allowing("url", "*.corp.example", "docs.example", "bücher.example", "[2001:4860:4860::8888]", "8.8.8.8"), pass: []string{
			"https://corp.example/", "https://a.b.corp.example/x", "HTTPS://Docs.EXAMPLE:443", "http://docs.example.:8080/a?b=c#d", "https://xn--bcher-kva.example",
			"https://bücher.example/ö", "https://BÜCHER.example", "http://[2001:4860:4860:0::8888]/", "http://8.8.8.8/", "http://[::ffff:8.8.8.8]/",
			"https://docs.example/?u=http://evil.example/@x", "https://docs.example/?q=two words", "wss://docs.example/socket", "https://docs.example/a,b;c|d",
			"https://docs.example/a,https://a.corp.example/b", "https://docs.example https://corp.example",
		}, refused: map[string][]string{
			"ARGS_URL_OUTSIDE": {
				"https://evilcorp.example/", "https://corp.example.evil.example/", "https://docs.example.evil.example", "https://sub.docs.example/", "https://evil.example/docs.example",
				"https://8.8.8.9/", "data:text/html,evil", "javascript:location='https://evil.example'", "javascript://docs.example/%0aevil()", "data://docs.example/x", "view-source://docs.example", "mailto://docs.example", "file:///etc/passwd", "FILE:///C:/Users", "mailto:x@docs.example",
				"https://docs.example/a,https://evil.example/b", "https://docs.example/ https://evil.example/", "https://docs.example/;https://evil.example", "localhost:3000/x",
			},
			"ARGS_URL_UNDECIDABLE": {
				"https://docs.example@evil.example/", "https://evil.example@docs.example/", "https://docs.example:x@evil.example/", "https://a@b@docs.example/", "https://@docs.example/",
				`https://docs.example\@evil.example/`, `https://evil.example\.docs.example/`, `https:\\docs.example/`, `\\docs.example\share`, `/\evil.example`,
				"http:/docs.example/", "http:docs.example/", "http:///docs.example/", "http:", "https://", "//docs.example/x", "docs.example/x", "/x", "docs",
				" https://docs.example/", "https://docs.example/ ", "\thttps://docs.example/", "https://docs.example/\n", "https://docs.exa\nmple/", "ht\ttps://docs.example/", "\x01https://docs.example/",
				"https://docs%2eexample/", "https://docs.example%2f.evil.example/", "https://docs。example/", "https://docs．example/", "https://ｄocs.example/", "https://doc\u00ads.example/",
				"https://docs.example:443:80/", "https://docs.example:0443/", "https://docs.example:99999/", "https://docs.example:443abc/", "https://docs..example/", "https://.docs.example/",
				"https://{host}/x", "https://${HOST}/x", "https://docs.example#@evil.example/", "https://docs.example evil.example/", "https://docs.example/x evil.example",
				"http://134744072/", "http://0x8.0x8.0x8.0x8/", "http://8.8.2056/", "http://010.8.8.8/", "http://8.8.8.8./", "http://8.8.8.8.8/", "http://[fe80::1%25eth0]/", "http://[8.8.8.8]/",
				"https://faß.docs.example/", "https://xn--a.docs.example/", "https://docs.example\u200b/", "https://[docs.example]/",
			},
			"ARGS_URL_MISSING": {"", "   "},
		}},
		{name: "paths", rule: allowing("url", "https://docs.example/guide/**", "https://api.example:8443/v1/*", "docs://**", "note:**", "http://x.example:*/a b/ü"), pass: []string{
			"https://docs.example/guide", "https://docs.example/guide/", "https://docs.example/guide/a/b?x=../..", "https://docs.example:443/%67uide/x", "https://api.example:8443/v1/items",
			"docs://intro/page", "docs:///page", "note:today", "http://x.example:81/a%20b/%c3%bc", "https://docs.example/guide/100%25",
		}, refused: map[string][]string{
			"ARGS_URL_OUTSIDE": {
				"https://docs.example/", "https://docs.example/guidebook", "https://docs.example/Guide/x", "http://docs.example/guide/x", "https://docs.example:8443/guide/x",
				"https://api.example/v1/items", "https://api.example:8443/v1/items/7", "notes:a", "ftp://x.example/a%20b/%c3%bc", "https://docs.example",
			},
			"ARGS_URL_UNDECIDABLE": {
				"https://docs.example/guide/../admin", "https://docs.example/guide/%2e%2e/admin", "https://docs.example/guide/.%2E/admin", `https://docs.example/guide\..\admin`,
				"https://docs.example/guide/..;/admin", "https://docs.example/guide/%252e%252e/admin", "https://docs.example/guide/..%2fadmin", "https://docs.example//guide/x",
				"https://docs.example/guide/%5c..", "https://docs.example/guide/{+path}", "https://docs.example/guide/%00",
			},
		}},
		{name: "deny", rule: contract.Arg{Slot: "url", Deny: []string{"*.evil.example", "https://docs.example/admin/**", "10.0.0.0/8", "file:**", "[::1]", "::ffff:11.1.0.0/112", "fd00::/16", "fe80::1"}}, pass: []string{
			"https://docs.example/adm", "https://notevil.example/", "http://11.0.0.1/", "http://11.2.0.1/", "https://user@docs.example/", "/relative/evil.example", "docs.example/x", "mailto:x@y.example", "word", "note:today", "two words", "pods/web", "see README.md first", "urn:isbn:1",
			"https://docs.example/?x=https://docs.example/admin/", "git@github.com:o/r.git", "//docs.example/x",
		}, refused: map[string][]string{
			"ARGS_URL_DENIED": {
				"https://Files.EVIL.example./x", "https://evil.example", "evil.example/x", "//evil.example/x", "evil.example:8080/x", "git@evil.example:o/r.git", "https://evil.example@docs.example/",
				"https://docs.example/admin", "https://docs.example/ADMIN/x", "https://docs.example/x/../admin/", "https://docs.example/%61dmin/x", "https://docs.example//admin", `https://docs.example/x\..\admin`,
				"https://docs.example/x/..;/admin/y", "https://docs.example/%2561dmin/x", "http://10.1.2.3/", "http://11.1.2.3/", "http://[::ffff:10.1.2.3]/", "file:///etc/passwd", "http://[0:0:0:0:0:0:0:1]/", "http://[fd00:1::2]/", "http://[FE80:0::1]:80/",
				"view-source:https://evil.example/", "jar:https://evil.example!/x", "feed:https://evil.example", "docs.example, evil.example",
			},
			"ARGS_URL_UNDECIDABLE": {"http://167838211/", "http:evil.example", "javascript:fetch(1)", "data:text/html,x", "https://evil%2eexample/"},
		}},
		{name: "private", rule: public, pass: []string{
			"https://www.example.com/", "http://localhost:3000/health", "http://127.0.0.1:3000/", "http://10.1.2.3/", "https://search.example.com/?q=what+is+169.254.169.254", "https://2852039166.docs.example.com/",
			"http://[2001:4860:4860::8888]/", "http://172.32.0.1/", "http://100.128.0.1/", "http://[64:ff9b::8.8.8.8]/", "https://docs@www.example.com/",
		}, refused: map[string][]string{
			"ARGS_URL_PRIVATE": {
				"http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://100.100.100.200/", "http://2852039166/", "http://0xa9fea9fe/", "http://0x7f.1/", "http://127.1/", "http://0177.0.0.1/",
				"http://0/", "http://0.0.0.0/", "http://[::]/", "http://[::1]/", "http://[::ffff:a9fe:a9fe]/", "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:7f00:1::]/",
				"http://[2001:0:7f00:1::]/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://192.168.0.1/", "http://172.16.0.1/", "http://10.2.0.1/", "http://100.64.0.1/", "http://localhost:9200/", "http://LOCALHOST./", "http://a.localhost/",
				"http://router.local/", "http://db.internal/", "http://redis:6379/", "http://metadata/", "http://127.0.0.1.nip.io/", "http://168.63.129.16/", "http://224.0.0.1/", "http://192.0.0.192/", "http://127.0.0.1:3001/", "https://localhost:3000/",
				"file:///etc/passwd", "localhost:3001", "127.0.0.1/x", "http://127.0.0.1@www.example.com/", "https://www.example.com/,http://127.0.0.1/", "view-source:http://127.0.0.1/",
			},
			"ARGS_URL_SCHEME":      {"ftp://www.example.com/", "gopher://www.example.com/", "data:text/plain,x", "javascript:x"},
			"ARGS_URL_UNDECIDABLE": {"www.example.com"},
		}},
		{name: "private alone", rule: contract.Arg{Slot: "url", Private: true}, pass: []string{"https://www.example.com", "pods/web", "word", "two words", "note:today", "mailto:x@y.example", "www.example.com/x"},
			refused: map[string][]string{"ARGS_URL_PRIVATE": {"localhost", "localhost/x", "127.0.0.1/x", "redis:6379", "http://pods/web", "127.1", "http://localhost@www.example.com/", "//localhost/x", "see 127.0.0.1"}, "ARGS_URL_UNDECIDABLE": {"data:text/html,x", "javascript:x", `x\\y@z`}}},
		{name: "ports", rule: contract.Arg{Slot: "url", Ports: []int64{443, 8443}}, pass: []string{"https://a.example/", "https://a.example:8443", "http://a.example:443/"},
			refused: map[string][]string{"ARGS_URL_PORT": {"http://a.example/", "https://a.example:22/", "ssh://a.example/"}, "ARGS_URL_UNDECIDABLE": {"a.example:443", "data:x,y"}}},
		{name: "schemes", rule: contract.Arg{Slot: "url", Schemes: []string{"HTTPS", "data"}}, pass: []string{"https://a.example/", "HTTPS://a.example:8443", "data:text/plain,x"},
			refused: map[string][]string{"ARGS_URL_SCHEME": {"http://a.example/", "file:///x", "javascript:x"}, "ARGS_URL_UNDECIDABLE": {"//a.example"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, "url") })
	}
	for code, rule := range map[string]contract.Arg{
		"ARGS_URL_OUTSIDE": {Slot: "url", HasAllow: true, Ports: []int64{443}}, "ARGS_URL_SCHEME": {Slot: "url", Schemes: []string{}}, "ARGS_URL_PORT": {Slot: "url", Ports: []int64{}},
	} {
		if got := judgeArguments(t, `{"url":"https://a.example/"}`, rule); got.Code != code {
			t.Errorf("an empty list: got %q (%s), want %q", got.Code, got.Reason, code)
		}
	}
}

func TestHostsAreJudgedInEverySpelling(t *testing.T) {
	tests := []slotTest{
		{name: "allow", rule: allowing("host", "*.corp.example", "db.example:5432", "2001:db8::1", "10.0.0.0/8"), pass: []string{
			"corp.example", "A.Corp.Example.", "a.corp.example:80", "db.example:5432", "2001:db8:0::1", "[2001:db8::1]:80", "10.2.3.4", "https://a.corp.example/x", "a.corp.example, corp.example",
		}, refused: map[string][]string{
			"ARGS_HOST_OUTSIDE":     {"evilcorp.example", "db.example", "db.example:22", "11.0.0.1", "a.corp.example,evil.example", "corp.example evil.example", "localhost"},
			"ARGS_HOST_UNDECIDABLE": {"root@corp.example", "corp.example/x", "corp.example@evil.example", `corp.example\x`, "167772161", "012.0.0.1", "10.0.0.1/8", "*.corp.example", "corp.example\n", "%63orp.example", "fe80::1%eth0", "corp。example", ","},
			"ARGS_HOST_MISSING":     {""},
		}},
		{name: "private", rule: contract.Arg{Slot: "host", Private: true, Deny: []string{"evil.example:22"}}, pass: []string{"a.example", "8.8.8.8", "a.example:22", "evil.example:23"}, refused: map[string][]string{
			"ARGS_HOST_PRIVATE": {"localhost", "127.0.0.1", "::1", "[::1]:80", "2130706433", "0x7f000001", "metadata.google.internal", "web-1", "root@localhost", "http://127.0.0.1/"},
			"ARGS_HOST_DENIED":  {"evil.example:22", "evil.example", "x@evil.example:22"},
		}},
		{name: "ports", rule: contract.Arg{Slot: "host", Ports: []int64{443}}, pass: []string{"a.example:443", "https://a.example"}, refused: map[string][]string{
			"ARGS_HOST_PORT": {"a.example:22", "a.example"}, "ARGS_HOST_UNDECIDABLE": {"a.example:0x1bb"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, "host") })
	}
}

func TestURLsAndHostsAreFoundWhereverTheyStand(t *testing.T) {
	url, host := allowing("url", "docs.example"), allowing("host", "docs.example", "db.example:443")
	cases := []struct {
		rule          contract.Arg
		pass, refused string // arguments
	}{
		{url, `{"urls":["https://docs.example/","https://docs.example/b"]}`, `{"urls":["https://docs.example/","https://evil.example/"]}`},
		{url, `{"request":{"url":"https://docs.example/","method":"GET"}}`, `{"request":{"url":"https://evil.example/","method":"GET"}}`},
		{url, `{"baseUrl":"https://docs.example/"}`, `{"baseUrl":"https://docs.example/","webhook":"https://evil.example/"}`},
		{url, `{"url":{"https://docs.example/":"x"}}`, `{"url":{"https://evil.example/":"x"}}`},
		{url, `{"links":[{"href":"https://docs.example/"}],"link":true}`, `{"link":true}`},
		{url, `{"url":"https://docs.example/","cursor":null}`, `{"url":null}`},
		{contract.Arg{Slot: "url", Private: true}, `{"url":"https://docs.example/","proxy":false}`, `{"url":"https://docs.example/","proxy":"http://127.0.0.1:8080"}`},
		{contract.Arg{Slot: "url", Private: true}, `{"tokens_per_url":"","link":"42nd street"}`, `{"url":2130706433}`},
		{host, `{"host":"docs.example"}`, `{"host":2130706433}`},
		{host, `{"targets":{"host":"docs.example"}}`, `{"targets":{"hosts":["docs.example","evil.example"]}}`},
		{host, `{"host":"db.example","port":443}`, `{"host":"db.example","port":22}`},
		{host, `{"host":"db.example","port":"443"}`, `{"host":"db.example","port":"22"}`},
		{contract.Arg{Slot: "url", Allow: []string{"docs.example"}, JSON: true, HasAllow: true}, `{"data":"{\"url\":\"https://docs.example/\"}"}`, `{"data":"{\"url\":\"https://evil.example/\"}","url":"https://docs.example/"}`},
		{contract.Arg{Slot: "url", Arg: "to", Allow: []string{"docs.example"}, HasAllow: true}, `{"to":"https://docs.example/","url":"x"}`, `{"to":"https://evil.example/"}`},
		{contract.Arg{Slot: "url", Names: []string{"goal"}, Allow: []string{"docs.example"}, HasAllow: true}, `{"goal":"https://docs.example/"}`, `{"goal":"https://evil.example/"}`},
	}
	for i, c := range cases {
		if got := judgeArguments(t, c.pass, c.rule); got.Outcome < abi.Allow {
			t.Errorf("%d: %s: got %s (%s), want it to pass", i, c.pass, got.Code, got.Reason)
		}
		if got := judgeArguments(t, c.refused, c.rule); got.Outcome != abi.Deny {
			t.Errorf("%d: %s passed", i, c.refused)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestPatternsOfURLsThatSayNothingClearAreErrors(t *testing.T) {
	bad := []contract.Arg{
		{Slot: "url", Allow: []string{""}}, {Slot: "url", Allow: []string{"https://a@b.example"}}, {Slot: "url", Allow: []string{"*evil.example"}}, {Slot: "url", Allow: []string{"a.*.example"}},
		{Slot: "url", Allow: []string{"https://docs.example/"}}, {Slot: "url", Allow: []string{"https://docs.example/x?y=1"}}, {Slot: "url", Allow: []string{"docs.example/x"}}, {Slot: "url", Allow: []string{"https:docs.example"}},
		{Slot: "url", Allow: []string{"file:///srv/**"}}, {Slot: "url", Allow: []string{"https://docs.example/../x"}}, {Slot: "url", Allow: []string{"https://docs.example/[x"}}, {Slot: "url", Allow: []string{"10.1.0.0/8"}},
		{Slot: "url", Allow: []string{"010.0.0.1"}}, {Slot: "url", Allow: []string{"docs.example:x"}}, {Slot: "url", Allow: []string{"localhost:*"}}, {Slot: "url", Allow: []string{" docs.example"}}, {Slot: "url", Allow: []string{"docs。example"}}, {Slot: "url", Deny: []string{"*.10.0.0.1"}},
		{Slot: "url", Schemes: []string{"https://"}}, {Slot: "url", Ports: []int64{0}}, {Slot: "url", Ports: []int64{70000}}, {Slot: "host", Allow: []string{"https://docs.example"}}, {Slot: "host", Except: []string{"mailto:x"}, Private: true},
		{Slot: "recipient", Allow: []string{"evil.example"}}, {Slot: "recipient", Allow: []string{"*.evil.example"}}, {Slot: "recipient", Allow: []string{"a@x.example, b@x.example"}}, {Slot: "recipient", Allow: []string{""}},
		{Slot: "recipient", Deny: []string{"*@"}}, {Slot: "recipient", Deny: []string{"#eng-*"}}, {Slot: "recipient", Deny: []string{"a%b@x.example"}}, {Slot: "recipient", Deny: []string{"a\n@x.example"}},
	}
	for _, a := range bad {
		if _, err := NewArgs(&contract.Rules{Args: []contract.Arg{a}}); err == nil {
			t.Errorf("%+v: no error", a)
		} else if m := err.Error(); strings.HasSuffix(m, ".") || strings.Contains(m, "failed to") {
			t.Errorf("error %q is not in the house style", m)
		}
	}
	good := []string{"*", "*.corp.example", "bücher.example", "localhost:3000", "http://localhost:*", "::1", "[::1]:80", "10.0.0.0/8", "fc00::/7", "https://docs.example", "*://docs.example", "https://*.docs.example:8443/a/{b,c}/**", "docs://**", "mailto:**", "file:**"}
	for _, p := range good {
		if _, err := NewArgs(&contract.Rules{Args: []contract.Arg{{Slot: "url", Allow: []string{p}}}}); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	if len(bad) == 0 || len(good) == 0 {
		t.Fatal("no cases")
	}
}

func TestANumberThatTheSchemaCountsIsNoURL(t *testing.T) {
	c, err := NewArgs(&contract.Rules{Args: []contract.Arg{{Slot: "url", Allow: []string{"docs.example"}, MaxBytes: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	for schema, want := range map[string]string{`{"properties":{"per_url":{"type":"integer"}}}`: "", `{"properties":{"per_url":{"type":["integer","string"]}}}`: "ARGS_URL_UNDECIDABLE"} {
		s := &abi.Snapshot{Definition: abi.Definition{Schema: value(t, schema)}}
		s.Call.Arguments = value(t, `{"url":"https://docs.example/","per_url":5}`)
		if got := c.Judge(s); got.Code != want {
			t.Errorf("%s: got %q (%s), want %q", schema, got.Code, got.Reason, want)
		}
	}
}

func TestResourcesAreJudgedByTheirURL(t *testing.T) {
	rules := &contract.Rules{Server: "docs", Kind: abi.KindResource, Tool: "resources/read", Args: []contract.Arg{allowing("url", "https://docs.example/**", "docs://**")}}
	c, err := NewArgs(rules)
	if err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]string{"https://docs.example/a": "", "docs://intro/x": "", "https://evil.example/a": "ARGS_URL_OUTSIDE", "file:///etc/passwd": "ARGS_URL_OUTSIDE", "intro": "ARGS_URL_UNDECIDABLE"} {
		s := &abi.Snapshot{Call: abi.Call{Kind: abi.KindResource, Action: "read", URI: uri}}
		if got := c.Judge(s); got.Code != want {
			t.Errorf("%s: got %q (%s), want %q", uri, got.Code, got.Reason, want)
		}
	}
}

// TestNoSpellingOfADeniedHostPasses writes a denied host in the ways in which
// parsers, resolvers and people write it.
func TestNoSpellingOfADeniedHostPasses(t *testing.T) {
	rules := []contract.Arg{
		{Slot: "url", Deny: []string{"*.evil.example", "169.254.0.0/16", "fd00:ec2::254"}},
		{Slot: "url", Private: true, Deny: []string{"*.evil.example"}},
		allowing("url", "*.docs.example", "8.8.8.8"),
	}
	spellings := []func(string) string{
		func(s string) string { return s }, strings.ToUpper, func(s string) string { return s + "." },
		func(s string) string { return "x." + s }, func(s string) string { return "docs.example@" + s }, func(s string) string { return "u:p@" + s },
		func(s string) string { return s + "@docs.example" }, func(s string) string { return strings.ReplaceAll(s, ".", "%2e") }, func(s string) string { return strings.ReplaceAll(s, ".", "。") },
		func(s string) string { return strings.ReplaceAll(s, "e", "ｅ") }, func(s string) string { return s + `\.docs.example` }, func(s string) string { return s + "#.docs.example" },
		func(s string) string { return s + "?.docs.example" }, func(s string) string { return s + "\t" }, func(s string) string { return s + "%00.docs.example" }, func(s string) string { return s + ":80@docs.example" },
	}
	urls := []func(string) string{
		func(s string) string { return "http://" + s + "/" }, func(s string) string { return "HTTPS://" + s }, func(s string) string { return "http://" + s + ":8080/x" }, func(s string) string { return "ws://" + s },
		func(s string) string { return "//" + s + "/" }, func(s string) string { return "http:/" + s }, func(s string) string { return "http:" + s }, func(s string) string { return `http:\\` + s }, func(s string) string { return "http:///" + s },
		func(s string) string { return "https://docs.example/,http://" + s + "/" }, func(s string) string { return "https://docs.example/ http://" + s }, func(s string) string { return "view-source:http://" + s }, func(s string) string { return " http://" + s },
	}
	hosts := []string{
		"evil.example", "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.16689662", "0xa9.0376.43518", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[0:0:0:0:0:FFFF:A9FE:A9FE]", "[fd00:ec2::254]", "[FD00:0EC2:0::0254]",
	}
	judged := 0
	for _, rule := range rules {
		for _, host := range hosts {
			for _, respell := range spellings {
				for _, wrap := range urls {
					s := wrap(respell(host))
					if got := judgeArguments(t, argumentOf("url", s), rule); got.Outcome != abi.Deny {
						t.Errorf("%q passed %v", s, rule)
					}
					judged++
				}
			}
		}
		if got := judgeArguments(t, argumentOf("url", "https://docs.example/"), rule); got.Outcome < abi.Allow {
			t.Errorf("a plain URL: %v", got)
		}
	}
	if judged == 0 {
		t.Fatal("no cases")
	}
}
