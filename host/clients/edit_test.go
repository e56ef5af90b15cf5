package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// wrapped wraps a text that can be wrapped.
func wrapped(t testing.TB, l Layout, data string, o Options) string {
	t.Helper()
	out, _, err := l.Wrap([]byte(data), o)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// forge is an --original that says what it is told to.
func forge(format, command, args string, words ...string) string {
	r := record{format: format, command: command, args: args, hasArgs: args != "", sum: digest(words)}
	return r.encode()
}

// swap replaces a text that has to be there once.
func swap(t testing.TB, data, old, now string) string {
	t.Helper()
	if strings.Count(data, old) != 1 {
		t.Fatalf("%q is there %d times in\n%s", old, strings.Count(data, old), data)
	}
	return strings.Replace(data, old, now, 1)
}

// original is the --original of the only wrapped entry.
func original(t testing.TB, data string) string {
	t.Helper()
	_, rest, ok := strings.Cut(data, `"--original"`)
	parts := strings.Split(rest, `"`)
	if !ok || len(parts) < 3 {
		t.Fatalf("no --original in\n%s", data)
	}
	return parts[1]
}

const (
	twoJSON = "{\"mcpServers\": {\n  \"a\": {\"command\": \"npx\", \"args\": [\"-y\",  \"x\"]},\n  \"b\": {\"command\": \"b\"}\n}}\n"
	oneJSON = `{"mcpServers": {"a": {"command": "npx", "args": [ "-y","x" ] , "env": {}}}}`
	noArgs  = `{"mcpServers": {"a": {"command": "npx", "env": {}}}}`
	oneTOML = "[mcp_servers.a]\ncommand = 'npx'\nargs = [ '-y', 'x' ]\n"
	noTOML  = "mcp_servers = {a = {command = 'npx'}}\n"
	oneYAML = "mcpServers:\n- name: a\n  command: npx\n  args:\n  - -y\n  - 'x'\n"
)

func tomlLayout() Layout { return codex().Files[0].Layout }
func yamlLayout() Layout { return continueDev().Files[0].Layout }

func TestUnwrapRestoresEveryByteOrSaysThatItCanNot(t *testing.T) {
	o := options()
	cases := []struct {
		name string
		Layout
		data string
		edit func(wrapped string) string
		want string // the result, or ! and a part of the error
	}{
		{"nothing happened", mcpServers(), oneJSON, func(s string) string { return s }, oneJSON},
		{"another member was edited", mcpServers(), oneJSON, func(s string) string { return swap(t, s, `"env": {}`, `"env": {"A":"1"}`) }, swap(t, oneJSON, `"env": {}`, `"env": {"A":"1"}`)},
		{"another entry was added", mcpServers(), oneJSON, func(s string) string { return swap(t, s, `{"a"`, `{"c":{"command":"c"},"a"`) }, swap(t, oneJSON, `{"a"`, `{"c":{"command":"c"},"a"`)},
		{"a flag of callgate was edited", mcpServers(), oneJSON, func(s string) string { return swap(t, s, "/home/me/policy.yaml", "/etc/policy.yaml") }, oneJSON},
		{"the program was renamed", mcpServers(), oneJSON, func(s string) string { return swap(t, s, o.Callgate, "/opt/cg") }, oneJSON},
		{"the client wrote it anew", mcpServers(), oneJSON, reformat(t), swap(t, reformat(t)(oneJSON), "[\n        \"-y\",\n        \"x\"\n      ]", `[ "-y","x" ]`)},
		{"the client wrote it anew, without args", mcpServers(), noArgs, reformat(t), reformat(t)(noArgs)},
		{"args were moved to the end", mcpServers(), noArgs, func(s string) string { return moved(t, s) }, noArgs},
		{"an argument was added", mcpServers(), oneJSON, func(s string) string { return swap(t, s, `"x" ]`, `"x", "z" ]`) }, "! 1: server \"a\": its command was edited since it was wrapped; callgate unwrap --force"},
		{"the command was edited", mcpServers(), oneJSON, func(s string) string { return swap(t, s, `"npx"`, `"bunx"`) }, "! its command was edited"},
		{"--original was damaged", mcpServers(), oneJSON, func(s string) string { return swap(t, s, original(t, s), "AAAA") }, "! its --original is damaged"},
		{"--original was cut", mcpServers(), oneJSON, func(s string) string { return swap(t, s, original(t, s), original(t, s)[:40]) }, "! its --original is damaged"},
		{"--original is of another format", mcpServers(), oneJSON, func(s string) string {
			return swap(t, s, original(t, s), forge("toml", `'npx'`, `['-y', 'x']`, "npx", "-y", "x"))
		}, "! comes from a file in another format, toml"},
		{"--original brings a member along", mcpServers(), oneJSON, func(s string) string {
			return swap(t, s, original(t, s), forge("json", `"npx", "cwd": "/"`, `["-y","x"]`, "npx", "-y", "x"))
		}, "! would have more than it had"},
		{"--original brings a server along", mcpServers(), oneJSON, func(s string) string {
			return swap(t, s, original(t, s), forge("json", `"npx"`, `["-y","x"]}, "z": {"command":"z"`, "npx", "-y", "x"))
		}, "! it would have other servers afterwards"},
		{"--original has another command", mcpServers(), oneJSON, func(s string) string {
			return swap(t, s, original(t, s), forge("json", `"evil"`, `["-y","x"]`, "npx", "-y", "x"))
		}, "! would be another afterwards"},
		{"--original is no JSON", mcpServers(), oneJSON, func(s string) string {
			return swap(t, s, original(t, s), forge("json", `"npx`, `["-y","x"]`, "npx", "-y", "x"))
		}, "! it would not be read afterwards"},
		{"a comment was added to args", mcpServers(), oneJSON, func(s string) string { return swap(t, s, `"x" ]`, `"x" /* my note */ ]`) }, "! comments were added to its args"},
		{"a comment was added beside args", mcpServers(), oneJSON, func(s string) string { return swap(t, s, `"x" ]`, `"x" ] /* my note */`) }, swap(t, oneJSON, `"x" ]`, `"x" ] /* my note */`)},
		{"TOML as it was", tomlLayout(), oneTOML, func(s string) string { return s }, oneTOML},
		{"TOML with an argument more", tomlLayout(), oneTOML, func(s string) string { return swap(t, s, "'x' ]", "'x', 'y' ]") }, "! its command was edited"},
		{"TOML with a comment more", tomlLayout(), oneTOML, func(s string) string { return swap(t, s, "'x' ]", "'x' # note\n]") }, "! comments were added"},
		{"TOML with args moved", tomlLayout(), noTOML, func(s string) string {
			return swap(t, swap(t, s, "{a = {", "{a = {env = {}, "), `, args = [`, `, x = 1, args = [`)
		}, "! its args were moved away from its command"},
		{"YAML as it was", yamlLayout(), oneYAML, func(s string) string { return s }, oneYAML},
		{"YAML with an argument more", yamlLayout(), oneYAML, func(s string) string { return s + "  - y\n" }, "! 2: server \"a\": its command was edited"},
		{"YAML with a comment more", yamlLayout(), oneYAML, func(s string) string { return swap(t, s, "  - 'x'", "  # note\n  - 'x'") }, "! comments were added"},
		{"YAML indented anew", yamlLayout(), oneYAML, func(s string) string { return strings.ReplaceAll(s, "\n  - ", "\n     - ") }, "! callgate unwrap --force"},
	}
	good, bad := 0, 0
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			edited := c.edit(wrapped(t, c.Layout, c.data, o))
			out, _, err := c.Unwrap([]byte(edited), UnwrapOptions{})
			if part, refused := strings.CutPrefix(c.want, "! "); refused {
				bad++
				if err == nil || !strings.Contains(err.Error(), part) || out != nil {
					t.Fatalf("error %v, %d bytes; want one with %q", err, len(out), part)
				}
				forced(t, c.Layout, edited)
				return
			}
			good++
			if err != nil || string(out) != c.want {
				t.Fatalf("%v\n%s\nwant\n%s", err, out, c.want)
			}
		})
	}
	if good < 8 || bad < 10 {
		t.Errorf("%d cases restore and %d refuse", good, bad)
	}
}

// forced makes sure that --force leaves what is started behind --, and that it
// can be wrapped again.
func forced(t *testing.T, l Layout, edited string) {
	t.Helper()
	before, err := l.List([]byte(edited))
	if err != nil {
		t.Fatal(err)
	}
	out, did, err := l.Unwrap([]byte(edited), UnwrapOptions{Force: true})
	if err != nil {
		t.Fatalf("--force: %v", err)
	}
	after, err := l.List(out)
	if err != nil || len(after) != len(before) || after[0].State != Plain || !slices.Equal(after[0].Command, before[0].Command) || did[0].Action != DidUnwrap {
		t.Fatalf("--force leaves %+v of %+v (%v)\n%s", after, before, err, out)
	}
	roundTrip(t, l, out)
}

// reformat writes JSON as many clients do.
func reformat(t testing.TB) func(string) string {
	return func(s string) string {
		v := jsontext.Value(s)
		if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
			t.Fatal(err)
		}
		return string(v)
	}
}

// moved moves the args that wrap has put behind a command behind env.
func moved(t testing.TB, s string) string {
	t.Helper()
	from := strings.Index(s, `, "args"`)
	to := from + strings.Index(s[from:], "]") + 1
	return swap(t, s[:from]+s[to:], `"env": {}`, `"env": {}`+s[from:to])
}

func TestWrappingAnewChangesWhatIsAskedForAndKeepsTheRest(t *testing.T) {
	base := Options{Callgate: "/bin/callgate", Fallback: "client", Policies: []string{"/p.yaml"}}
	first := wrapped(t, mcpServers(), oneJSON, base)
	cases := []struct {
		name   string
		change func(*Options)
		want   []string // what stands before --original
		action Action
	}{
		{"the same", func(*Options) {}, []string{"client", "/p.yaml"}, Unchanged},
		{"no policy named", func(o *Options) { o.Policies = nil }, []string{"client", "/p.yaml"}, Unchanged},
		{"another default group", func(o *Options) { o.Fallback = "other" }, []string{"client", "/p.yaml"}, Unchanged},
		{"another group", func(o *Options) { o.Group = "other" }, []string{"other", "/p.yaml"}, DidRewrap},
		{"other policies", func(o *Options) { o.Policies = []string{"/q.yaml", "/r.yaml"} }, []string{"client", "/q.yaml", "/r.yaml"}, DidRewrap},
		{"a floor", func(o *Options) { o.Floor = "/floor.yaml" }, []string{"client", "/p.yaml", "floor /floor.yaml"}, DidRewrap},
		{"another program", func(o *Options) { o.Callgate = "/opt/callgate" }, []string{"client", "/p.yaml"}, DidRewrap},
		{"a file to protect", func(o *Options) { o.Config = "/c.json" }, []string{"client", "/p.yaml"}, DidRewrap},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := base
			c.change(&o)
			out, did, err := mcpServers().Wrap([]byte(first), o)
			if err != nil || len(did) != 1 || did[0].Action != c.action || (string(out) == first) != (c.action == Unchanged) {
				t.Fatalf("%+v (%v)\n%s", did, err, out)
			}
			got := append([]string{did[0].Group}, did[0].Policies...)
			if did[0].Floor != "" {
				got = append(got, "floor "+did[0].Floor)
			}
			if !slices.Equal(got, c.want) || did[0].Callgate != o.Callgate || (o.Config != "") != strings.Contains(string(out), `"--config","/c.json"`) {
				t.Errorf("%+v\n%s", did[0], out)
			}
			back, _, err := mcpServers().Unwrap(out, UnwrapOptions{})
			if err != nil || string(back) != oneJSON {
				t.Errorf("%v\n%s", err, back)
			}
		})
	}
	withLedger := swap(t, first, `"--policy"`, `"--ledger", "/l", "--policy"`)
	o := base
	o.Group = "other"
	if out := wrapped(t, mcpServers(), withLedger, o); !strings.Contains(out, `"--ledger","/l"`) {
		t.Errorf("--ledger is lost: %s", out)
	}
}

func TestANewEntryJoinsTheGroupOfTheOthers(t *testing.T) {
	o := options()
	o.Servers, o.Group = []string{"a"}, "mine"
	first := wrapped(t, mcpServers(), twoJSON, o)
	out, did, err := mcpServers().Wrap([]byte(first), options())
	if err != nil || len(did) != 2 || did[0].Action != Unchanged || did[1].Action != DidWrap || did[1].Group != "mine" {
		t.Fatalf("%+v (%v)\n%s", did, err, out)
	}
}

func TestOnlyNamedServersAreEdited(t *testing.T) {
	o := options()
	o.Servers = []string{"b"}
	out, did, err := mcpServers().Wrap([]byte(twoJSON), o)
	if err != nil || len(did) != 1 || did[0].Name != "b" || !strings.HasPrefix(string(out), twoJSON[:strings.Index(twoJSON, `"b"`)]) {
		t.Fatalf("%+v (%v)\n%s", did, err, out)
	}
	both := wrapped(t, mcpServers(), twoJSON, options())
	out, did, err = mcpServers().Unwrap([]byte(both), UnwrapOptions{Servers: []string{"a"}})
	if err != nil || len(did) != 1 || !strings.Contains(string(out), `"a": {"command": "npx", "args": ["-y",  "x"]},`) || strings.Count(string(out), "--original") != 1 {
		t.Fatalf("%+v (%v)\n%s", did, err, out)
	}
	for _, names := range [][]string{{"c"}, {"a", "A"}} {
		_, _, err := mcpServers().Wrap([]byte(twoJSON), Options{Callgate: "/c", Fallback: "g", Servers: names})
		if want := fmt.Sprintf("no server %q; there are: \"a\", \"b\"", names[len(names)-1]); err == nil || err.Error() != want {
			t.Errorf("%q: error %v; want %s", names, err, want)
		}
	}
}

func TestAnEntryThatWasWrappedByHandIsLeft(t *testing.T) {
	hand := `{"mcpServers":{"a":{"command":"callgate","args":["run","--policy=p.yaml","--","npx","x"]},"b":{"command":"callgate","args":["run","--","b"]},"c":{"command":"callgate","args":["serve"]}}}`
	for _, force := range []bool{false, true} {
		out, did, err := mcpServers().Unwrap([]byte(hand), UnwrapOptions{Force: force})
		if err != nil || len(did) != 3 {
			t.Fatal(did, err)
		}
		want := hand
		if force {
			want = `{"mcpServers":{"a":{"command":"npx","args":["x"]},"b":{"command":"b","args":[]},"c":{"command":"callgate","args":["serve"]}}}`
		}
		if string(out) != want {
			t.Errorf("force %v:\n%s\nwant\n%s", force, out, want)
		}
	}
}

func TestNamesThatNoConfigurationCanHoldAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		Options
		good bool
	}{
		{"a program that is not UTF-8", Options{Callgate: "/\xff", Fallback: "g"}, false},
		{"a policy with a NUL", Options{Callgate: "/c", Fallback: "g", Policies: []string{"/\x00"}}, false},
		{"a file that is not UTF-8", Options{Callgate: "/c", Fallback: "g", Config: "/\xff"}, false},
		{"odd but possible", Options{Callgate: "C:\\Program Files\\cg\x7f.exe", Fallback: "ü🗂", Policies: []string{"/a\nb\x1b\u2028"}}, true},
	} {
		for _, f := range []struct {
			Layout
			data string
		}{{mcpServers(), oneJSON}, {tomlLayout(), oneTOML}, {yamlLayout(), oneYAML}, {mcpServers(), noArgs}, {tomlLayout(), noTOML}} {
			out, did, err := f.Wrap([]byte(f.data), c.Options)
			if (err == nil) != c.good {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if !c.good {
				continue
			}
			if did[0].Callgate != c.Callgate || did[0].Group != c.Fallback || !slices.Equal(did[0].Policies, c.Policies) {
				t.Errorf("%s: %+v", c.name, did[0])
			}
			if back, _, err := f.Unwrap(out, UnwrapOptions{}); err != nil || string(back) != f.data {
				t.Errorf("%s: %v\n%s", c.name, err, back)
			}
		}
	}
}

func TestHugeFilesAreEditedAndHugerOnesRefused(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("{\n  \"projects\": {\"/p\": {\"history\": [\n")
	for i := range 40_000 {
		fmt.Fprintf(&b, "    {\"display\": \"line %d // not a comment \\\" [{ \", \"n\": %d},\n", i, i)
	}
	b.WriteString("    {}\n  ]}},\n  \"mcpServers\": {\n")
	for i := range 100 {
		fmt.Fprintf(&b, "    \"s%d\": {\"command\": \"npx\", \"args\": [\"-y\", \"server-%d\"]},\n", i, i)
	}
	b.WriteString("    \"last\": {\"command\": \"x\"}\n  }\n}\n")
	if n := roundTrip(t, claudeCode().Files[0].Layout, b.Bytes()); n != 101 {
		t.Errorf("%d entries were wrapped; want 101", n)
	}
	for _, l := range []Layout{mcpServers(), tomlLayout(), yamlLayout()} {
		if _, err := l.List(bytes.Repeat([]byte(" "), maxFile+1)); err == nil || !strings.Contains(err.Error(), "want at most") {
			t.Errorf("error %v for %d bytes", err, maxFile+1)
		}
	}
	long := fmt.Sprintf(`{"mcpServers":{"a":{"command":"a","args":[%q]}}}`, strings.Repeat("x", maxRecord))
	if _, _, err := mcpServers().Wrap([]byte(long), options()); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("error %v for an argument of %d bytes", err, maxRecord)
	}
}
