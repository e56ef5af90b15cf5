package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// The words that names of switches are made of: one that takes away, and what it
// takes away; what is unguarded by its name; and guards, which are off when their
// value is.
var (
	offVerbs = []string{"dangerously", "bypass", "skip", "disable", "ignore", "without", "suppress", "override", "no"}
	offNouns = []string{"permission", "approval", "approve", "confirm", "verify", "verif", "sandbox", "hook", "safety", "safeguard", "check", "guard", "polic", "validat",
		"prompt", "review", "authentication", "authorization", "authz", "authn", "security", "protection", "ssl", "tls", "cert", "signature", "gpgsign", "restriction", "consent"}
	unguarded = []string{"bypass", "bypassall", "yolo", "yolomode", "unsafe", "unsafemode", "insecure", "autoapprove", "autoapproval", "autoconfirm", "autoaccept", "approveall", "approvealltools",
		"alwaysapprove", "alwaysallow", "trustall", "trustalltools", "allowall", "allowalltools", "allowunsafe", "allowdangerous", "assumeyes", "fullauto", "dangermode", "godmode",
		"dangerous", "dangerously", "unrestricted", "acceptall", "nonverify", "nointeractiveconfirm"}
	guards = []string{"sandbox", "sandboxed", "sandboxenabled", "verify", "verifyssl", "sslverify", "verifytls", "tlsverify", "strictssl", "verifycert", "verifycerts",
		"verifysignature", "requireapproval", "requiresapproval", "approvalrequired", "requireconfirmation", "requirepermission", "requirepermissions", "askforapproval",
		"askpermission", "permissioncheck", "permissionchecks", "checkpermissions", "safemode", "safetychecks", "runhooks", "enablehooks", "enforcepolicy"}
	modes     = []string{"permissionmode", "approvalmode", "approvalpolicy", "sandboxmode", "permissions", "permission", "mode", "safetymode", "trustmode", "sandboxpolicy"}
	offLevels = []string{"bypasspermissions", "bypass", "yolo", "never", "dangerfullaccess", "fullauto", "skippermissions", "dangerouslyskippermissions", "autoapprove", "autoapproveall",
		"allowall", "unrestricted", "dontask", "noapproval", "trustall", "unsafe"}
)

// switchName says whether an argument of this name switches a guard off when it
// is on.
func switchName(name string) bool {
	s := squash(unnumbered(name))
	text := string(s.text())
	if listedAs(name, unguarded) || strings.HasPrefix(text, "dangerously") || strings.HasPrefix(text, "yolo") {
		return true
	}
	for _, verb := range offVerbs {
		i := strings.Index(text, verb)
		if i < 0 || verb == "no" && i > 0 {
			continue
		}
		rest := text[i+len(verb):]
		for _, noun := range offNouns {
			at := strings.Index(rest, noun)
			if at == 0 || at > 0 && verb != "no" && verb != "override" && verb != "ignore" || at > 0 && wordsBetween(name, verb) {
				return true
			}
		}
	}
	return false
}

// wordsBetween says whether a name starts with a verb as a word of its own.
func wordsBetween(name, verb string) bool {
	words := wordsOf(name)
	return len(words) > 1 && words[0] == verb
}

func listedAs(name string, list []string) bool {
	s := squash(unnumbered(name))
	for _, x := range list {
		if string(s.text()) == x {
			return true
		}
	}
	return false
}

// holdsSwitch says whether an argument of this name is a switch, a guard or a
// level of guarding, or can hold a switch among its words.
func holdsSwitch(name string) bool {
	return switchName(name) || listedAs(name, guards) || listedAs(name, modes) || commandName(name) || flagsName(name) || environmentName(name)
}

func flagsName(name string) bool {
	s := squash(name)
	return s.endsIn("flags") || s.endsIn("flag") || s.endsIn("options") || s.endsIn("opts") || s.endsIn("switches") || s.endsIn("extraargs")
}

// bypassMatcher refuses what switches a guard off.
type bypassMatcher struct{ declaredNames }

func newBypassMatcher(rule *contract.Arg) (matcher, error) {
	return bypassMatcher{namesDeclared(rule)}, nil
}

func (bypassMatcher) wants() bool { return false }

// whole takes an object under a switch's own name for one.
func (m bypassMatcher) whole(v abi.Value, name string) bool {
	return v.Kind() == abi.Object && (m.has(name) || switchName(name))
}

func (m bypassMatcher) judge(v abi.Value, p *place) wrong {
	found := false
	switch {
	case m.has(p.name) || switchName(p.name):
		found = isOn(v)
	case listedAs(p.name, guards):
		found = isOff(v) || v.IsString() && listedAs(v.Str(), offLevels)
	case listedAs(p.name, modes):
		found = v.IsString() && listedAs(v.Str(), offLevels)
	case v.IsString():
		found = carriesSwitch(v.Str())
	}
	if !found {
		return wrong{}
	}
	return wrong{"ARGS_BYPASS_ON", "the call switches a guard off", "leave the switch out, or send it as false"}
}

// isOn says whether a switch is on: whatever does not say that it is off. An object
// is as its member says that a switch is called by, else on unless all is off.
func isOn(v abi.Value) bool {
	if v.Kind() == abi.Null {
		return false
	}
	if v.Kind() != abi.Object {
		return !isOff(v)
	}
	some := v.Len() == 0
	for _, m := range v.Members() {
		if listedAs(m.Name, []string{"enabled", "enable", "active", "on", "value"}) {
			return isOn(m.Value)
		}
		some = some || isOn(m.Value)
	}
	return some
}

// isOff says whether a value switches off whatever its name says: false, zero,
// and the words for it.
func isOff(v abi.Value) bool {
	switch v.Kind() {
	case abi.Bool:
		return !v.True()
	case abi.Number:
		n, err := parseDecimal(v.Lexeme())
		return err == nil && n.sign() == 0
	case abi.String:
		switch strings.ToLower(strings.TrimSpace(v.Str())) {
		case "", "false", "off", "no", "n", "f", "0", "none", "null", "disabled", "disable":
			return true
		}
	}
	return false
}

// carriesSwitch says whether a word of a text is a flag, or sets a variable, that
// switches a guard off.
func carriesSwitch(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`"';&|()\`+"`"+`,[]{}`, r) })
	for i, word := range words {
		name, value, set := strings.Cut(strings.TrimLeft(word, "-"), "=")
		flag := strings.HasPrefix(word, "-")
		if !flag && !set {
			continue
		}
		on := !set || !isOff(abi.StringValue(value))
		if switchName(name) && on {
			return true
		}
		if !set && i+1 < len(words) {
			value = words[i+1]
		}
		if (listedAs(name, modes) || listedAs(name, guards)) && listedAs(value, offLevels) {
			return true
		}
	}
	return false
}
