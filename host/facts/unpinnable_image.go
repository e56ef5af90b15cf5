package facts

import (
	"regexp"
	"slices"
	"strings"
)

// pinnedImage ends the name of an image that can be no other.
var pinnedImage = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)

// imageSwitches are the options of run that have no value. Every other one is
// taken to have one, behind = or in the next word.
var imageSwitches = []string{
	"--interactive", "--tty", "--detach", "--rm", "--init", "--privileged", "--read-only", "--publish-all", "--quiet", "--no-healthcheck",
	"--oom-kill-disable", "--sig-proxy", "--disable-content-trust", "--replace", "--no-hosts", "--rmi", "--tls-verify",
}

// image is what a program of containers runs.
func image(args []string) string {
	i := slices.IndexFunc(args, func(a string) bool {
		return slices.Contains([]string{"run", "create", "compose", "mcp", "exec", "start"}, a)
	})
	switch {
	case i < 0:
		return ""
	case args[i] != "run" && args[i] != "create":
		return "runs what another file or container says, which its digest says nothing of; start the image itself, by its digest: run … IMAGE@sha256:…"
	}
	for i++; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--" && i+1 < len(args):
			return ofImage(args[i+1])
		case !strings.HasPrefix(a, "-"):
			return ofImage(a)
		case strings.Contains(a, "="), slices.Contains(imageSwitches, a), switches(a):
		default:
			i++ // its value
		}
	}
	return ""
}

// switches says whether a word is made of short options without a value.
func switches(a string) bool {
	return !strings.HasPrefix(a, "--") && strings.Trim(a[1:], "itdPq") == ""
}

func ofImage(name string) string {
	if pinnedImage.MatchString(name) {
		return ""
	}
	return untagged
}
