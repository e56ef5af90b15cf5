package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/proxy"
	drafts "github.com/callgate/callgate/host/suggest"
)

// key is the key of a policy that is about the call, as far as it is one of
// another kind than tool.
func (w *mending) key() string {
	server := "servers." + w.server + "."
	switch w.kind {
	case abi.KindResource, abi.KindPrompt, abi.KindCompletion:
		return server + string(w.kind) + "s"
	case abi.KindSampling, abi.KindElicitation, abi.KindRoots:
		return server + "requests." + string(w.kind)
	}
	return server + "methods." + w.tool
}

// ofKind grants a call of another kind than tool. A resource and a prompt are
// granted by name: others of the server stay as they are.
func (w *mending) ofKind(r *contract.Rules) bool {
	outcome := r.Default
	if r.Grant.Set {
		outcome = r.Grant.Outcome
	}
	switch {
	case outcome >= abi.Allow:
		return w.named
	case r.Grant.Set && (w.kind == abi.KindMethod || len(r.Args) > 0):
		return w.note("%s is decided by %s; change it there, since a looser layer above it would have to drop the other rules with replace: true", w.key(), r.Grant.Rule)
	}
	w.grant, w.replace = true, r.Grant.Set
	arg := map[abi.CallKind]string{abi.KindResource: "uri", abi.KindPrompt: "name"}[w.kind]
	listed := func(a contract.Arg) bool { return a.Arg == arg && a.HasIn }
	values, _ := w.in.callEvent.Call.Values()
	if v := values.Get(arg); arg != "" && v.IsString() && !slices.ContainsFunc(r.Args, listed) {
		w.lists = append(w.lists, list{arg: arg, in: []string{drafts.Quote(v.Str())}, ask: outcome == abi.Ask})
	}
	return true
}

// kindYAML writes what the server's entry has to say.
func (w *mending) kindYAML(b *strings.Builder) {
	indent := "      "
	if !w.grant && len(w.lists) == 0 {
		if w.named {
			fmt.Fprintf(b, "servers:\n  %s: {outputs: untrusted}\n", drafts.Quote(w.server))
		}
		return
	}
	fmt.Fprintf(b, "servers:\n  %s:\n", drafts.Quote(w.server))
	switch w.kind {
	case abi.KindMethod:
		b.WriteString("    methods:\n      " + drafts.Quote(w.tool) + ": allow\n")
		return
	case abi.KindSampling, abi.KindElicitation, abi.KindRoots:
		b.WriteString("    requests:\n      " + string(w.kind) + ":\n")
		indent += "  "
	default:
		b.WriteString("    " + string(w.kind) + "s:\n")
	}
	if w.grant {
		b.WriteString(indent + "verdict: allow\n")
	}
	if w.replace {
		b.WriteString(indent + "replace: true\n")
	}
	w.listsYAML(b, indent)
}

// refusedNote says who can mend what was refused before it was judged.
func (in *incident) refusedNote() string {
	v := in.verdict()
	switch {
	case v.Code == proxy.CodeHTTP:
		return "no policy decides about it: the HTTP request is not served as it is, since " + v.Reason + "; the client has to send another one"
	case v.Code == proxy.CodeState:
		return "no policy decides about it: the client came back with the state of another exchange; it has to make the call again, without requestState and inputResponses"
	case v.Code == proxy.CodeDeclined:
		return "a person said no; make the call again to have the question put again"
	case in.refused != nil && in.refused.From == "server":
		return "no policy allows it: the server sent what can not be relayed; its author has to mend that"
	case v.Code == proxy.CodeForeignResponse:
		return "no policy allows an answer to what was never asked; the client has to answer under the id of an open request"
	}
	return "no policy allows a frame that two readers could take for different messages; the client has to send another one"
}
