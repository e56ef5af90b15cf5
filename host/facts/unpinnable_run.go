package facts

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// words are arguments that are read one by one.
type words struct {
	args   []string
	valued []string // options whose value is the next word
}

// next takes the next word that is no option, with the options before it.
func (w *words) next() (options []string, word string, ok bool) {
	for len(w.args) > 0 {
		a := w.args[0]
		w.args = w.args[1:]
		switch {
		case a == "--" && len(w.args) > 0:
			word, w.args = w.args[0], w.args[1:]
			return options, word, true
		case a == "-", !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+"):
			return options, a, true
		}
		options = append(options, a)
		if slices.Contains(w.valued, a) && len(w.args) > 0 {
			w.args = w.args[1:]
		}
	}
	return options, "", false
}

// packageManager runs scripts of package.json, by any word that is no verb of its
// own.
func packageManager(args []string) string {
	for _, a := range args {
		switch a {
		case "exec", "x", "dlx", "init", "innit", "create", "c":
			return fetches
		case "--":
			return scripts
		}
	}
	w := words{args: args, valued: []string{"--prefix", "-C", "--dir", "--cwd", "--filter", "-w", "--workspace", "--loglevel", "--userconfig"}}
	_, verb, ok := w.next()
	if !ok && !slices.ContainsFunc(args, func(a string) bool { return a == "--version" || a == "-v" || a == "--help" }) || ok && !slices.Contains([]string{"version", "help", "list", "ls", "root", "bin", "prefix"}, verb) {
		return scripts
	}
	return ""
}

// scriptFile ends the name of a file that a runtime of JavaScript runs.
var scriptFile = regexp.MustCompile(`(?i)\.[cm]?[jt]sx?$`)

// ofBun runs a file, or a script of package.json by its name.
func ofBun(args []string) string {
	w := words{args: args, valued: []string{"--cwd", "-r", "--preload", "--filter", "-c", "--config", "--env-file", "--tsconfig-override"}}
	_, word, ok := w.next()
	switch {
	case !ok:
		return ""
	case word == "x" || word == "create" || word == "c" || word == "init":
		return fetches
	case word == "run":
		if _, word, ok = w.next(); !ok {
			return ""
		}
	}
	if !scriptFile.MatchString(word) {
		return scripts
	}
	return ""
}

// remote begins what deno fetches.
var remote = regexp.MustCompile(`(?i)^(https?|npm|jsr|data|blob):`)

// deno runs what stands at an address, or a task of deno.json.
func deno(args []string) string {
	for _, a := range args {
		switch {
		case remote.MatchString(a):
			return fetches
		case a == "task":
			return scripts
		case scriptFile.MatchString(a):
			return "" // a script; what follows is the script's
		}
	}
	return ""
}

// inner is a program whose arguments are another command.
func inner(args []string) string {
	if len(args) == 0 {
		return ""
	}
	if why := Unpinnable(args); why != "" {
		return "runs " + why
	}
	return ""
}

// nodeValued are the options of node whose value is the next word.
var nodeValued = []string{
	"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--title", "--input-type",
	"--icu-data-dir", "--openssl-config", "--diagnostic-dir", "--inspect-port", "--stack-trace-limit", "--max-http-header-size",
}

// ofNode is node with the script of a package manager, or a script of package.json.
func ofNode(args []string) string {
	w := words{args: args, valued: nodeValued}
	options, script, ok := w.next()
	if slices.ContainsFunc(options, func(o string) bool { return o == "--run" || strings.HasPrefix(o, "--run=") }) {
		return scripts
	}
	if !ok {
		return ""
	}
	switch name := strings.ToLower(filepath.Base(script)); name {
	case "npx-cli.js", "npx":
		return fetches
	case "npm-cli.js", "npm", "pnpm.cjs", "pnpm", "yarn.js", "yarn", "corepack.js", "corepack":
		return inner(append([]string{strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".cjs"), ".js"), "-cli")}, w.args...))
	}
	return ""
}

// ofPython is python with a module that fetches, or with code that no file
// holds.
func ofPython(args []string) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-m" && i+1 < len(args):
			return inner(args[i+1:])
		case strings.HasPrefix(a, "-m") && len(a) > 2:
			return inner(append([]string{a[2:]}, args[i+1:]...))
		case a == "-W" || a == "-X" || a == "--check-hash-based-pycs":
			i++ // its value
		case !strings.HasPrefix(a, "-") || a == "-c" || a == "-":
			return ""
		case !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "m") && i+1 < len(args) && !strings.ContainsAny(a, "cWX"):
			return inner(args[i+1:]) // -Im, -um
		}
	}
	return ""
}

// shellValued are the options of shells whose value is the next word.
var shellValued = []string{"--rcfile", "--init-file", "-o", "+o", "-O", "+O", "-d", "--debug", "-f", "--features"}

// shell is one that is given a command line, or none, and not a script.
func shell(args []string) string {
	w := words{args: args, valued: shellValued}
	options, script, ok := w.next()
	for _, o := range options {
		lower := strings.ToLower(o)
		switch {
		case strings.HasPrefix(lower, "--command"), strings.HasPrefix(lower, "--init-command"), strings.HasPrefix(lower, "--execute"):
			return anything
		case strings.HasPrefix(o, "--"):
		case strings.Contains(lower, "c"):
			return anything
		case strings.Contains(o, "s"):
			return piped
		}
	}
	if len(args) > 0 && (!ok || script == "-") && !slices.Contains(args, "--version") {
		return piped
	}
	return ""
}

// powershell is given a command line, or a script behind -File. pwsh takes a word
// that stands alone for a script, and Windows PowerShell for a command.
func powershell(args []string, pwsh bool) string {
	for i := 0; i < len(args); i++ {
		a := strings.ToLower(strings.TrimLeft(args[i], "-/"))
		option := len(a) < len(args[i])
		is := func(full string, least int) bool { return option && len(a) >= least && strings.HasPrefix(full, a) }
		switch {
		case is("file", 1):
			return ""
		case is("executionpolicy", 2), a == "ep" && option, is("windowstyle", 1), is("workingdirectory", 2), is("configurationname", 6), is("settingsfile", 2), is("inputformat", 2), is("outputformat", 1), is("version", 1):
			i++ // its value
		case is("command", 1), is("encodedcommand", 1), a == "ec" && option, is("commandwithargs", 1), a == "cwa" && option:
			return anything
		case !option && pwsh:
			return ""
		case !option:
			return anything
		}
	}
	return ""
}
