package facts

import (
	"slices"
	"strings"
)

// Unpinnable says why no digest of a command says what it runs, "" if one does:
// the program fetches or builds what it runs when it is started, or starts
// another program.
func Unpinnable(argv []string) string {
	name := programName(argv[0])
	if why := whyAlways(name, !strings.ContainsAny(argv[0], `/\`)); why != "" {
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
	scripts  = "runs a script that another file holds, which its digest says nothing of; name the program that the script starts"
	piped    = "runs what it reads, or what no argument of its own holds; name a script, and list it under entry_args"
	untagged = "runs an image by a name that can be given to another one; name it by its digest, IMAGE@sha256:…"
)

// always are the programs that no argument makes pinnable, by what they do.
var always = []struct{ why, names string }{
	{fetches, "npx pnpx bunx uvx dnx npx-cli.js pkgx"},
	{anything, "env sudo doas su runuser runas nice ionice chrt taskset numactl prlimit timeout gtimeout nohup stdbuf setsid setpriv xargs parallel unbuffer " +
		"chroot unshare nsenter firejail bwrap flatpak snap systemd-run sandbox-exec catchsegv strace ltrace tini dumb-init catatonit s6-setuidgid gosu su-exec " +
		"dotenv dotenvx direnv cross-env cross-env-shell env-cmd nodemon pm2 concurrently npm-run-all wireproxy proxychains proxychains4 torsocks " +
		"mise asdf volta volta-shim proto-shim rtx fnm nodenv pyenv rbenv cmd ssh wsl busybox toybox osascript rundll32 mshta wscript cscript " +
		"doppler infisical chamber envchain aws-vault kubectl oc lxc incus vagrant"},
	{scripts, "make gmake rake gulp grunt turbo lerna tox nox"},
	{untagged, "docker-compose podman-compose"},
}

// plainWords are such programs too, where a name is looked for in PATH. With a path
// they are what somebody called a server.
var plainWords = []struct{ why, names string }{
	{anything, "script watch open start op teller time entr"},
	{scripts, "just task nx invoke"},
}

// whyAlways is the reason for a program that no argument makes pinnable.
func whyAlways(name string, looked bool) string {
	list := always
	if looked {
		list = slices.Concat(always, plainWords)
	}
	for _, of := range list {
		if slices.Contains(strings.Fields(of.names), name) {
			return of.why
		}
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || strings.HasPrefix(name, "ld.so") {
		return anything
	}
	return ""
}

// manyNames are programs that do what the name says that they are started by.
var manyNames = []string{"busybox", "toybox", "coreutils", "uutils"}

// byArguments returns who judges a program of which the arguments decide, nil
// for any other.
func byArguments(name string) func([]string) string {
	switch name {
	case "npm", "pnpm", "yarn":
		return packageManager
	case "bun":
		return ofBun
	case "poetry", "pdm", "hatch", "rye", "pixi", "conda", "mamba", "micromamba", "pipenv", "bundle", "composer", "gem":
		return withVerb(anything, "run", "exec", "shell", "run-script", "script")
	case "pipx", "uv":
		return withVerb(fetches, "run", "runpip", "tool", "x")
	case "nix":
		return withVerb(fetches, "run", "shell", "develop")
	case "dotnet":
		return either(withVerb(fetches, "tool"), withVerb(builds, "run", "watch"))
	case "go", "cargo", "mvn", "gradle", "gradlew", "mvnw", "sbt", "zig", "swift", "bazel", "stack", "cabal", "mix", "lein", "clojure", "clj", "crystal", "dub", "nimble":
		return withVerb(builds, "run", "r", "tool", "exec:java", "bootRun", "watch")
	case "deno":
		return deno
	case "corepack":
		return inner
	case "node", "nodejs":
		return ofNode
	case "python", "py":
		return ofPython
	case "docker", "podman", "nerdctl":
		return image
	case "sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "rbash", "nu", "elvish", "xonsh":
		return shell
	case "powershell", "pwsh":
		return func(args []string) string { return powershell(args, name == "pwsh") }
	}
	return nil
}

// either asks one judge and then another.
func either(a, b func([]string) string) func([]string) string {
	return func(args []string) string {
		if why := a(args); why != "" {
			return why
		}
		return b(args)
	}
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
