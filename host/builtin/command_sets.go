package builtin

import "strings"

// setters are commands of the shell that set or drop the variables that their
// words name; those of declarations only where a value stands beside the name.
const (
	setters      = " read mapfile readarray unset let getopts printf wait" + declarations
	declarations = " declare export readonly typeset local "
)

// sets takes note of the variables that a command of the shell sets by the names
// among its words. printf and wait do for one option only.
func (r *commandReader) sets(name string, words []commandWord) {
	if !listsWord(setters, name) {
		return
	}
	words = words[1:]
	switch name {
	case "printf":
		words = optionValue(words, "-v")
	case "wait":
		words = optionValue(words, "-p")
	case "getopts":
		words = words[min(1, len(words)):]
		words = words[:min(1, len(words))]
	}
	for _, w := range words {
		target, _, given := strings.Cut(w.text, "=")
		target, _, _ = strings.Cut(strings.TrimSuffix(target, "+"), "[")
		switch {
		case !given && listsWord(declarations, name): // which says something of the variable, and gives it no value
		case w.kind == wordMany, w.kind != wordPlain && target == w.text:
			r.wonder("only running it tells which variable a command of the shell sets")
		case isIdentifier(target):
			r.variables = append(r.variables, variable{name: target, value: commandWord{kind: wordMany}, local: true})
		}
	}
}

// optionValue returns the word behind an option of one letter, or the rest of the
// option's own. Behind the first word that is no option there is none.
func optionValue(words []commandWord, option string) []commandWord {
	for i, w := range words {
		switch {
		case w.text == option && w.kind == wordPlain:
			return words[i+1 : min(i+2, len(words))]
		case strings.HasPrefix(w.text, option):
			w.text = w.text[len(option):]
			return []commandWord{w}
		case w.text == "--" || !w.option():
			return nil
		}
	}
	return nil
}

// isIdentifier says whether a text is a name that a variable can have.
func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !identifier(s[i]) || i == 0 && s[i] >= '0' && s[i] <= '9' {
			return false
		}
	}
	return s != ""
}
