package abi

var verdictMembers = []string{"id", "outcome", "contract", "code", "rule", "reason", "at", "witness", "mend", "risk", "override", "observed", "missing", "list", "obligations", "plugin", "skipped", "also"}

func readVerdict(r *reader) Verdict {
	v := Verdict{
		ID: r.str("id"), Outcome: r.outcome("outcome"), Contract: r.str("contract"), Code: r.str("code"), Rule: r.str("rule"),
		Reason: r.str("reason"), At: r.strs("at"), Witness: items(r, "witness", readEvidence, evidenceMembers...), Mend: r.str("mend"), Risk: r.str("risk"),
		Override: r.yes("override"), Observed: r.yes("observed"), Missing: r.yes("missing"), Also: items(r, "also", readVerdict, verdictMembers...),
	}
	if l := r.val("list"); l.Exists() {
		lr := read(r.of+": list", l)
		v.List = &ListOf{Server: lr.str("server"), Kind: lr.str("kind"), All: lr.yes("all")}
		if err := lr.done("server", "kind", "all"); err != nil {
			r.fail("%v", err)
		}
	}
	if o := r.val("obligations"); o.Exists() {
		or := read(r.of+": obligations", o)
		v.Obligations = Obligations{
			CallLabels: or.strs("call_labels"), SessionLabels: or.strs("session_labels"), Redact: or.strs("redact"), Hide: or.strs("hide"), Files: readFiles(&or),
			Capabilities: or.strs("capabilities"), Calls: readCalls(&or),
		}
		if err := or.done("call_labels", "session_labels", "redact", "hide", "files", "capabilities", "calls"); err != nil {
			r.fail("%v", err)
		}
	}
	v.Plugin, v.Skipped = readReceipt(r), r.strs("skipped")
	return v
}

// readCalls reads how many calls a plugin leaves a session.
func readCalls(r *reader) *int64 {
	if !r.v.Get("calls").Exists() {
		return nil
	}
	n := r.num("calls")
	return &n
}
