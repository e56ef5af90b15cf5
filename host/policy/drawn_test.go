package policy

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/packs"
)

// drawn draws values of the shape of a policy file: every key, with words that
// mostly mean something where they stand.
type drawn struct {
	*rand.Rand
	n     int                    // of names given so far
	args  []abi.Value            // rules of args: that load alone; until there are some, they are drawn
	parts map[string][]abi.Value // the same for what stands at the top of a file, by key
}

func newDrawn(seed uint64) *drawn {
	return &drawn{Rand: rand.New(rand.NewPCG(seed, 7))}
}

// drawnWords are what leaves are drawn from, by kind. Some are mistakes, and some only
// in some places.
var drawnWords = map[string][]string{
	"tool":     {"s/t", "s/*", "t", "*/*", "*", "gmail/send_email", "s/send_*", "[a-z]*/t", "s/{t,u}"},
	"server":   {"s", "gmail", "other one"},
	"half":     {"*", "t", "vendor/*", "send_*"},
	"argument": {"to", "path", "url", "command", "/a/b", "/a/*", "/to/0", "limit", "/a~1b", "/*", "file_path", "q", "/"},
	"pointer":  {"/to", "/a/b", "/", "/to/0"},
	"segments": {"/*/sender", "/a", "/content/*/text"},
	"regex":    {"a+", "(?i)x", "^a$", `\bdrop\b`, ".*", "a|b", "(?-i)x", `\pL`, "(a", "a{2,5}", "(?P<secret>x+)", "x{1000}"},
	"pattern": {
		"/srv/**", "./out/**", "**/.env", "*", "**", "git status", "git log *", "rm -rf /", "cat /srv/** ...", "a|b", "{a,b}", "[", "*.corp.example",
		"https://x.example/**", "10.0.0.0/8", "*@corp.example", "pat@x.example", "#general", "@ana", "acme/site", "acme", "node", "~/.ssh/**", `C:\x\**`, "git@host:team/x.git",
		"https://u:p@x.example", "localhost:3000", "[::1]", "file:**", "http:**", "sudo", "'a b'", "$HOME/x", "%2e", "a b@c.example", "../x", "/srv/../x", "xn--a",
	},
	"where": {"/srv/**", "**/x/**", "*", "a*", "acme/site", "[", "rm *", "{a,b}", "*.x.example", "*@x.example"},
	"trusted": {
		"*@corp.example", "pat@x.example", "*.x.example", "*@*.x.example", "git@host:team/x.git", "#general", "C0123ABC", "/srv/out", "https://x.example/a", "docker.io/a/b",
		"+15550100", "a b@c.example", "x@y.example, z@y.example", "https://u:p@x.example", "%61", "DE89370400440532013000", "a;b", "Pat <p@x.example>", "*@-.example", "x.example:22", "10.0.0.1", "\u212b", "*.-a.example", "a@b@c.example", "mailto:a@b.example", "*@[1.2.3.4]", "*@1.2.3.4", "*.1.2.3.4",
	},
	"text": {
		"https", "HTTP", "ftp:", "CI", "LC_ALL=C", "git log", "git", "--oneline", "-n", "localhost", "10.0.0.0/8", "*", "**", "a b", "http://localhost:3000", "::1", "mkfs",
		"[redacted]", "ci-bot", "sha256:*", "AKIA*", "=", "A B=C", "*.x.example", "'", "x|y", "password", "*secret*",
	},
	"label":      {"secret", "drawn:x"},
	"position":   {"prose", "field", "encoded", "part", "weak", "glued", "lookalike", "echo", "saturated", "evicted", "unproven"},
	"capability": {"read_files", "net_egress:*.x.example", "net_egress:*", "net_egress:10.0.0.1", "execute", "net_egress:", "net_egress:a b", "credentials", "net_egress:[::1]", "net_egress:bücher.example", "net_egress:*.1.2.3.4"},
	"env":        {"PATH", "HOME"},
	"dir":        {"/srv", "./x", "~/x"},
	"file":       {"/k", "keys/a"},
	"use":        {"/k", "keys/a"},
	"webhook":    {"https://x.example/a", "http://127.0.0.1:9/a"},
	"duration":   {"1h", "30m", "2562047h"},
	"wait":       {"0s", "50s"},
	"per":        {"session", "1h", "day@Europe/Berlin", "day@UTC", "1ns", "day@America/St_Johns"},
	"days":       {"mon", "fri-mon", "sun"},
	"clock":      {"09:00", "24:00", "00:00", "22:00"},
	"zone":       {"Europe/Berlin", "UTC", "Asia/Kathmandu"},
	"digest":     {abi.DigestBytes(drawnModule())},
	"sha256":     {strings.Repeat("ab", 32)},
	"count":      {"0", "1", "3", "9007199254740992"},
	"size":       {"0", "1", "1048576"},
	"number":     {"0", "-1", "1e3", "1e999999999", "0.5", "-0", "1e-999999999"},
	"version":    {"1"},
}

func (d *drawn) of(list []string) string { return list[d.IntN(len(list))] }

// leaf draws a leaf.
func (d *drawn) leaf(t reflect.Type, tag reflect.StructTag) abi.Value {
	is := cmp.Or(leafIs(t, tag), "text")
	if enum := enumOf(tag); enum != nil {
		return abi.StringValue(d.of(enum))
	}
	switch is {
	case "bool":
		return abi.BoolValue(d.IntN(4) > 0)
	case "scalar":
		return []abi.Value{abi.StringValue("EUR"), abi.IntValue(3), abi.BoolValue(true), number("1e400"), abi.StringValue("a b")}[d.IntN(5)]
	case "settings":
		return abi.ObjectValue(abi.Member{Name: "dialect", Value: abi.StringValue("postgres")})
	case "name":
		if key := tag.Get("key"); key == "pack" || key == "packs" {
			return abi.StringValue(d.of(append(packs.Names(), "auto")))
		}
		d.n++
		return abi.StringValue(d.of([]string{fmt.Sprint("n", d.n), "secret"}))
	case "count", "size", "number", "version":
		return number(d.of(drawnWords[is]))
	}
	list := drawnWords[is]
	if list == nil {
		panic("no words for leaves that are " + is)
	}
	return abi.StringValue(d.of(list))
}

// draw draws a value of a type.
func (d *drawn) draw(t reflect.Type, tag reflect.StructTag) abi.Value {
	form, t := formOf(t)
	switch form {
	case wordForm:
		if d.IntN(3) == 0 {
			return abi.StringValue(d.of(strings.Split(tag.Get("word"), "|")))
		}
		return d.draw(t.Field(1).Type, tag)
	case structForm:
		return d.object(t)
	case mapForm:
		return d.mapping(t, tag)
	case listForm:
		var items []abi.Value
		for range []int{1, 1, 1, 2, 3, 0}[d.IntN(6)] {
			items = append(items, d.draw(t.Elem(), tag))
		}
		return abi.ArrayValue(items...)
	}
	return d.leaf(t, tag)
}

func (d *drawn) mapping(t reflect.Type, tag reflect.StructTag) abi.Value {
	of := tag
	if form, _ := formOf(t.Elem()); form == structForm {
		of = ""
	}
	v := abi.ObjectValue()
	for range 1 + d.IntN(2) {
		key := d.of(drawnWords[tag.Get("keys")])
		if tag.Get("key") == "where" {
			key = d.of([]string{"path", "url", "recipient", "repo", "command", "to", "/a", "sql", "cwd", "host", "activation", "size", "owner", "secret", "rows", "bypass", "/a/*"})
		}
		v = v.With(key, d.draw(t.Elem(), of))
	}
	return v
}

func (d *drawn) object(t reflect.Type) abi.Value {
	if t == reflect.TypeFor[arg]() && len(d.args) > 0 {
		return d.args[d.IntN(len(d.args))]
	}
	fields := fieldsOf(t)
	v := abi.ObjectValue()
	for _, f := range fields {
		chance := max(8, 150/len(fields))
		switch {
		case strings.Contains(f.tag.Get("doc"), "Required"):
			chance = 96
		case f.name == "sink" || f.name == "approval" || f.name == "when" || f.name == "pack" || t == reflect.TypeFor[sink]():
			chance = 45
		case f.name == "slot":
			chance = 65
		case f.name == "arg" && t == reflect.TypeFor[arg]():
			chance = 95
			if v.Get("slot").Exists() {
				chance = 10
			}
		case t == reflect.TypeFor[arg]() && !aboutSlot(f.tag.Get("doc"), v.Get("slot").Str()):
			chance = 1
		case t == reflect.TypeFor[arg]():
			chance = 20
		}
		if d.IntN(100) < chance {
			v = v.With(f.name, d.draw(f.typ, patternTag(f, t, v.Get("slot").Str())))
		}
	}
	return v
}

// otherFiles are keys that name files besides policies, which are tried where those
// are read.
var otherFiles = []string{"include"}

// slotTag is the tag of a rule's slot.
var slotTag = fieldsOf(reflect.TypeFor[arg]())[0].tag

// fullArgs are rules with members that need each other.
var fullArgs = []string{
	`{"slot":"url","private":"deny","except":["localhost"],"schemes":["https"],"ports":[443],"verdict":"ask"}`,
	`{"slot":"command","allow":["git log *"],"options":{"git log":["--oneline"]},"env":["CI"],"writes":["/o/**"],"reads":["./i/**"]}`,
	`{"slot":"path","allow":["/srv/**"],"symlinks":"resolve","literal":true,"fold":true,"also":true}`,
	`{"slot":"sql","allow_pattern":["select .*"],"json":true}`,
	`{"slot":"command","deny_keyword":["mkfs"],"deny_pattern":["x"],"deny":["sudo"]}`,
}

// aboutSlot says whether a member of a rule is described as one of this class, ""
// for a rule with arg: only.
func aboutSlot(doc, slot string) bool {
	classes, _, ok := strings.Cut(doc, ":")
	of := strings.Split(classes, ", ")
	if !ok || !slices.ContainsFunc(of, func(s string) bool { return s == "arg" || s == "slot" || slices.Contains(enumOf(slotTag), s) }) {
		return true
	}
	return slot == "" && slices.Contains(of, "arg") || slot != "" && (slices.Contains(of, slot) || slices.Contains(of, "slot"))
}

// gather draws rules, and then what stands at the top of a file, until there are
// some of each that load alone.
func (d *drawn) gather(loads func(text string) bool) {
	var args, full []abi.Value
	for range 3000 {
		a := d.object(reflect.TypeFor[arg]())
		if loads("callgate: 1\npacks: none\nsettings: {default: ask}\ntools: {s/t: {args: [" + a.String() + "]}}\n") {
			args = append(args, a)
		}
	}
	for _, text := range fullArgs {
		v, _ := abi.Parse([]byte(text))
		args, full = append(args, v), append(full, object("s/t", object("args", abi.ArrayValue(v))))
	}
	d.args, d.parts = args, map[string][]abi.Value{"tools": slices.Repeat(full, 4)}
	for _, f := range fieldsOf(reflect.TypeFor[file]()) {
		if f.name == "callgate" || slices.Contains(otherFiles, f.name) {
			continue
		}
		packs := "packs: none\n"
		if f.name == "packs" || f.name == "servers" {
			packs = ""
		}
		for range 200 {
			v := d.draw(f.typ, f.tag)
			text := "callgate: 1\n" + packs + f.name + ": " + v.String() + "\n"
			if waitsForPlugin(text) {
				text += "plugins: [" + drawnPlugin + "]\n"
			}
			if loads(text) {
				d.parts[f.name] = append(d.parts[f.name], v)
			}
		}
	}
}

// file draws a policy file of a few parts.
func (d *drawn) file() string {
	v := abi.ObjectValue(abi.Member{Name: "callgate", Value: abi.IntValue(1)})
	for _, f := range fieldsOf(reflect.TypeFor[file]()) {
		parts := d.parts[f.name]
		switch {
		case f.name == "packs" && d.IntN(6) > 0:
			v = v.With("packs", abi.StringValue("none"))
		case len(parts) > 0 && d.IntN(100) < map[string]int{"tools": 70, "settings": 60, "packs": 80}[f.name]+18:
			v = v.With(f.name, parts[d.IntN(len(parts))])
		}
	}
	if waitsForPlugin(v.String()) {
		entry, _ := abi.Parse([]byte(drawnPlugin))
		v = v.With("plugins", abi.ArrayValue(append(slices.Clone(v.Get("plugins").Items()), entry)...))
	}
	return v.String()
}

// drawnPlugin is the plugin whose label drawn rules wait for.
const drawnPlugin = `{"name":"drawn","use":"/p/x.wasm","on":{"tools":["s/*"]}}`

func waitsForPlugin(text string) bool { return strings.Contains(text, `"drawn:x"`) }

// keysOf lists every key below a type, as type.key.
func keysOf(t reflect.Type, list []string) []string {
	form, t := formOf(t)
	switch form {
	case wordForm:
		return keysOf(t.Field(1).Type, list)
	case mapForm, listForm:
		return keysOf(t.Elem(), list)
	case structForm:
		for _, f := range fieldsOf(t) {
			if t != reflect.TypeFor[file]() || !slices.Contains(otherFiles, f.name) {
				list = keysOf(f.typ, append(list, t.Name()+"."+f.name))
			}
		}
	}
	return list
}

// marks notes the keys that a value of a type has.
func marks(seen map[string]bool, t reflect.Type, v abi.Value) {
	form, t := formOf(t)
	switch form {
	case wordForm:
		marks(seen, t.Field(1).Type, v)
	case mapForm:
		for _, m := range v.Members() {
			marks(seen, t.Elem(), m.Value)
		}
	case listForm:
		for _, item := range v.Items() {
			marks(seen, t.Elem(), item)
		}
	case structForm:
		for _, f := range fieldsOf(t) {
			if m := v.Get(f.name); m.Exists() {
				seen[t.Name()+"."+f.name] = true
				marks(seen, f.typ, m)
			}
		}
	}
}
