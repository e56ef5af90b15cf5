package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// merges are layers, lowest first, and what they come to for s/t. Each row with
// a stricter result stands beside its looser twin.
var merges = []struct {
	name   string
	layers []string
	get    func(*Policy) string
	want   string
}{
	{"verdict: the higher layer's, if stricter", []string{"tools: {s/t: {verdict: ask}}", "tools: {s/t: {verdict: deny}}"}, verdict, "deny l1.yaml:2: tools.s/t.verdict"},
	{"verdict: a looser one is ignored", []string{"tools: {s/t: {verdict: deny}}", "tools: {s/t: {verdict: ask}}"}, verdict, "deny l0.yaml:2: tools.s/t.verdict"},
	{"verdict: a grant under a glob is ignored", []string{"tools: {s/t: {verdict: ask}}", "tools: {s/*: {verdict: allow}}"}, verdict, "ask l0.yaml:2: tools.s/t.verdict"},
	{"verdict: a grant of exactly the tool holds", []string{"tools: {s/*: {verdict: deny}}", "tools: {s/t: {verdict: allow}}"}, verdict, "allow l1.yaml:2: tools.s/t.verdict"},
	{"verdict: a bare name is a glob over servers", []string{"tools: {s/*: {verdict: deny}}", "tools: {t: {verdict: allow}}"}, verdict, "deny l0.yaml:2: tools.s/*.verdict"},
	{"verdict: replace starts from nothing", []string{"tools: {s/t: {verdict: deny}}", "tools: {s/*: {verdict: ask, replace: true}}"}, verdict, "ask l1.yaml:2: tools.s/*.verdict"},
	{"verdict: replace is for the tools of its key", []string{"tools: {s/t: {verdict: deny}}", "tools: {s/u: {verdict: ask, replace: true}}"}, verdict, "deny l0.yaml:2: tools.s/t.verdict"},
	{"verdict: a whole server's reads as a glob", []string{"servers: {s: {verdict: ask}}", "tools: {s/t: {verdict: allow}}"}, verdict, "allow l1.yaml:2: tools.s/t.verdict"},
	{"verdict: a whole server's looser one is ignored", []string{"tools: {s/t: {verdict: ask}}", "servers: {s: {verdict: allow}}"}, verdict, "ask l0.yaml:2: tools.s/t.verdict"},
	{"verdict: a server's replace", []string{"tools: {s/t: {verdict: deny}}", "servers: {s: {verdict: allow, replace: true}}"}, verdict, "allow l1.yaml:2: servers.s.verdict"},
	{"verdict: in a layer the more specific key", []string{"tools: {\"*/*\": {verdict: deny}, \"*/t\": {verdict: ask}}"}, verdict, `ask l0.yaml:2: tools.*/t.verdict`},
	{"verdict: exact/glob before glob/exact", []string{"tools: {t: {verdict: allow}, s/*: {verdict: ask}}"}, verdict, `ask l0.yaml:2: tools.s/*.verdict`},
	{"verdict: of equal keys the stricter", []string{"tools: {s/t*: {verdict: allow}, \"s/*\": {verdict: ask}}"}, verdict, `ask l0.yaml:2: tools.s/*.verdict`},
	{"verdict: server and glob are equal", []string{"servers: {s: {verdict: deny}}\ntools: {\"s/*\": {verdict: allow}}"}, verdict, `deny l0.yaml:2: servers.s.verdict`},

	{"mode: looser is ignored", []string{"settings: {mode: enforce}", "settings: {mode: observe}"}, mode, "0"},
	{"mode: replaced", []string{"settings: {mode: enforce}", "settings: {mode: observe, replace: [mode]}"}, mode, "1"},
	{"mode: stricter", []string{"settings: {mode: observe}", "settings: {mode: enforce}"}, mode, "0"},
	{"default: stricter", []string{"settings: {default: allow}", "settings: {default: ask}"}, def, "ask l1.yaml:2: settings.default"},
	{"default: looser is ignored", []string{"settings: {default: deny}", "settings: {default: allow}"}, def, "deny l0.yaml:2: settings.default"},
	{"default: replaced", []string{"settings: {default: deny}", "settings: {default: allow, replace: [default]}"}, def, "allow l1.yaml:2: settings.default"},
	{"default: absent in every layer", []string{"name: a", "name: b"}, def, "deny default: settings.default"},
	{"taint: looser is ignored", []string{"settings: {taint: strict}", "settings: {taint: graded}"}, strict, "true"},
	{"taint: graded alone", []string{"settings: {taint: graded}"}, strict, "false"},
	{"unlisted: the stricter", []string{"settings: {unlisted: deny}", "settings: {unlisted: allow}"}, unlisted, "deny"},
	{"unlisted: absent under deny", []string{"settings: {default: deny}"}, unlisted, "deny"},
	{"unlisted: absent under allow", []string{"settings: {default: allow}"}, unlisted, "ask"},
	{"unlisted: absent without a default", []string{"name: a"}, unlisted, "deny"},
	{"unlisted: stated", []string{"settings: {default: deny, unlisted: allow}"}, unlisted, "allow"},
	{"unknown_server: absent without servers", []string{"name: a"}, unknown, "allow"},
	{"unknown_server: absent with servers", []string{"servers: {x: {}}"}, unknown, "ask"},
	{"unknown_server: absent with empty servers", []string{"servers: {}"}, unknown, "ask"},
	{"unknown_server: of a named server", []string{"servers: {s: {}}"}, unknown, "known"},
	{"unknown_server: the stricter", []string{"settings: {unknown_server: deny}", "settings: {unknown_server: allow}"}, unknown, "deny"},
	{"ask_from: the lower risk", []string{"settings: {ask_from: high}", "settings: {ask_from: critical}"}, askFrom, "3"},
	{"ask_from: absent", []string{"name: a"}, askFrom, "0"},
	{"user_context: looser is ignored", []string{"settings: {user_context: false}", "settings: {user_context: true}"}, func(p *Policy) string { return fmt.Sprint(p.Settings().UserContext) }, "false"},
	{"user_context: stated once", []string{"name: a", "settings: {user_context: true}"}, func(p *Policy) string { return fmt.Sprint(p.Settings().UserContext) }, "true"},
	{"sizes and times: the higher layer's", []string{"settings: {max_argument_bytes: 1KiB, max_result_bytes: 1KiB, session_idle: 1h}", "settings: {max_argument_bytes: 1MiB, max_result_bytes: 512, session_idle: 2h}"}, sizes, "1048576 512 2h0m0s"},
	{"sizes and times: absent", []string{"name: a"}, sizes, "1048576 10485760 30m0s"},
	{"max_text: the higher layer's", []string{"settings: {max_text: 2GiB}", "settings: {max_text: 1MiB}"}, func(p *Policy) string { return fmt.Sprint(p.Settings().MaxText) }, "1048576"},
	{"max_text: absent", []string{"name: a"}, func(p *Policy) string { return fmt.Sprint(p.Settings().MaxText) }, "1073741824"},

	{"channels: absent", []string{"name: a"}, channels, "[terminal] default: settings.approval.channels"},
	{"channels: stated once", []string{"settings: {approval: {channels: [elicitation, terminal]}}", "name: a"}, channels, "[terminal elicitation] l0.yaml:2: settings.approval.channels"},
	{"channels: stricter", []string{"settings: {approval: {channels: [terminal, elicitation]}}", "settings: {approval: {channels: [elicitation]}}"}, channels, "[elicitation] l1.yaml:2: settings.approval.channels"},
	{"channels: equal", []string{"settings: {approval: {channels: [terminal, elicitation]}}", "settings: {approval: {channels: [elicitation, terminal]}}"}, channels, "[terminal elicitation] l1.yaml:2: settings.approval.channels"},
	{"channels: looser is ignored", []string{"settings: {approval: {channels: [terminal]}}", "settings: {approval: {channels: [terminal, elicitation]}}"}, channels, "[terminal] l0.yaml:2: settings.approval.channels"},
	{"channels: of two that differ both ways what they share", []string{"settings: {approval: {channels: [terminal, elicitation], " + hook + "}}", "settings: {approval: {channels: [elicitation, webhook]}}"}, channels, "[elicitation] l1.yaml:2: settings.approval.channels https://a.example/x /p/key"},
	{"channels: replaced", []string{"settings: {approval: {channels: [terminal]}}", "settings: {approval: {channels: [elicitation]}, replace: [approval]}"}, channels, "[elicitation] l1.yaml:2: settings.approval.channels"},
	{"channels: replaced by nothing", []string{"settings: {approval: {channels: [elicitation], " + hook + "}}", "settings: {replace: [approval]}"}, channels, "[terminal] default: settings.approval.channels"},
	{"channels: a webhook adds itself where there is no list", []string{"settings: {approval: {" + hook + "}}", "name: a"}, channels, "[terminal webhook] default: settings.approval.channels https://a.example/x /p/key"},
	{"channels: a webhook is not added to a list", []string{"settings: {approval: {channels: [terminal]}}", "settings: {approval: {" + hook + "}}"}, channels, "[terminal] l0.yaml:2: settings.approval.channels https://a.example/x /p/key"},
	{"channels: a webhook in the list", []string{"settings: {approval: {" + hook + "}}", "settings: {approval: {channels: [terminal, webhook]}}"}, channels, "[terminal webhook] l1.yaml:2: settings.approval.channels https://a.example/x /p/key"},
	{"max_asks: absent", []string{"name: a"}, asks, "20 default: settings.max_asks 50s default: settings.approval_timeout"},
	{"max_asks, approval_timeout: the higher layer's", []string{"settings: {max_asks: 5, approval_timeout: 10s}", "settings: {max_asks: 50, approval_timeout: 1m30s}"}, asks, "50 l1.yaml:2: settings.max_asks 1m30s l1.yaml:2: settings.approval_timeout"},
	{"max_asks, approval_timeout: none at all", []string{"settings: {max_asks: 5, approval_timeout: 10s}", "settings: {max_asks: 0, approval_timeout: 0s}"}, asks, "0 l1.yaml:2: settings.max_asks 0s l1.yaml:2: settings.approval_timeout"},
	{"max_asks, approval_timeout: replaced", []string{"settings: {max_asks: 5, approval_timeout: 10s}", "settings: {replace: [max_asks, approval_timeout]}"}, asks, "20 default: settings.max_asks 50s default: settings.approval_timeout"},

	{"approve: absent", []string{"name: a"}, approvals, "0 0s "},
	{"approve: the higher layer's, as a whole", []string{"tools: {s/t: {approve: {scope: args, for: 5m}}}", "tools: {s/t: {approve: {scope: destination}}}"}, approvals, "3 0s l1.yaml:2: tools.s/t.approve"},
	{"approve: the higher layer's under a glob", []string{"tools: {s/t: {approve: {scope: args, for: 5m}}}", "tools: {\"*/*\": {approve: {scope: call}}}"}, approvals, "1 0s l1.yaml:2: tools.*/*.approve"},
	{"approve: in a layer the more specific key", []string{"tools: {s/t: {approve: {for: 30m}}, s/*: {approve: {scope: call}}}"}, approvals, "0 30m0s l0.yaml:2: tools.s/t.approve"},
	{"approve: of equal keys the narrower scope", []string{"tools: {\"s/t*\": {approve: {scope: args}}, \"s/*\": {approve: {for: 1m}}}"}, approvals, "2 0s l0.yaml:2: tools.s/t*.approve"},
	{"approve: of equal keys and scopes the shorter time", []string{"tools: {\"s/t*\": {approve: {scope: args, for: 1m}}, \"s/*\": {approve: {scope: args}}}"}, approvals, "2 1m0s l0.yaml:2: tools.s/t*.approve"},
	{"approve: replaced", []string{"tools: {s/t: {approve: {scope: args}}}", "tools: {s/t: {replace: true}}"}, approvals, "0 0s "},

	{"env: intersection", []string{"servers: {s: {env: [PATH, HOME]}}", "servers: {s: {env: [HOME, TOKEN]}}"}, serverLine, "named [HOME]true"},
	{"env: stated once", []string{"servers: {s: {env: [PATH, HOME]}}", "servers: {s: {}}"}, serverLine, "named [HOME PATH]true"},
	{"env: an empty list", []string{"servers: {s: {env: []}}"}, serverLine, "named []true"},
	{"env: absent", []string{"servers: {x: {env: []}}"}, serverLine, "[]false"},
	{"outputs: the stricter", []string{"servers: {s: {outputs: untrusted}}", "servers: {s: {outputs: trusted}}"}, serverLine, "named []false"},
	{"outputs: stated once", []string{"servers: {s: {outputs: trusted}}", "servers: {s: {}}"}, serverLine, "named []false trusted"},
	{"cwd: joined to the file", []string{"servers: {s: {cwd: mail}}"}, serverLine, "named []false /p/mail"},
	{"text: the higher layer's", []string{"servers: {s: {text: {t: json}}}", "servers: {s: {text: {t: headers}}}"}, func(p *Policy) string { return p.Source("s", "t").Text }, "headers"},
	{"text: an exact name before a glob", []string{"servers: {s: {text: {t: json, \"t*\": prose, \"*\": yaml}}}"}, func(p *Policy) string {
		return p.Source("s", "t").Text + " " + p.Source("s", "tt").Text + " " + p.Source("s", "x").Text
	}, "json prose yaml"},
	{"sources: union", []string{"sources: {s/t: {fields: {/a: trusted, /b: addressing}}}", "sources: {s/*: {whole_field: true, fields: {/a: untrusted}}}"}, sourceLine, "false true map[/a:untrusted /b:addressing]"},
	{"sources: outputs of one tool", []string{"servers: {s: {outputs: untrusted}}", "sources: {s/t: {outputs: trusted}}"}, sourceLine, "true false map[]"},
	{"sources: of another tool", []string{"sources: {s/x: {outputs: trusted, whole_field: true}}"}, sourceLine, "false false map[]"},
	{"sources: dropped by replace", []string{"sources: {s/t: {whole_field: true}}", "tools: {s/t: {replace: true}}"}, sourceLine, "false false map[]"},

	{"args: append, the higher first", []string{"tools: {s/t: {args: [{arg: a, max: 3}]}}", "tools: {s/*: {args: [{arg: a, max: 2}]}}"}, rules, "[a max 2] [a max 3]"},
	{"args: the higher allow list holds, the lower deny stays", []string{"tools: {s/t: {args: [{slot: path, allow: [/a], deny: [/b]}]}}", "tools: {s/t: {args: [{slot: path, allow: [/c]}]}}"}, rules, `[path allow["/c"]] [path deny["/b"]]`},
	{"args: an empty allow list of a higher layer holds", []string{"tools: {s/t: {args: [{slot: path, allow: [/a]}]}}", "tools: {s/t: {args: [{slot: path, allow: []}]}}"}, rules, `[path allow[]]`},
	{"args: also keeps the lower allow list", []string{"tools: {s/t: {args: [{slot: path, allow: [/a]}]}}", "tools: {s/t: {args: [{slot: path, allow: [/c], also: true}]}}"}, rules, `[path allow["/c"]] [path allow["/a"]]`},
	{"args: lists of one layer all hold", []string{"tools: {s/t: {args: [{slot: path, allow: [/a]}]}, s/*: {args: [{slot: path, allow: [/b]}]}}"}, rules, `[path allow["/b"]] [path allow["/a"]]`},
	{"args: the higher in list holds, the other constraints stay", []string{"tools: {s/t: {args: [{arg: x, in: [a], max: 1}]}}", "tools: {s/t: {args: [{arg: x, in: [b]}]}}"}, rules, `[x in["b"]] [x max 1]`},
	{"args: lists of different arguments", []string{"tools: {s/t: {args: [{arg: x, in: [a]}]}}", "tools: {s/t: {args: [{arg: y, in: [b]}]}}"}, rules, `[y in["b"]] [x in["a"]]`},
	{"args: replaced", []string{"tools: {s/t: {args: [{arg: x, in: [a]}]}}", "tools: {s/t: {replace: true}}"}, rules, ""},
	{"sink: union", []string{"tools: {s/t: {sink: {to: [a], trusted: [x@a]}}}", "tools: {s/*: {sink: {to: [b], content: [c], trusted: [y@a]}}}"}, rules, `sink to["a" "b"] content["c"] trusted["x@a" "y@a"]`},
	{"sink: a destination wins over content", []string{"tools: {s/t: {sink: {to: [a], content: [b]}}}", "tools: {s/t: {sink: {to: [b]}}}"}, rules, `sink to["a" "b"] content[] trusted[]`},
	{"sink: an empty list is every argument", []string{"tools: {s/t: {sink: {to: [a]}}}", "tools: {s/t: {sink: {to: []}}}"}, rules, `sink to[] content[] trusted[] all`},
	{"sink: only content is every other argument", []string{"tools: {s/t: {sink: {content: [b]}}}"}, rules, `sink to[] content["b"] trusted[] all`},
	{"sink: only trusted declares none", []string{"tools: {s/t: {sink: {trusted: [x@a], on: {field: deny}, payload: deny, override: once}}}"}, rules, ``},
	{"sink: none does not drop what files declare", []string{"tools: {s/t: {sink: {to: [a]}}}", "tools: {s/t: {sink: none}}"}, rules, `sink to["a"] content[] trusted[]`},
	{"sink: replace does", []string{"tools: {s/t: {sink: {to: [a]}}}", "tools: {s/t: {replace: true}}"}, rules, ``},
	{"sink.on: the higher layer's", []string{"tools: {s/t: {sink: {to: [a], on: {field: deny, part: deny}}}}", "tools: {s/t: {sink: {on: {field: allow}, payload: deny}}}"}, manner, "field=allow part=deny prose=deny payload=deny once=false"},
	{"sink.on: in a layer the more specific key", []string{"tools: {s/t: {sink: {to: [a], on: {field: allow}}}, s/*: {sink: {on: {field: deny}}}}"}, manner, "field=allow part=ask prose=deny payload=ask once=false"},
	{"sink.on: nothing that is not set is looser than unproven", []string{"tools: {s/t: {sink: {to: [a], on: {unproven: deny}}}}"}, manner, "field=deny part=deny prose=deny payload=ask once=false"},
	{"sink.on: what is set may be looser than unproven", []string{"tools: {s/t: {sink: {to: [a], on: {unproven: deny}}}}", "tools: {s/t: {sink: {on: {field: ask}}}}"}, manner, "field=ask part=deny prose=deny payload=ask once=false"},
	{"sink.on: an unproven that passes loosens nothing else", []string{"tools: {s/t: {sink: {to: [a], on: {unproven: allow}}}}"}, manner, "field=ask part=ask prose=deny payload=ask once=false"},
	{"sink.override", []string{"tools: {s/t: {sink: {to: [a], override: once}}}"}, manner, "field=ask part=ask prose=deny payload=ask once=true"},
	{"risk: the higher layer's", []string{"tools: {s/t: {risk: high}}", "tools: {s/t: {risk: low}}"}, risk, "1"},
	{"risk: of equal keys the higher risk", []string{"tools: {s/t*: {risk: high}, \"s/*\": {risk: low}}"}, risk, "3"},
	{"undeclared: looser is ignored", []string{"tools: {s/t: {undeclared: deny}}", "tools: {s/t: {undeclared: sink}}"}, undeclared, "3 l0.yaml:2: tools.s/t.undeclared"},
	{"undeclared: stricter", []string{"tools: {s/t: {undeclared: allow}}", "tools: {s/t: {undeclared: sink}}"}, undeclared, "2 l1.yaml:2: tools.s/t.undeclared"},
	{"max_calls: the higher layer's", []string{"tools: {s/t: {max_calls: 2}}", "tools: {s/*: {max_calls: 9}}"}, budgets, "max_calls 9 max_calls:s/t"},
	{"max_calls: in a layer the more specific key", []string{"tools: {s/t: {max_calls: 9}, s/*: {max_calls: 2}}"}, budgets, "max_calls 9 max_calls:s/t"},
	{"max_calls: of equal keys the fewer", []string{"tools: {\"s/t*\": {max_calls: 9}, \"s/*\": {max_calls: 0}}"}, budgets, "max_calls 0 max_calls:s/t"},
	{"budgets: append", []string{"budgets: [{name: x, tools: [s/t], max: 1}]", "budgets: [{name: y, tools: [s/*, t], max: 2, per: 1h, count: successes, weight: /to}]"}, budgets, "y 2 y 1h0m0s 2 /to, x 1 x"},
	{"budgets: of other tools", []string{"budgets: [{name: x, tools: [s/u], max: 1}]"}, budgets, ""},
}

// hook is a webhook, relative to /p.
const hook = `webhook: "https://a.example/x", webhook_key: key`

func channels(p *Policy) string {
	s := p.Settings()
	return strings.TrimSpace(fmt.Sprint(s.Channels, " ", s.ChannelsAt, " ", s.Webhook, " ", s.WebhookKey))
}
func asks(p *Policy) string {
	s := p.Settings()
	return fmt.Sprint(s.MaxAsks, " ", s.MaxAsksAt, " ", s.ApprovalTimeout, " ", s.ApprovalTimeoutAt)
}
func approvals(p *Policy) string {
	a := p.Rules("s", named("t")).Approve
	return fmt.Sprint(a.Scope, " ", a.For, " ", a.Rule)
}
func verdict(p *Policy) string {
	g := p.Rules("s", named("t")).Grant
	return g.Outcome.String() + " " + g.Rule
}
func mode(p *Policy) string     { return fmt.Sprint(int(p.Settings().Mode)) }
func def(p *Policy) string      { s := p.Settings(); return s.Default.String() + " " + s.DefaultAt }
func strict(p *Policy) string   { return fmt.Sprint(p.Settings().Strict) }
func unlisted(p *Policy) string { return p.Settings().Unlisted.String() }
func unknown(p *Policy) string {
	if g := p.Rules("s", named("t")).Unknown; g != nil {
		return g.Outcome.String()
	}
	return "known"
}
func askFrom(p *Policy) string { return fmt.Sprint(int(p.Settings().AskFrom)) }
func sizes(p *Policy) string {
	s := p.Settings()
	return fmt.Sprint(s.MaxArgumentBytes, s.MaxResultBytes, s.SessionIdle)
}
func serverLine(p *Policy) string {
	s := p.Server("s")
	out := fmt.Sprint(s.Env, s.HasEnv)
	out = strings.ReplaceAll(out, "] ", "]")
	if s.Named {
		out = "named " + out
	}
	if s.Trusted {
		out += " trusted"
	}
	if s.Cwd != "" {
		out += " " + s.Cwd
	}
	return out
}
func sourceLine(p *Policy) string {
	s := p.Source("s", "t")
	return fmt.Sprint(s.Trusted, s.WholeField, s.Fields)
}
func rules(p *Policy) string { return show(p.Rules("s", named("t"))) }
func manner(p *Policy) string {
	s := p.Rules("s", named("t")).Sink
	return fmt.Sprintf("field=%s part=%s prose=%s payload=%s once=%v", s.On[abi.Field], s.On[abi.Part], s.On[abi.Prose], s.Payload, s.Once)
}
func risk(p *Policy) string { return fmt.Sprint(int(p.Rules("s", named("t")).Risk)) }
func undeclared(p *Policy) string {
	r := p.Rules("s", named("t"))
	return fmt.Sprintf("%d %s", r.Undeclared, r.UndeclaredAt)
}
func budgets(p *Policy) string {
	var list []string
	for _, b := range p.Budgets("s", named("t")) {
		s := fmt.Sprintf("%s %d %s", b.Name, b.Max, b.Scope)
		if b.Window != 0 {
			s += fmt.Sprintf(" %s %d %s", b.Window, b.Count, b.Weight)
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func TestLayersJoinAsTheTableSays(t *testing.T) {
	ran := 0
	for _, m := range merges {
		t.Run(m.name, func(t *testing.T) {
			var texts []string
			for _, l := range m.layers {
				texts = append(texts, head(l))
			}
			p := layered(t, texts...)
			if got := m.get(p); got != m.want {
				t.Errorf("%s, want %s", got, m.want)
			}
			q, err := Decode(p.Value())
			if err != nil {
				t.Fatal(err)
			}
			if got := m.get(q); got != m.want {
				t.Errorf("decoded: %s, want %s", got, m.want)
			}
		})
		ran++
	}
	if ran == 0 {
		t.Fatal("no cases")
	}
}

func TestFloorIsJudgedOnItsOwn(t *testing.T) {
	floored := func(main, floor string) *Policy {
		m := memory{"/p/a.yaml": head(main), "/p/f.yaml": head(floor)}
		p, err := Load(Options{Files: []string{"/p/a.yaml"}, Floor: "/p/f.yaml", Read: m.read})
		if err != nil {
			t.Fatal(err)
		}
		q, err := Decode(p.Value())
		if err != nil || !q.Value().Equal(p.Value()) {
			t.Fatalf("does not decode: %v", err)
		}
		return q
	}
	p := floored("settings: {default: allow}", "budgets: [{name: x, tools: [s/t], max: 1}]\ntools: {s/t: {max_calls: 3}}")
	f := p.Floor()
	d := defined("t", "to", "path")
	if r := f.Rules("s", d); r.Default != abi.Abstain || r.Unlisted != abi.Abstain || r.Sink != nil || len(r.Args) != 0 || r.MaxArgumentBytes != 0 || r.Unknown.Outcome != abi.Allow {
		t.Errorf("floor without a default: %+v", r)
	}
	if got := fmt.Sprint(f.Budgets("s", d)[0].Scope, " ", f.Budgets("s", d)[1].Scope); got != "floor:max_calls:s/t floor:x" {
		t.Errorf("scopes %s", got)
	}
	if r := p.Rules("s", d); r.Default != abi.Allow || r.Sink == nil {
		t.Errorf("policy above a floor: %+v", r)
	}
	p = floored("settings: {default: allow, user_context: true}\nservers: {s: {outputs: trusted, env: [A, B]}}", "settings: {default: deny, user_context: false, max_result_bytes: 10}\nservers: {s: {outputs: untrusted, env: [B]}}")
	if r := p.Floor().Rules("s", d); r.Default != abi.Deny || r.Unlisted != abi.Deny {
		t.Errorf("floor with a default: %+v", r)
	}
	if s := p.Settings(); s.UserContext || s.MaxResultBytes != 10 {
		t.Errorf("settings above a floor: %+v", s)
	}
	if s := p.Server("s"); s.Trusted || !slices.Equal(s.Env, []string{"B"}) || p.Source("s", "t").Trusted {
		t.Errorf("server above a floor: %+v", s)
	}
	p = floored("settings: {max_asks: 9, approval: {channels: [terminal, elicitation], "+hook+"}}\ntools: {s/t: {approve: {scope: args}}}", "settings: {max_asks: 4, approval: {channels: [terminal, webhook]}}\ntools: {s/t: {approve: {scope: call}}}")
	if got := channels(p) + " " + fmt.Sprint(p.Settings().MaxAsks, p.Settings().MaxAsksAt); got != "[terminal] f.yaml:2: settings.approval.channels https://a.example/x /p/key 4f.yaml:2: settings.max_asks" {
		t.Errorf("approval above a floor: %s", got)
	}
	if a, b := p.Rules("s", d).Approve, p.Floor().Rules("s", d).Approve; a.Scope != contract.ScopeArgs || b.Scope != contract.ScopeCall {
		t.Errorf("approve above a floor: %v, %v", a, b)
	}
	p = floored("settings: {max_asks: 3, approval: {channels: [terminal]}}", "settings: {max_asks: 4, approval: {channels: [terminal, elicitation]}}")
	if got := channels(p) + " " + p.Settings().MaxAsksAt; got != "[terminal] a.yaml:2: settings.approval.channels a.yaml:2: settings.max_asks" {
		t.Errorf("approval above a looser floor: %s", got)
	}
	p = floored("settings: {max_asks: 300, approval: {channels: [elicitation]}}", "name: f")
	if got := channels(p) + " " + p.Settings().MaxAsksAt; got != "[elicitation] a.yaml:2: settings.approval.channels a.yaml:2: settings.max_asks" {
		t.Errorf("approval above a silent floor: %s", got)
	}
	p = floored("settings: {user_context: true}\nservers: {s: {outputs: trusted, env: [A, B]}}", "name: f")
	if s := p.Server("s"); !s.Trusted || !slices.Equal(s.Env, []string{"A", "B"}) || !p.Settings().UserContext || p.Settings().MaxResultBytes != 10<<20 {
		t.Errorf("server above a silent floor: %+v", s)
	}
}

func TestArgsKeepWhatTheFileSays(t *testing.T) {
	p := mustLoad(t, head("tools: {s/t: {slots: {dst: path}, args: [{slot: path, allow: [/a], deny: [/b], literal: true, fold: true, symlinks: lexical, verdict: ask}, {arg: /x/y, match: 'a+', in: [1], max: 1e3, min: -1, max_bytes: 1KiB, forbid: true}]}}"))
	got := p.Rules("s", named("t")).Args
	want := []contract.Arg{
		{Rule: "team.yaml:2: tools.s/t.args[0]", Outcome: abi.Ask, Slot: "path", Names: []string{"dst"}, HasAllow: true, Allow: []string{"/a"}, Deny: []string{"/b"}, Literal: true, Fold: true, MaxBytes: -1},
		{Rule: "team.yaml:2: tools.s/t.args[1]", Outcome: abi.Deny, Arg: "/x/y", Match: "a+", In: []abi.Value{abi.IntValue(1)}, HasIn: true, Max: "1e3", Min: "-1", MaxBytes: 1024, Forbid: true},
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestHorizonIsTheLongestMemory(t *testing.T) {
	if h := mustLoad(t, head("budgets: [{name: x, tools: [s/t], max: 1, per: 24h}]")).Horizon(); h != 24*time.Hour {
		t.Errorf("horizon %s", h)
	}
	if h := mustLoad(t, head("settings: {session_idle: 5m}")).Horizon(); h != 5*time.Minute {
		t.Errorf("horizon %s", h)
	}
}
