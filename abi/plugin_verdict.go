package abi

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

var saidMembers = []string{"outcome", "code", "reason", "at", "labels", "redact", "hide", "budget", "tags"}

// ParsePluginVerdict reads what a plugin answered in a phase, and holds it to the
// ABI and to its manifest. It returns the verdict without a receipt's digests:
// contract, code and obligations with the plugin's labels under its name, and what
// it said for people in [Verdict.Plugin]. The name is the one that the policy gave
// the plugin, and the reason the host's own sentence. An error means that it
// denies, with the class protocol.
func ParsePluginVerdict(data []byte, m *Manifest, name string, phase Phase) (Verdict, error) {
	if len(data) == 0 || len(data) > MaxVerdictBytes {
		return Verdict{}, fmt.Errorf("verdict: %d bytes; want 1 to %d", len(data), MaxVerdictBytes)
	}
	said, err := Parse(data)
	if err != nil {
		return Verdict{}, fmt.Errorf("verdict: %w", err)
	}
	r := read("verdict", said)
	v := Verdict{Contract: name, Outcome: r.outcome("outcome"), Code: r.str("code"), At: pointers(&r, "at", ""), Plugin: &PluginReceipt{Reason: r.str("reason")}}
	if v.Outcome == Allow {
		r.fail("outcome: a plugin can not allow; want abstain, ask or deny")
	}
	if utf8.RuneCountInString(v.Plugin.Reason) > MaxReasonRunes {
		r.fail("reason: %d characters; at most %d", utf8.RuneCountInString(v.Plugin.Reason), MaxReasonRunes)
	}
	o := &v.Obligations
	o.CallLabels, o.SessionLabels = pluginLabels(&r, name)
	o.Redact = pointers(&r, "redact", "/result/")
	if o.Hide = r.strs("hide"); len(o.Hide) > MaxHidden {
		r.fail("hide: %d names; at most %d", len(o.Hide), MaxHidden)
	}
	o.Calls = pluginBudget(&r)
	v.Plugin.Tags = pluginTags(&r)
	if err := r.done(saidMembers...); err != nil {
		return Verdict{}, err
	}
	if err := declared(&v, m, phase); err != nil {
		return Verdict{}, fmt.Errorf("verdict: %w", err)
	}
	v.Reason = sentence(v.Outcome)
	return v, nil
}

// sentence is what the host says of a plugin's verdict, beside its name and code.
// Nothing in it was written by the plugin.
func sentence(o Outcome) string {
	switch o {
	case Deny:
		return "the contract denies it"
	case Ask:
		return "the contract wants a person to decide"
	}
	return ""
}

// declared holds a verdict to what the manifest says it may do, and to what its
// phase has.
func declared(v *Verdict, m *Manifest, phase Phase) error {
	o := &v.Obligations
	uses := []struct {
		effect string
		used   bool
	}{
		{"ask", v.Outcome == Ask}, {"deny", v.Outcome == Deny}, {"labels", len(o.CallLabels)+len(o.SessionLabels) > 0},
		{"redact", len(o.Redact) > 0}, {"hide", len(o.Hide) > 0}, {"budget", o.Calls != nil},
	}
	for _, u := range uses {
		if u.used && !m.May(u.effect) {
			return fmt.Errorf("effect %q, which the manifest does not declare", u.effect)
		}
	}
	switch {
	case v.Outcome != Abstain && v.Code == "":
		return fmt.Errorf("no code; ask and deny need one that the manifest declares")
	case v.Code != "" && !m.Declares(v.Code):
		return fmt.Errorf("code %q, which the manifest does not declare", v.Code)
	case len(o.Redact) > 0 && phase != PhaseResult:
		return fmt.Errorf("redact in phase %s; want result", phase)
	case len(o.Hide) > 0 && phase != PhaseList:
		return fmt.Errorf("hide in phase %s; want list", phase)
	case o.Calls != nil && phase == PhaseList:
		return fmt.Errorf("budget in phase list; want call or result")
	case len(o.CallLabels) > 0 && phase == PhaseList:
		return fmt.Errorf("labels of a call in phase list; want call or result")
	case v.Outcome == Ask && phase != PhaseCall:
		return fmt.Errorf("outcome ask in phase %s; nobody can be asked there", phase)
	}
	return nil
}

// isPointer says whether s is a JSON Pointer, escapes included (RFC 6901, section 3).
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := strings.IndexByte(s, '~'); i >= 0; {
		if i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1' {
			return false
		}
		next := strings.IndexByte(s[i+1:], '~')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return true
}

// pointers reads a list of JSON Pointers that start with prefix, sorted.
func pointers(r *reader, name, prefix string) []string {
	list := r.strs(name)
	if len(list) > MaxPointers {
		r.fail("%s: %d pointers; at most %d", name, len(list), MaxPointers)
	}
	for _, p := range list {
		if !isPointer(p) || utf8.RuneCountInString(p) > MaxPointerRunes || !strings.HasPrefix(p, prefix) {
			r.fail("%s: %q; want a JSON Pointer into the snapshot, here one that starts with %q, of at most %d characters", name, p, prefix, MaxPointerRunes)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func pluginLabels(r *reader, plugin string) (call, session []string) {
	v := r.val("labels")
	if !v.Exists() {
		return nil, nil
	}
	l := read(r.of+": labels", v)
	prefixed := func(name string) []string {
		list := l.strs(name)
		if len(list) > MaxLabels {
			l.fail("%s: %d labels; at most %d", name, len(list), MaxLabels)
		}
		for i, s := range list {
			if !isLabel(s) {
				l.fail("%s: %q; want 1 to 64 letters, digits, '.', '_' or '-'", name, s)
			}
			list[i] = plugin + ":" + s
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	call, session = prefixed("call"), prefixed("session")
	if err := l.done("call", "session"); err != nil {
		r.fail("%v", err)
	}
	return call, session
}

func isLabel(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c)) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func pluginBudget(r *reader) *int64 {
	v := r.val("budget")
	if !v.Exists() {
		return nil
	}
	b := read(r.of+": budget", v)
	n := b.num("calls")
	if n < 0 || !v.Get("calls").Exists() {
		b.fail("calls: want a whole number of at least 0")
	}
	if err := b.done("calls"); err != nil {
		r.fail("%v", err)
	}
	return &n
}

func pluginTags(r *reader) []Tag {
	v := r.val("tags")
	if v.Exists() && v.Kind() != Object || v.Len() > MaxTags {
		r.fail("tags: want an object of at most %d strings", MaxTags)
	}
	var out []Tag
	for _, m := range v.Members() {
		if !m.Value.IsString() || utf8.RuneCountInString(m.Value.Str()) > MaxTagRunes || utf8.RuneCountInString(m.Name) > MaxTagRunes {
			r.fail("tags: want strings, name and text of at most %d characters each", MaxTagRunes)
		}
		out = append(out, Tag{m.Name, m.Value.Str()})
	}
	return out
}
