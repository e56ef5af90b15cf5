package abi

import "strconv"

func (v *Verdict) write(w *writer) {
	w.str("id", v.ID)
	w.str("outcome", v.Outcome.String())
	w.str("contract", v.Contract)
	w.str("code", v.Code)
	w.str("rule", v.Rule)
	w.str("reason", v.Reason)
	w.strs("at", v.At)
	each(w, "witness", v.Witness, func(o *writer, e Evidence) { e.write(o) })
	w.str("mend", v.Mend)
	w.str("risk", v.Risk)
	w.yes("override", v.Override)
	w.yes("observed", v.Observed)
	w.yes("missing", v.Missing)
	if v.List != nil {
		object(w, "list", func(o *writer) {
			o.str("server", v.List.Server)
			o.str("kind", v.List.Kind)
			o.yes("all", v.List.All)
		})
	}
	if !v.Obligations.Empty() {
		object(w, "obligations", func(o *writer) {
			o.strs("call_labels", v.Obligations.CallLabels)
			o.strs("session_labels", v.Obligations.SessionLabels)
			o.strs("redact", v.Obligations.Redact)
			o.strs("hide", v.Obligations.Hide)
			o.strs("capabilities", v.Obligations.Capabilities)
			if v.Obligations.Calls != nil {
				o.name("calls")
				o.b = strconv.AppendInt(o.b, *v.Obligations.Calls, 10)
			}
			writeFiles(o, v.Obligations.Files)
		})
	}
	if v.Plugin != nil {
		object(w, "plugin", v.Plugin.write)
	}
	w.strs("skipped", v.Skipped)
	each(w, "also", v.Also, func(o *writer, x Verdict) { x.write(o) })
}

// JSON returns the JSON form of the verdict.
func (v Verdict) JSON() []byte {
	w := open(nil)
	v.write(&w)
	return append(w.b, '}')
}

// Projection returns what a client may see of a verdict in
// `_meta["dev.callgate/verdict"]`. Pointers are given as mask shows them.
func (v Verdict) Projection(mask func(pointer string) string) []byte {
	w := open(nil)
	w.str("id", v.ID)
	w.str("outcome", v.Outcome.String())
	w.str("contract", v.Contract)
	w.str("code", v.Code)
	w.str("rule", v.Rule)
	at := make([]string, len(v.At))
	for i, p := range v.At {
		at[i] = mask(p)
	}
	w.strs("at", at)
	return append(w.b, '}')
}
