package callgate

import "unicode/utf8"

// Verdict is what a plugin answers. Make one with [Abstain], [Ask] or [Deny]; the
// methods add to it and return it. Effects and codes must be in the manifest:
// what is not there denies.
type Verdict struct {
	outcome, code, reason     string
	at, redact, hide          []string
	atBytes                   int
	callLabels, sessionLabels []string
	calls                     int64 // -1: no budget
	tags                      []tag
}

type tag struct{ name, text string }

// Abstain says nothing against it.
func Abstain() *Verdict { return &Verdict{outcome: "abstain", calls: -1} }

// Ask wants a person to decide; only in phase call.
func Ask(code string) *Verdict { return &Verdict{outcome: "ask", code: code, calls: -1} }

// Deny refuses.
func Deny(code string) *Verdict { return &Verdict{outcome: "deny", code: code, calls: -1} }

// Code gives a verdict that abstains, but redacts or hides, a code.
func (v *Verdict) Code(code string) *Verdict {
	v.code = code
	return v
}

// Because says why, to the operator; no model reads it. What is over 1,024
// characters is cut off.
func (v *Verdict) Because(reason string) *Verdict {
	v.reason = cut(reason, MaxReasonRunes)
	return v
}

// mostAt is how many bytes of pointers a verdict names as its causes: as many as
// leave room for everything else, however they are escaped.
const mostAt = 32768

// At names what caused the verdict, by pointers into the snapshot. What is over
// what the host takes is left out: up to 256, of up to 4,096 characters, and of
// 32 KiB in all.
func (v *Verdict) At(pointers ...string) *Verdict {
	for _, p := range pointers {
		if len(v.at) < MaxPointers && cut(p, MaxPointerRunes) == p && v.atBytes+len(p) <= mostAt {
			v.at = append(v.at, p)
			v.atBytes += len(p)
		}
	}
	return v
}

// LabelCall labels the data of this call. The host writes the plugin's name and
// a colon before each label: up to 64 letters, digits, '.', '_' and '-'. Another,
// and more than 32, deny.
func (v *Verdict) LabelCall(labels ...string) *Verdict {
	v.callLabels = append(v.callLabels, labels...)
	return v
}

// LabelSession labels the session, like [Verdict.LabelCall].
func (v *Verdict) LabelSession(labels ...string) *Verdict {
	v.sessionLabels = append(v.sessionLabels, labels...)
	return v
}

// Redact puts a marker of the host in place of values below /result. More than
// 256 deny, and so does a verdict of more than 256 KiB.
func (v *Verdict) Redact(pointers ...string) *Verdict {
	v.redact = append(v.redact, pointers...)
	return v
}

// Hide leaves items out of a list, by name, of resources by URI or its template.
// More than 1,024 deny, and so does a verdict of more than 256 KiB.
func (v *Verdict) Hide(names ...string) *Verdict {
	v.hide = append(v.hide, names...)
	return v
}

// Budget leaves the session at most so many more calls of this tool.
func (v *Verdict) Budget(calls int64) *Verdict {
	v.calls = max(calls, 0)
	return v
}

// Tag notes something in the ledger. What is over 16 notes is left out, what is
// over 256 characters is cut off.
func (v *Verdict) Tag(name, text string) *Verdict {
	name, text = whole(cut(name, MaxTagRunes)), cut(text, MaxTagRunes)
	for i := range v.tags {
		if v.tags[i].name == name {
			v.tags[i].text = text
			return v
		}
	}
	if len(v.tags) < MaxTags {
		v.tags = append(v.tags, tag{name, text})
	}
	return v
}

// json writes the verdict, members sorted by name.
func (v *Verdict) json() []byte {
	var w writer
	w.strs("at", v.at)
	if v.calls >= 0 {
		w.name("budget")
		w.raw(`{"calls":` + itoa(v.calls) + `}`)
	}
	w.str("code", v.code)
	w.strs("hide", v.hide)
	if len(v.callLabels)+len(v.sessionLabels) > 0 {
		w.name("labels")
		var l writer
		l.strs("call", v.callLabels)
		l.strs("session", v.sessionLabels)
		w.raw(string(l.end()))
	}
	w.str("outcome", v.outcome)
	w.str("reason", v.reason)
	w.strs("redact", v.redact)
	if len(v.tags) > 0 {
		w.name("tags")
		var t writer
		for _, n := range v.tags {
			t.name(n.name)
			t.text(n.text)
		}
		w.raw(string(t.end()))
	}
	return w.end()
}

// whole puts U+FFFD in place of what is no UTF-8, as it is written: two names that
// become one are one.
func whole(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// cut returns the first n characters.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
