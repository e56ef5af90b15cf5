// Command k8s-manifest is a Callgate plugin that refuses Kubernetes workloads
// which reach for their node, wherever in the arguments their manifest stands.
package main

import (
	"slices"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Configure: configure, Evaluate: evaluate})

func main() {}

// field is a field of a pod that reaches for the node.
type field struct {
	name    string // folded
	code    string
	what    string // as the settings name it
	spelled string // as Kubernetes does
}

var fields = []field{
	{"hostnetwork", "K8S_HOST_NAMESPACE", "host_namespace", "hostNetwork"},
	{"hostpid", "K8S_HOST_NAMESPACE", "host_namespace", "hostPID"},
	{"hostipc", "K8S_HOST_NAMESPACE", "host_namespace", "hostIPC"},
	{"privileged", "K8S_PRIVILEGED", "privileged", "privileged"},
	{"allowprivilegeescalation", "K8S_PRIVILEGED", "privileged", "allowPrivilegeEscalation"},
	{"hostprocess", "K8S_PRIVILEGED", "privileged", "hostProcess"},
	{"hostpath", "K8S_HOST_PATH", hostPath, "hostPath"},
	{"hostport", "K8S_HOST_PORT", hostPort, "hostPort"},
}

// The fields that are more than true or false, as the settings name them.
const (
	hostPath = "host_path"
	hostPort = "host_port"
)

// capability is the pseudo field for capabilities that are added.
var capability = field{"capabilities", "K8S_CAPABILITY", "capability", "capabilities"}

var set struct {
	arguments    []string
	allow        []string
	capabilities []string
	ask          bool
}

func configure(v callgate.Value) error {
	set.arguments, set.allow = list(v.Get("arguments")), list(v.Get("allow"))
	set.capabilities = []string{"NET_BIND_SERVICE"}
	if c := v.Get("capabilities"); c.Exists() {
		set.capabilities = list(c)
	}
	set.ask = v.Get("verdict").Text() == "ask"
	return nil
}

func list(v callgate.Value) (out []string) {
	for item := range v.Items() {
		out = append(out, item.Text())
	}
	return out
}

func evaluate(s callgate.Snapshot) *callgate.Verdict {
	arguments := s.Call().Arguments()
	pointers := set.arguments
	if len(pointers) == 0 {
		pointers = []string{""}
	}
	for _, p := range pointers {
		if f := look(arguments.At(p)); f.code != "" {
			v := callgate.Deny(f.code)
			if set.ask {
				v = callgate.Ask(f.code)
			}
			return v.Because(f.because).At(f.at)
		}
	}
	return callgate.Abstain()
}

// finding is the first thing that is wrong; code "" is nothing.
type finding struct{ code, because, at string }

func (f field) found(at, because string) finding {
	if slices.Contains(set.allow, f.what) {
		return finding{}
	}
	return finding{f.code, because, at}
}

// maxNested bounds JSON in text in JSON. kubectl reads one level.
const maxNested = 4

// look goes through a value, and through JSON and YAML in its texts.
func look(v callgate.Value) finding {
	type part struct {
		v     callgate.Value
		depth int
	}
	parts := []part{{v, 0}}
	for len(parts) > 0 {
		p := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		for inner := range p.v.All() {
			if f := member(inner); f.code != "" {
				return f
			}
			text := inner.Text()
			if text == "" {
				if f := patched(inner); f.code != "" {
					return f
				}
				continue
			}
			opened, rest := jsonIn(inner, text)
			if f := scan(rest, inner.Pointer()); f.code != "" {
				return f
			}
			if len(opened) > 0 && p.depth == maxNested {
				return finding{"K8S_UNREADABLE", "JSON in text, nested deeper than anything reads", inner.Pointer()}
			}
			for _, o := range opened {
				parts = append(parts, part{o, p.depth + 1})
			}
		}
	}
	return finding{}
}

// member judges one member of an object by its name.
func member(v callgate.Value) finding {
	name := fold(v.Name())
	if name == "add" && v.Kind() == callgate.Array {
		for c := range v.Items() {
			if f := added(c.Text(), v.Pointer()); c.IsString() && f.code != "" {
				return f
			}
		}
	}
	for part := range strings.FieldsFuncSeq(name, dots) {
		if f, ok := fieldOf(part); ok && !off(v) {
			if found := f.found(v.Pointer(), "it sets "+v.Name()); found.code != "" {
				return found
			}
		}
	}
	return finding{}
}

// dots are what stands between the names of a path, such as spec[0].hostPath.
func dots(r rune) bool { return r == '.' || r == '[' || r == ']' }

// patched judges a step of a JSON Patch (RFC 6902), which names a field in its path,
// and a parameter of a chart, which has it as its name.
func patched(v callgate.Value) finding {
	if v.Kind() != callgate.Object {
		return finding{}
	}
	path, value := v.Get("path"), v.Get("value")
	copied := strings.EqualFold(v.Get("op").Text(), "copy") || strings.EqualFold(v.Get("op").Text(), "move")
	if name := v.Get("name"); name.IsString() && value.Exists() {
		for part := range strings.FieldsFuncSeq(name.Text(), dots) {
			if f, ok := fieldOf(fold(part)); ok && part == f.spelled && !off(value) {
				if found := f.found(name.Pointer(), "a parameter sets "+part); found.code != "" {
					return found
				}
			}
		}
	}
	if !path.IsString() || !value.Exists() && !copied || strings.EqualFold(v.Get("op").Text(), "test") {
		return finding{}
	}
	tokens := strings.FieldsFunc(fold(path.Text()), func(r rune) bool { return r == '/' || dots(r) })
	for _, token := range tokens {
		if f, ok := fieldOf(token); ok && (copied || !off(value)) {
			if found := f.found(path.Pointer(), "a patch sets "+f.name); found.code != "" {
				return found
			}
		}
	}
	n := len(tokens)
	if n < 2 || tokens[n-2] != "add" && tokens[n-1] != "add" {
		return finding{}
	}
	if copied && slices.Contains(tokens, capability.name) {
		return capability.found(path.Pointer(), "a patch copies a capability")
	}
	for c := range value.All() {
		if f := added(c.Text(), path.Pointer()); c.IsString() && f.code != "" {
			return f
		}
	}
	return finding{}
}

// added judges a capability that is added. Other lists called add hold no names
// like it.
func added(name, at string) finding {
	name = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(name)), "CAP_")
	if slices.ContainsFunc(set.capabilities, func(c string) bool { return strings.EqualFold(strings.TrimPrefix(strings.ToUpper(c), "CAP_"), name) }) {
		return finding{}
	}
	if slices.Contains(known, name) {
		return capability.found(at, "it adds the capability "+name)
	}
	return finding{}
}

// known are the capabilities of Linux, capabilities(7).
var known = []string{
	"ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER",
	"FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE",
	"NET_BROADCAST", "NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE",
	"SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM",
}

// off says whether a value leaves a field as if it were not there.
func off(v callgate.Value) bool {
	switch v.Kind() {
	case callgate.Absent, callgate.Null:
		return true
	case callgate.Bool:
		return !v.Bool()
	case callgate.Number:
		return v.JSON() == "0"
	case callgate.String:
		return isOff(v.Text())
	case callgate.Object:
		if schemaType(v.Get("type").Text()) && !v.Get("path").Exists() {
			return true // it describes the field
		}
		return false
	case callgate.Array:
		for range v.Items() {
			return false
		}
		return true
	}
	return false
}

// isOff says whether a word is false or nothing, in YAML 1.1 too.
func isOff(s string) bool {
	switch strings.ToLower(s) {
	case "", "false", "no", "off", "n", "null", "~", "0":
		return true
	}
	return false
}

// fold is how a reader that ignores case, or that writes host_path, takes a name.
func fold(s string) string {
	return strings.ReplaceAll(lower(plain(strings.TrimSpace(s))), "_", "")
}
