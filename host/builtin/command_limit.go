package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/callgate/callgate/abi"
)

// commandOptions lists the only options that one command may have.
type commandOptions struct {
	command commandDenial
	options []string
}

func compileOptions(byCommand map[string][]string) ([]commandOptions, error) {
	var all []commandOptions
	var names []string
	for name := range byCommand {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		d, err := compileDenial(name)
		if err != nil {
			return nil, err
		}
		if len(d.options) > 0 || d.subs < len(d.words) {
			return nil, fmt.Errorf("options: %q is not a program with its subcommands, as in \"git log\"", name)
		}
		for _, option := range byCommand[name] {
			if len(option) < 2 || option[0] != '-' || !doublestar.ValidatePattern(option) {
				return nil, fmt.Errorf("options: %q of %q is no option; want one that starts with a dash", option, name)
			}
		}
		all = append(all, commandOptions{command: d, options: byCommand[name]})
	}
	return all, nil
}

// optionsOf refuses options that are not among the listed ones of their command.
func (m *commandMatcher) optionsOf(c *commandReading) wrong {
	for i := range c.simples {
		s := &c.simples[i]
		for j := range m.options {
			o := &m.options[j]
			if s.words[0].kind != wordPlain || !o.command.runs(s.words[0].text) {
				continue
			}
			if begins, _ := o.command.begins(s.words[1:]); begins && !o.accept(s) {
				return wrong{"ARGS_COMMAND_OPTION", "a command has an option that the rule does not list for it", "leave the option out, or add it to options at the rule"}
			}
		}
	}
	return wrong{}
}

func (o *commandOptions) accept(s *simpleCommand) bool {
	for i := 1; i < len(s.words); i++ {
		w := &s.words[i]
		switch {
		case w.kind == wordPlain && w.text == "--":
			return true
		case !w.option():
		case w.kind != wordPlain || !o.lists(w.text):
			return false
		}
	}
	return !s.more
}

// lists says whether an option is listed: by its name, or every one of a cluster,
// or one with a number behind it.
func (o *commandOptions) lists(text string) bool {
	name, _, _ := strings.Cut(text, "=")
	for _, option := range o.options {
		if option == name || option == text || doublestar.MatchUnvalidated(option, text) {
			return true
		}
	}
	if strings.HasPrefix(text, "--") {
		return false
	}
	if slices.Contains(o.options, text[:2]) && allDigits(text[2:]) {
		return true
	}
	for i := 1; i < len(text); i++ {
		if !slices.Contains(o.options, "-"+text[i:i+1]) {
			return false
		}
	}
	return true
}

var setVariable = wrong{"ARGS_COMMAND_ENV", "a command sets a variable that the rule does not list", "leave it out, or add it to env at the rule"}

// set refuses assignments that could change what programs do.
func (m *commandMatcher) set(c *commandReading) wrong {
	odd := false
	for i := range c.variables {
		v := &c.variables[i]
		odd = odd || v.value.kind != wordPlain || strings.Trim(v.value.text, wordBytes) != ""
		if !(v.local && shellVariable(v.name)) && !m.mayset(v.name, &v.value) {
			return setVariable
		}
	}
	for i := range c.simples {
		odd = odd || listsWord(" read mapfile readarray printf getopts declare typeset export local readonly let ", c.simples[i].words[0].text)
	}
	if c.names && odd {
		return wrong{"ARGS_COMMAND_UNDECIDABLE", "nobody can say for sure what a command runs: it computes with what variables say", "write the numbers out"}
	}
	return wrong{}
}

func (m *commandMatcher) mayset(name string, value *commandWord) bool {
	for _, listed := range m.env {
		want, text, exact := strings.Cut(listed, "=")
		if want == name && (!exact || value.kind == wordPlain && value.text == text) {
			return true
		}
	}
	return false
}

// shellVariable says whether a variable is one that only the line itself reads,
// by the looks of its name.
func shellVariable(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return name != "" && name[0] != '_' && !strings.HasSuffix(name, "path") && !strings.Contains(name, "proxy") && !strings.Contains(name, "config") &&
		!listsWord(" prompt histchars argv status options functions aliases commands ", name)
}

// environment refuses variables that stand in an argument beside the command.
func (m *commandMatcher) environment(v abi.Value) wrong {
	if !m.hasAllow || !v.Exists() {
		return wrong{}
	}
	for _, member := range v.Members() {
		value := commandWord{text: member.Value.Str()}
		if !member.Value.IsString() {
			value.kind = wordMany
		}
		if !m.mayset(member.Name, &value) {
			return setVariable
		}
	}
	for _, item := range v.Items() {
		name, text, _ := strings.Cut(item.Str(), "=")
		if !m.mayset(name, &commandWord{text: text}) {
			return setVariable
		}
	}
	if v.IsString() && v.Str() != "" {
		return setVariable
	}
	return wrong{}
}

// opened refuses files that a line opens outside of what the rule lists.
func (m *commandMatcher) opened(c *commandReading, starred []bool, at *whence) wrong {
	for i := range c.redirects {
		d := &c.redirects[i]
		globs := m.reads
		if d.write {
			globs = m.writes
		}
		if starred == nil && len(globs) == 0 || harmlessFile(&d.target) {
			continue
		}
		if d.target.kind == wordPlain && d.target.text != "" && inGlobs(globs, d.target.path(), at) {
			continue
		}
		if !d.write && len(m.reads) == 0 && starredAt(c, starred, d.of) && !strings.HasPrefix(d.target.text, "/dev/") && d.target.kind == wordPlain {
			continue
		}
		if d.write {
			return wrong{"ARGS_COMMAND_WRITE", "a command writes a file that the rule does not list", "write elsewhere, or add to writes at the rule"}
		}
		return wrong{"ARGS_COMMAND_READ", "a command reads a file that the rule does not list", "name another file, or add to reads at the rule"}
	}
	return wrong{}
}

// harmlessFile says whether a redirection reaches no file.
func harmlessFile(w *commandWord) bool {
	return w.kind == wordPlain && !w.tilde && listsWord(" /dev/null /dev/stdout /dev/stderr /dev/stdin ", w.text)
}

func inGlobs(globs []glob, text string, at *whence) bool {
	return at.every(text, func(path string) bool {
		return slices.ContainsFunc(globs, func(g glob) bool { return g.match(path, at.fold, at.place) })
	})
}

// starredAt says whether a command was allowed with any further words: it could
// have named the file itself.
func starredAt(c *commandReading, starred []bool, i int) bool {
	for i >= 0 && i < len(starred) {
		if starred[i] {
			return true
		}
		if !c.simples[i].clear || c.simples[i].line {
			return false
		}
		i++
	}
	return false
}
