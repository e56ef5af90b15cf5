package builtin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// commandMatcher is a compiled rule about commands.
type commandMatcher struct {
	hasAllow bool
	allow    []commandPattern
	deny     []commandDenial
	patterns []*regexp.Regexp
	keywords []string // folded
	options  []commandOptions
	env      []string // NAME, or NAME=value
	writes   []glob
	reads    []glob
	cwd      wordList
}

func newCommandMatcher(rule *contract.Arg) (matcher, error) {
	m := &commandMatcher{hasAllow: rule.HasAllow || len(rule.Allow) > 0, env: rule.Env}
	for _, text := range rule.Allow {
		p, err := compileCommand(text)
		if err != nil {
			return nil, err
		}
		m.allow = append(m.allow, p)
	}
	for _, text := range rule.Deny {
		d, err := compileDenial(text)
		if err != nil {
			return nil, err
		}
		m.deny = append(m.deny, d)
	}
	for _, text := range rule.DenyPattern {
		if _, err := regexp.Compile(text); err != nil {
			return nil, fmt.Errorf("deny_pattern %q: %w", text, err)
		}
		// Some file systems and interpreters have no case, so a deny pattern has none.
		re, err := regexp.Compile(fmt.Sprintf(`(?i:%s)`, text))
		if err != nil {
			return nil, fmt.Errorf("deny_pattern %q: %w", text, err)
		}
		m.patterns = append(m.patterns, re)
	}
	for _, word := range rule.DenyKeyword {
		if strings.TrimSpace(word) == "" {
			return nil, fmt.Errorf("deny_keyword %q is empty; want a word", word)
		}
		m.keywords = append(m.keywords, strings.ToLower(word))
	}
	cwd, _ := classNamed("cwd")
	m.cwd = naming(cwd.names)
	var err error
	if m.options, err = compileOptions(rule.Options); err != nil {
		return nil, err
	}
	if m.writes, err = compileGlobs(rule.Writes); err != nil {
		return nil, err
	}
	m.reads, err = compileGlobs(rule.Reads)
	return m, err
}

func compileGlobs(patterns []string) ([]glob, error) {
	var all []glob
	for _, p := range patterns {
		g, err := compileGlob(p, false)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

func (m *commandMatcher) wants() bool { return m.hasAllow }

// readsCommand says whether a scalar is a command line.
func readsCommand(v abi.Value, _ *place) bool { return v.IsString() }

// wholeCommand says whether an array is one argument vector: it holds no arrays
// and objects.
func wholeCommand(v abi.Value) bool {
	return v.Kind() == abi.Array && !slices.ContainsFunc(v.Items(), func(item abi.Value) bool {
		return item.Kind() == abi.Array || item.Kind() == abi.Object
	})
}

// gather takes a program and the words beside it for one command.
func (m *commandMatcher) gather(object abi.Value, named func(string) bool) (abi.Value, []string) {
	var program, vector, env *abi.Member
	members := object.Members()
	for i := range members {
		switch v := &members[i]; {
		case vectorName(v.Name) && (v.Value.IsString() || wholeCommand(v.Value)):
			if vector != nil {
				return abi.Value{}, nil
			}
			vector = v
		case variablesName(v.Name):
			env = v
		case named(v.Name) && program == nil && !shellName(v.Name) && (v.Value.IsString() || wholeCommand(v.Value)) && !manyCommands(v.Name):
			program = v
		}
	}
	if program == nil || vector == nil && env == nil {
		return abi.Value{}, nil
	}
	made := []abi.Member{{Name: "command", Value: program.Value}}
	taken := []string{program.Name}
	if vector != nil {
		made, taken = append(made, abi.Member{Name: "args", Value: vector.Value}), append(taken, vector.Name)
	}
	if env != nil {
		made, taken = append(made, abi.Member{Name: "env", Value: env.Value}), append(taken, env.Name)
	}
	return abi.ObjectValue(made...), taken
}

// vectorName says whether an argument of this name holds the words behind a
// program that stands beside it.
func vectorName(name string) bool {
	s := squash(name)
	switch string(s.text()) {
	case "args", "argv", "arguments", "commandargs", "cmdargs", "commandarguments", "argument", "arg", "parameters", "params":
		return true
	}
	return false
}

func variablesName(name string) bool {
	s := squash(name)
	switch string(s.text()) {
	case "env", "envs", "environment", "envvars", "environmentvariables", "extraenv", "environ":
		return true
	}
	return false
}

func shellName(name string) bool {
	s := squash(name)
	return string(s.text()) == "shell"
}

// judge judges a line, an argument vector, or both beside each other.
func (m *commandMatcher) judge(v abi.Value, p *place) wrong {
	windows := p.Platform == "windows"
	switch v.Kind() {
	case abi.String, abi.RawString:
		if shellName(p.name) && plainShell(v.Str()) {
			return wrong{}
		}
		return m.line(v, p)
	case abi.Array:
		items := v.Items()
		if manyCommands(p.name) {
			for _, item := range items {
				if w := m.judge(item, p.unnamed()); w.code != "" {
					return w
				}
			}
			return wrong{}
		}
		if len(items) == 1 && items[0].IsString() {
			return m.line(items[0], p)
		}
		words, ok := textsOf(items)
		if !ok {
			return m.unread()
		}
		c := readCommandWords(words, windows)
		return m.command(&c, quotedWords(litWords(words)), p)
	case abi.Object:
		return m.beside(v, p)
	}
	return m.unread()
}

// unnamed is the place of a part of a value.
func (p *place) unnamed() *place {
	q := *p
	q.name = ""
	return &q
}

func (m *commandMatcher) unread() wrong {
	if !m.hasAllow {
		return wrong{}
	}
	return wrong{"ARGS_COMMAND_SYNTAX", "a command is no text", "send the command as text, or as a list of words"}
}

func (m *commandMatcher) line(v abi.Value, p *place) wrong {
	if v.Kind() == abi.RawString {
		return wrong{"ARGS_COMMAND_SYNTAX", "a command is not valid Unicode", "send plain text"}
	}
	c := readCommandLine(v.Str(), p.Platform == "windows")
	return m.command(&c, v.Str(), p)
}

// beside judges a program with the words, and the environment, beside it.
func (m *commandMatcher) beside(v abi.Value, p *place) wrong {
	if w := m.environment(v.Get("env")); w.code != "" {
		return w
	}
	program, args := v.Get("command"), v.Get("args")
	switch {
	case !args.Exists():
		return m.judge(program, p.unnamed())
	case args.IsString() && program.IsString():
		return m.line(abi.StringValue(program.Str()+" "+args.Str()), p)
	}
	items := args.Items()
	if args.IsString() {
		items = []abi.Value{args}
	}
	front := program.Items()
	if program.IsString() {
		front = nil
		for _, w := range plainFields(program.Str()) {
			front = append(front, abi.StringValue(w))
		}
		if front == nil {
			// Whether the program's text is a line, or the name of a file, is not known.
			if w := m.line(program, p); w.code != "" || m.hasAllow && len(items) > 0 {
				return either(w, m.unread())
			}
			front = []abi.Value{program}
		}
	}
	words, ok := textsOf(append(slices.Clone(front), items...))
	if !ok {
		return m.unread()
	}
	c := readCommandWords(words, p.Platform == "windows")
	return m.command(&c, quotedWords(litWords(words)), p)
}

func either(a, b wrong) wrong {
	if a.code != "" {
		return a
	}
	return b
}

// plainFields splits a program's text into words, if every reader splits it so.
func plainFields(s string) []string {
	if strings.Trim(s, wordBytes+` \`) != "" {
		return nil
	}
	return strings.Fields(s)
}

// plainShell says whether a text names a shell of the grammars that are read.
func plainShell(s string) bool {
	for _, dir := range [...]string{"", "/bin/", "/usr/bin/"} {
		if name, ok := strings.CutPrefix(s, dir); ok && listsWord(" sh bash dash zsh ksh ", name) {
			return true
		}
	}
	return false
}

// textsOf reads scalars as words.
func textsOf(items []abi.Value) ([]string, bool) {
	var words []string
	for _, item := range items {
		switch item.Kind() {
		case abi.String:
			words = append(words, item.Str())
		case abi.Number, abi.Bool:
			words = append(words, item.Lexeme())
		default:
			return nil, false
		}
	}
	return words, len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.IndexByte(w, 0) >= 0 })
}
