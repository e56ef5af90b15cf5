package policy

import (
	"reflect"
	"strings"
	"testing"
)

// TestWhatWaitsForAPersonAndWhatDoesNot holds changes of one file in both
// directions: what tightens one way loosens the other, unless both is unknown.
func TestWhatWaitsForAPersonAndWhatDoesNot(t *testing.T) {
	const tightens, loosens, unknown = "tightens", "loosens", "unknown"
	cases := []struct {
		name     string
		old, new string
		is       string // what old → new is; the other way is the opposite, or unknown too
		where    string // in what is said of the way that loosens
	}{
		{"a denied tool", "tools: {a/b: {max_calls: 3}}", "tools: {a/b: {max_calls: 3, verdict: deny}}", tightens, "tools.a/b.verdict"},
		{"from allow to ask", "tools: {a/b: {verdict: allow}}", "tools: {a/b: {verdict: ask}}", tightens, "2: tools.a/b.verdict: ask → allow"},
		{"a grant less", "tools: {a/b: {verdict: allow}}", "tools: {}", tightens, "tools.a/b.verdict"},
		{"an ask less", "tools: {a/b: {verdict: ask}}", "tools: {}", unknown, "tools.a/b.verdict"},
		{"a lower limit", "tools: {a/b: {max_calls: 3}}", "tools: {a/b: {max_calls: 2}}", tightens, "max_calls: 2 → 3"},
		{"a limit where there was none", "tools: {}", "tools: {a/b: {max_calls: 2}}", unknown, "max_calls: unset → 2"},
		{"no call at all", "tools: {}", "tools: {a/b: {max_calls: 0}}", tightens, "max_calls: removed"},
		{"a shorter list", "tools: {a/b: {args: [{slot: path, allow: [/srv/a, /srv/b]}]}}", "tools: {a/b: {args: [{slot: path, allow: [/srv/a]}]}}", tightens, "args[0].allow: not shown to be as strict as before"},
		{"a first list", "tools: {a/b: {args: [{slot: path}]}}", "tools: {a/b: {args: [{slot: path, allow: [/srv/a]}]}}", unknown, "args[0].allow"},
		{"a list beside what holds", "tools: {a/b: {args: [{slot: path, deny: [/srv/a]}]}}", "tools: {a/b: {args: [{slot: path, deny: [/srv/a]}, {slot: path, allow: [/srv/**], also: true}]}}", tightens, "args[1]: removed"},
		{"a longer list of what is denied", "tools: {a/b: {args: [{slot: path, deny: [/srv/a]}]}}", "tools: {a/b: {args: [{slot: path, deny: [/srv/b, /srv/a]}]}}", tightens, "args[0].deny"},
		{"links that are followed", "tools: {a/b: {args: [{slot: path, allow: [/srv/a]}]}}", "tools: {a/b: {args: [{slot: path, allow: [/srv/a], symlinks: resolve}]}}", tightens, "symlinks"},
		{"from ask to deny", "tools: {a/b: {args: [{arg: x, max: 3, verdict: ask}]}}", "tools: {a/b: {args: [{arg: x, max: 3}]}}", tightens, "args[0].verdict"},
		{"a smaller number", "tools: {a/b: {args: [{arg: x, max: 3, min: 1}]}}", "tools: {a/b: {args: [{arg: x, max: 2.5, min: 2}]}}", tightens, "args[0].max"},
		{"another expression", "tools: {a/b: {args: [{arg: x, match: a+}]}}", "tools: {a/b: {args: [{arg: x, match: a}]}}", unknown, `args[0].match: "a+" → a`},
		{"the order of rules", "tools: {a/b: {args: [{arg: x, max: 3}, {arg: y, max: 3}]}}", "tools: {a/b: {args: [{arg: y, max: 3}, {arg: x, max: 3}]}}", "same", ""},
		{"a destination less that is trusted", "tools: {a/b: {sink: {to: [x], trusted: [\"*@corp.example\", pat@x.example]}}}", "tools: {a/b: {sink: {to: [x], trusted: [\"*@corp.example\"]}}}", tightens, "sink.trusted"},
		{"a further destination", "tools: {a/b: {sink: {to: [x]}}}", "tools: {a/b: {sink: {to: [x, y]}}}", tightens, "sink.to"},
		{"every argument", "tools: {a/b: {sink: {to: [x]}}}", "tools: {a/b: {sink: {to: []}}}", tightens, "sink.to"},
		{"the guesses again", "tools: {a/b: {sink: none}}", "tools: {a/b: {}}", tightens, "a/b.sink"},
		{"content less", "tools: {a/b: {sink: {to: [x], content: [y, z]}}}", "tools: {a/b: {sink: {to: [x], content: [y]}}}", tightens, "sink.content"},
		{"a position", "tools: {a/b: {sink: {to: [x], on: {prose: ask}}}}", "tools: {a/b: {sink: {to: [x], on: {prose: deny}}}}", tightens, "sink.on.prose"},
		{"no override", "tools: {a/b: {sink: {to: [x], override: once}}}", "tools: {a/b: {sink: {to: [x]}}}", tightens, "sink.override"},
		{"a condition more", "tools: {a/b: {verdict: deny}}\nlabels: [{name: s, from: [a/c]}]", "tools: {a/b: {verdict: deny, when: {labels: [s]}}}\nlabels: [{name: s, from: [a/c]}]", unknown, "when"},
		{"an entry with a condition", "labels: [{name: s, from: [a/c]}]", "tools: {a/b: {verdict: ask, when: {labels: [s]}}}\nlabels: [{name: s, from: [a/c]}]", tightens, "a/b.verdict: removed"},
		{"nothing of below", "tools: {a/b: {verdict: deny}}", "tools: {a/b: {verdict: deny, replace: true}}", unknown, "replace"},
		{"what a yes reaches", "tools: {a/b: {approve: {scope: args}}}", "tools: {a/b: {approve: {scope: call}}}", unknown, "approve"},
		{"a hidden tool", "tools: {a/b: {verdict: ask}}", "tools: {a/b: {verdict: ask, hide: true}}", tightens, "hide"},
		{"a risk", "tools: {a/b: {risk: low}}", "tools: {a/b: {risk: high}}", tightens, "risk"},
		{"arguments that nobody declared", "tools: {a/b: {undeclared: sink}}", "tools: {a/b: {undeclared: deny}}", tightens, "undeclared"},
		{"arguments that nobody declared, of one tool of many", "tools: {\"a/*\": {undeclared: deny}}", "tools: {\"a/*\": {undeclared: deny}, a/b: {undeclared: sink}}", unknown, "a/b.undeclared"},
		{"denied at last", "tools: {a/b: {undeclared: sink}}", "tools: {a/b: {undeclared: sink}, \"a/*\": {undeclared: deny}}", tightens, "a/*.undeclared: removed"},
		{"a sink that names its content alone", "tools: {a/b: {verdict: ask}}", "tools: {a/b: {verdict: ask, sink: {content: [x]}}}", unknown, "a/b.sink: declares no sink any more"},
		{"one destination instead of all", "tools: {\"a/*\": {sink: {content: [x]}}}", "tools: {\"a/*\": {sink: {content: [x]}}, a/b: {sink: {to: [y]}}}", unknown, "a/b.sink.to"},
		{"one more destination", "tools: {\"a/*\": {sink: {to: [x]}}}", "tools: {\"a/*\": {sink: {to: [x]}}, a/b: {sink: {to: [y]}}}", tightens, "a/b.sink"},
		{"guesses instead of all", "tools: {\"a/*\": {sink: {content: [x]}}, a/b: {sink: none}}", "tools: {\"a/*\": {sink: {content: [x]}}}", unknown, "a/b.sink"},
		{"a place where a value is found", "tools: {a/b: {args: [{slot: path, allow: [/srv/a]}]}}", "tools: {a/b: {args: [{slot: path, allow: [/srv/a]}], slots: {x: path}}}", unknown, "a/b.slots"},
		{"what nobody vouches for", "tools: {a/b: {args: [{arg: x, origin: [client]}]}}", "tools: {a/b: {args: [{arg: x, origin: [client], verdict: deny}]}}", tightens, "args[0].verdict"},
		{"what nobody vouches for asks", "tools: {a/b: {args: [{arg: x, origin: [client], verdict: ask}]}}", "tools: {a/b: {args: [{arg: x, origin: [client]}]}}", tightens, "args[0].verdict"},
		{"a list instead of a word", "servers: {a: {requests: {sampling: allow}}}", "servers: {a: {requests: {sampling: {args: [{arg: x, in: [a]}]}}}}", unknown, "sampling.args[0]"},
		{"a rule instead of a word", "servers: {a: {requests: {sampling: allow}}}", "servers: {a: {requests: {sampling: {args: [{arg: x, max: 3}]}}}}", tightens, "sampling"},
		{"a word that denies instead of a list", "servers: {a: {requests: {sampling: {args: [{arg: x, max: 3}]}}}}", "servers: {a: {requests: {sampling: deny}}}", tightens, "sampling"},
		{"a loosening beside what tightens", "tools: {a/b: {verdict: allow}, a/c: {max_calls: 1}}", "tools: {a/b: {verdict: deny}, a/c: {max_calls: 2}}", unknown, "a/c.max_calls"},
		{"a budget more", "budgets: [{name: x, tools: [a/b], max: 3}]", "budgets: [{name: x, tools: [a/b], max: 3}, {name: y, tools: [a/b], max: 3}]", tightens, "budgets[1]: removed"},
		{"a lower budget", "budgets: [{name: x, tools: [a/b], max: 3}]", "budgets: [{name: x, tools: [a/b], max: 2}]", tightens, "budgets[0].max"},
		{"another period", "budgets: [{name: x, tools: [a/b], max: 3, per: 1h}]", "budgets: [{name: x, tools: [a/b], max: 3, per: 2h}]", unknown, "budgets[0].per"},
		{"a wider flow", "labels: [{name: s, from: [p/q]}]\nflows: [{name: x, label: s, to: [a/b]}]", "labels: [{name: s, from: [p/q]}]\nflows: [{name: x, label: s, to: [a/c, a/b]}]", tightens, "flows[0].to"},
		{"an audience", "labels: [{name: s, from: [a/b]}]", "labels: [{name: s, from: [a/b], audience: [\"*@x.example\"]}]", loosens, "labels[0].audience"},
		{"a chain", "chains: []", "chains: [{name: x, from: [a/b], to: [a/c]}]", tightens, "chains[0]: removed"},
		{"a schedule", "schedules: []", "schedules: [{name: x, tools: [a/b], allow: []}]", tightens, "schedules[0]: removed"},
		{"the first identity", "tools: {}", "identities: [{name: x, match: {subject: y}}]", tightens, "identities"},
		{"a caller more", "identities: [{name: x, match: {subject: y}}]", "identities: [{name: x, match: {subject: y}}, {name: z, match: {subject: z}}]", unknown, "identities"},
		{"what vouches", "sources: {a/b: {whole_field: true}}", "tools: {}", tightens, "sources.a/b"},
		{"a server that is named", "servers: {a: {verdict: deny}}", "servers: {a: {verdict: deny}, c: {}}", loosens, "servers.c: the server is not unknown any more"},
		{"a variable less", "servers: {a: {env: [PATH, HOME]}}", "servers: {a: {env: [PATH]}}", tightens, "servers.a.env"},
		{"variables that are named", "servers: {a: {}}", "servers: {a: {env: [PATH]}}", tightens, "servers.a.env: removed"},
		{"what may be launched", "servers: {a: {}}", "servers: {a: {attest: {sha256: " + digestA + "}}}", tightens, "servers.a.attest: removed"},
		{"something else that may be launched", "servers: {a: {attest: {sha256: " + digestB + "}}}", "servers: {a: {attest: {sha256: " + digestA + "}}}", unknown, "servers.a.attest"},
		{"another directory", "servers: {a: {cwd: /srv/a}}", "servers: {a: {cwd: /srv/b}}", unknown, "servers.a.cwd"},
		{"a request of the server", "servers: {a: {requests: {sampling: allow}}}", "servers: {a: {requests: {sampling: deny}}}", tightens, "servers.a.requests.sampling"},
		{"resources", "servers: {a: {resources: {verdict: allow}}}", "servers: {a: {resources: {verdict: allow, args: [{slot: path, deny: [/srv/a]}]}}}", tightens, "servers.a.resources.args[0]: removed"},
		{"a pack by hand", "servers: {a: {}}", "servers: {a: {pack: gmail}}", unknown, "servers.a.pack"},
		{"fewer packs", "packs: auto", "packs: none", unknown, "packs"},
		{"a stricter setting", "settings: {unlisted: ask}", "settings: {unlisted: deny}", tightens, "settings.unlisted: deny → ask"},
		{"tools that ask", "settings: {ask_from: high}", "settings: {ask_from: low}", tightens, "settings.ask_from"},
		{"smaller arguments", "settings: {max_argument_bytes: 2KiB}", "settings: {max_argument_bytes: 1KiB}", tightens, "settings.max_argument_bytes: 1024 → 2048"},
		{"fewer questions", "settings: {max_asks: 3}", "settings: {max_asks: 2}", tightens, "settings.max_asks"},
		{"who may answer", "settings: {approval: {channels: [terminal, elicitation]}}", "settings: {approval: {channels: [terminal]}}", tightens, "elicitation may answer"},
		{"another time of rest", "settings: {session_idle: 1h}", "settings: {session_idle: 2h}", unknown, "settings.session_idle"},
		{"what blocks", "settings: {mode: observe}", "settings: {mode: enforce}", tightens, "settings.mode: enforce → observe"},
		{"what nothing grants", "settings: {default: allow}", "settings: {default: ask}", tightens, "settings.default: ask → allow"},
		{"what nothing grants any more", "settings: {default: ask}", "settings: {}", tightens, "settings.default: deny → ask"},
		{"taint that is graded again", "settings: {taint: strict}", "settings: {}", loosens, "default: settings.taint: strict → graded"},
		{"a name and comments", "name: a # x", "name: b", "same", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			old, new := mustLoad(t, head(c.old)), mustLoad(t, head(c.new))
			there, back := Loosens(old, new), Loosens(new, old)
			if waits := len(there) > 0; waits != (c.is == unknown || c.is == loosens) {
				t.Errorf("%s: %q", c.is, there)
			}
			if c.is == "same" {
				if len(back) > 0 {
					t.Errorf("the other way: %q", back)
				}
				return
			}
			if waits := len(back) > 0; waits == (c.is == loosens) {
				t.Errorf("the other way: %q", back)
			}
			if said := strings.Join(append(there, back...), "\n"); !strings.Contains(said, c.where) {
				t.Errorf("%q is not said of:\n%s", c.where, said)
			}
		})
	}
	if len(cases) < 50 {
		t.Fatalf("%d cases", len(cases))
	}
}

func TestLayersThatComeAndGo(t *testing.T) {
	files := memory{
		"/p/a.yaml": head("include: [b.yaml]", "tools: {a/b: {verdict: ask}}"),
		"/p/b.yaml": head("tools: {a/c: {verdict: deny}}"),
	}
	alone := memory{"/p/a.yaml": head("tools: {a/b: {verdict: ask}}")}
	load := func(m memory, floor string) *Policy {
		p, err := Load(Options{Files: []string{"/p/a.yaml"}, Floor: floor, Read: m.read})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if list := Loosens(load(alone, ""), load(files, "")); len(list) > 0 {
		t.Errorf("a layer more that denies: %q", list)
	}
	if list := Loosens(load(files, ""), load(alone, "")); len(list) == 0 || !strings.Contains(list[0], "b.yaml:2: tools.a/c.verdict: removed") {
		t.Errorf("a layer less: %q", list)
	}
	if list := Loosens(load(files, ""), load(files, "/p/b.yaml")); len(list) > 0 {
		t.Errorf("a floor more: %q", list)
	}
	if list := Loosens(load(files, "/p/b.yaml"), load(files, "")); len(list) == 0 {
		t.Error("a floor less, and nothing is said")
	}
}

// A file that comes beside one of the same name has it named in another way, by
// which some calls are counted.
func TestAFileThatIsNamedInAnotherWay(t *testing.T) {
	for _, c := range []struct {
		text  string
		waits bool
	}{
		{"labels: [{name: s, from: [a/c]}]\ntools: {a/b: {max_calls: 2, when: {labels: [s]}}}", true},
		{"tools: {a/b: {max_calls: 2}}", false},
	} {
		m := memory{"/p/a.yaml": head(c.text), "/q/a.yaml": head("tools: {a/b: {verdict: deny}}")}
		load := func(files ...string) *Policy {
			p, err := Load(Options{Files: files, Read: m.read})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		if list := Loosens(load("/p/a.yaml"), load("/p/a.yaml", "/q/a.yaml")); len(list) > 0 != c.waits {
			t.Errorf("%s: %q", c.text, list)
		}
	}
}

// What a floor says is compared with the floor that was, whatever is above it.
func TestAFloorIsComparedWithAFloor(t *testing.T) {
	top := head("servers: {c: {}}")
	load := func(floor string) *Policy {
		m := memory{"/p/a.yaml": top, "/p/f.yaml": floor, "/p/g.yaml": head("identities: [{name: x, match: {subject: y}}]")}
		p, err := Load(Options{Files: []string{"/p/a.yaml"}, Floor: "/p/f.yaml", Read: m.read})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name, old, new string
		waits          bool
	}{
		{"a server that only the floor did not know", head("servers: {a: {}}"), head("servers: {a: {}, c: {}}"), true},
		{"callers that only the floor did not know", head("include: [g.yaml]"), head("include: [g.yaml]", "identities: [{name: z, match: {subject: z}}]"), true},
		{"a rule more", head("servers: {a: {}}"), head("servers: {a: {}}", "tools: {a/b: {verdict: deny}}"), false},
	} {
		if list := Loosens(load(c.old), load(c.new)); len(list) > 0 != c.waits {
			t.Errorf("%s: %q", c.name, list)
		}
	}
}

// Whatever setting differs, one of the two ways waits, or both take a restart.
func TestNoSettingIsForgotten(t *testing.T) {
	checked := 0
	for field := range reflect.TypeFor[Settings]().Fields() {
		if strings.HasSuffix(field.Name, "At") {
			continue
		}
		checked++
		a, b := mustLoad(t, head("tools: {}")), mustLoad(t, head("tools: {}"))
		a.digest = "another"
		switch v := reflect.ValueOf(&b.settings).Elem().FieldByIndex(field.Index); v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Uint8:
			v.SetUint(v.Uint() + 1)
		case reflect.String:
			v.SetString("x")
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{"x"}))
		default:
			t.Fatalf("%s is a %v, which this test does not know", field.Name, v.Kind())
		}
		if len(Loosens(a, b)) == 0 && len(Loosens(b, a)) == 0 && len(Fixed(a, b)) == 0 {
			t.Errorf("%s is not compared", field.Name)
		}
	}
	if checked < 15 {
		t.Fatalf("%d settings", checked)
	}
}

// A server stays where it was started, so that relative paths of its calls are never
// read from elsewhere.
func TestTheDirectoryOfAStartedServerIsFixed(t *testing.T) {
	base := head("settings: {default: ask}")
	at := func(dir string) string { return base + "servers: {mail: {cwd: " + dir + "}}\n" }
	for _, c := range [][2]string{{base, at("/a")}, {at("/a"), base}, {at("/a"), at("/b")}} {
		list := Fixed(mustLoad(t, c[0]), mustLoad(t, c[1]), "mail")
		if len(list) != 1 || !strings.Contains(list[0], "team.yaml:3: servers.mail.cwd: the server was started in another directory") {
			t.Errorf("%q: %q", c, list)
		}
		if list := Fixed(mustLoad(t, c[0]), mustLoad(t, c[1]), "other"); len(list) > 0 {
			t.Errorf("a server that is not started here: %q", list)
		}
	}
	if list := Fixed(mustLoad(t, at("/a")), mustLoad(t, at("/a")+"tools: {a/b: {verdict: deny}}\n"), "mail"); len(list) > 0 {
		t.Errorf("it has not changed: %q", list)
	}
}

func TestModeAndDefaultAreFixed(t *testing.T) {
	base := head("settings: {mode: enforce, default: ask}")
	for text, want := range map[string]string{
		head("settings: {mode: observe, default: ask}"):  "settings.mode: does not change",
		head("settings: {mode: enforce, default: deny}"): "settings.default: does not change",
	} {
		if list := Fixed(mustLoad(t, base), mustLoad(t, text)); len(list) != 1 || !strings.Contains(list[0], want) {
			t.Errorf("%s: %q; want %s", text, list, want)
		}
	}
	if list := Fixed(mustLoad(t, base), mustLoad(t, base+"tools: {a/b: {verdict: deny}}\n")); len(list) > 0 {
		t.Errorf("neither has changed: %q", list)
	}
}
