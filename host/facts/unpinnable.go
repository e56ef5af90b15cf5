package facts

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Unpinnable says why no digest of a command says what it runs, "" if one does:
// the program fetches or builds what it runs when it is started, or starts
// another program.
func Unpinnable(argv []string) string {
	name := programName(argv[0])
	if why, ok := always[name]; ok {
		return named(name) + why
	}
	if judge := byArguments(name); judge != nil {
		if why := judge(argv[1:]); why != "" {
			return named(name) + why
		}
	}
	return ""
}

func named(name string) string { return "\"" + name + "\" " }

// programName is a program without its directory, and without what Windows or
// a version adds to its name.
func programName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		path = path[i+1:]
	}
	name := strings.ToLower(path)
	for _, end := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, end)
	}
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		return "python"
	}
	return name
}

const (
	fetches  = "fetches what it runs from a registry when it is started, so its digest says nothing of that; install the server, and name the installed program or script"
	builds   = "builds what it runs when it is started, so its digest says nothing of that; build the server, and name the built program"
	anything = "starts another program, which its digest says nothing of; name that program itself, and its variables in the client's configuration"
	untagged = "runs an image by a name that can be given to another one; name it by its digest, IMAGE@sha256:…"
)

// always are the programs that no argument makes pinnable.
var always = map[string]string{
	"npx": fetches, "pnpx": fetches, "bunx": fetches, "uvx": fetches, "dnx": fetches, "npx-cli.js": fetches,
	"env": anything, "sudo": anything, "doas": anything, "nice": anything, "ionice": anything, "chrt": anything, "timeout": anything,
	"nohup": anything, "stdbuf": anything, "setsid": anything, "time": anything, "xargs": anything, "script": anything, "unbuffer": anything,
	"chroot": anything, "unshare": anything, "nsenter": anything, "firejail": anything, "bwrap": anything, "dotenv": anything, "direnv": anything,
	"mise": anything, "asdf": anything, "volta": anything, "cmd": anything, "ssh": anything, "wsl": anything, "busybox": anything, "start": anything,
	"docker-compose": untagged,
}

// byArguments returns who judges a program of which the arguments decide, nil
// for any other.
func byArguments(name string) func([]string) string {
	switch name {
	case "npm":
		return withVerb(fetches, "exec", "x", "init", "innit", "create")
	case "pnpm", "yarn":
		return withVerb(fetches, "dlx", "create")
	case "bun":
		return withVerb(fetches, "x", "create")
	case "pipx", "uv":
		return withVerb(fetches, "run", "runpip", "tool", "x")
	case "nix":
		return withVerb(fetches, "run", "shell", "develop")
	case "dotnet":
		return withVerb(fetches, "tool")
	case "go", "cargo":
		return withVerb(builds, "run", "r", "tool")
	case "deno":
		return deno
	case "corepack":
		return inner
	case "node":
		return ofNode
	case "python", "py":
		return ofPython
	case "docker", "podman", "nerdctl":
		return image
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "powershell", "pwsh":
		return shell
	}
	return nil
}

// withVerb refuses the verbs of a program, wherever its own options let them
// stand.
func withVerb(why string, verbs ...string) func([]string) string {
	return func(args []string) string {
		for _, a := range args {
			switch {
			case a == "--":
				return ""
			case slices.Contains(verbs, a):
				return why
			}
		}
		return ""
	}
}

// remote begins what deno fetches.
var remote = regexp.MustCompile(`(?i)^(https?|npm|jsr|data|blob):`)

// deno runs what stands at an address.
func deno(args []string) string {
	for _, a := range args {
		if remote.MatchString(a) {
			return fetches
		}
		if strings.HasSuffix(a, ".js") || strings.HasSuffix(a, ".ts") || strings.HasSuffix(a, ".mjs") || strings.HasSuffix(a, ".mts") {
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

// ofNode is node with the script of a package manager.
func ofNode(args []string) string {
	for i, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		switch name := strings.ToLower(filepath.Base(a)); name {
		case "npx-cli.js", "npx":
			return fetches
		case "npm-cli.js", "npm", "pnpm.cjs", "pnpm", "yarn.js", "yarn", "corepack.js", "corepack":
			return inner(append([]string{strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".cjs"), ".js"), "-cli")}, args[i+1:]...))
		}
		return ""
	}
	return ""
}

// ofPython is python with a module that fetches, or with code that no file
// holds.
func ofPython(args []string) string {
	for i, a := range args {
		switch {
		case a == "-m" && i+1 < len(args):
			return inner(args[i+1:])
		case strings.HasPrefix(a, "-m") && len(a) > 2:
			return inner(append([]string{a[2:]}, args[i+1:]...))
		case !strings.HasPrefix(a, "-"):
			return ""
		}
	}
	return ""
}

// shell is one that is given a command line, and not a script.
func shell(args []string) string {
	for _, a := range args {
		lower := strings.ToLower(a)
		switch {
		case !strings.HasPrefix(a, "-"):
			return ""
		case strings.HasPrefix(lower, "-command"), strings.HasPrefix(lower, "-enc"), strings.HasPrefix(lower, "--command"):
			return anything
		case !strings.HasPrefix(a, "--") && strings.Contains(lower, "c"):
			return anything
		}
	}
	return ""
}
