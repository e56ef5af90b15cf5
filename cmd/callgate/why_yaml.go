package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/abi"
	drafts "github.com/callgate/callgate/host/suggest"
)

func (in *incident) dir() string { return filepath.Dir(in.path) }

// yaml writes the policy. Every text of others is quoted with its unusual
// characters escaped, so that it can neither act on a terminal nor end its
// line.
func (w *mending) yaml() string {
	var b strings.Builder
	b.WriteString("callgate: 1\n")
	if w.maxBytes > 0 {
		fmt.Fprintf(&b, "settings:\n  max_argument_bytes: %d\n", w.maxBytes)
	}
	if !w.kind.IsTool() {
		w.kindYAML(&b)
		return b.String()
	}
	if w.named {
		fmt.Fprintf(&b, "servers:\n  %s: {outputs: untrusted}\n", drafts.Quote(w.server))
	}
	if !w.grant && w.risk == "" && w.maxCalls == "" && len(w.trusted)+len(w.lists) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "tools:\n  %s:\n", drafts.Quote(w.server+"/"+w.tool))
	if w.grant {
		b.WriteString("    verdict: allow\n")
	}
	if w.risk != "" {
		b.WriteString("    risk: " + w.risk + "\n")
	}
	if w.maxCalls != "" {
		b.WriteString("    max_calls: " + w.maxCalls + "\n")
	}
	if len(w.trusted) > 0 {
		quoted := make([]string, len(w.trusted))
		for i, t := range w.trusted {
			quoted[i] = drafts.Quote(t)
		}
		b.WriteString("    sink: {trusted: [" + strings.Join(quoted, ", ") + "]}\n")
	}
	w.listsYAML(&b, "    ")
	return b.String()
}

func (w *mending) listsYAML(b *strings.Builder, indent string) {
	if len(w.lists) > 0 {
		b.WriteString(indent + "args:\n")
	}
	for _, l := range w.lists {
		b.WriteString(indent + "  - {" + strings.Join(l.members(), ", ") + "}\n")
	}
}

func (l list) members() []string {
	var out []string
	if l.arg != "" {
		out = append(out, "arg: "+drafts.Quote(l.arg))
	}
	if l.slot != "" {
		out = append(out, "slot: "+l.slot)
	}
	if l.hasAllow {
		out = append(out, "allow: ["+strings.Join(l.allow, ", ")+"]")
	} else {
		out = append(out, "in: ["+strings.Join(l.in, ", ")+"]")
	}
	if l.fold {
		out = append(out, "fold: true")
	}
	if l.ask {
		out = append(out, "verdict: ask")
	}
	return out
}

// yamlScalar writes a scalar of an in list.
func yamlScalar(v abi.Value) string {
	if v.IsString() {
		return drafts.Quote(v.Str())
	}
	return v.Lexeme()
}
