package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Pin refuses a tool that is not what it was when it was pinned, and calls of a
// server that says it is another one.
//
// Policy:
//
//	settings: {unlisted: ask}    # a tool called before any list was seen and without a stored pin
//
// It abstains for a tool whose definition equals its pin or differs in nothing
// but spelling, and for an unlisted tool under `unlisted: allow`. Codes:
// PIN_UNKNOWN (a list was seen and does not hold the tool), PIN_LATE (ask: it
// appeared after the first complete list; the answer pins it), PIN_CHANGED (the
// definition has moved, by a grade of [abi.Drift]: ask for other words and for
// less, and the answer pins it; deny for more and for what instructs a model),
// PIN_NAME (its name has control, invisible or non-ASCII characters),
// PIN_UNLISTED, PIN_SERVER (what the server says of itself has moved: ask, and
// the answer pins it; deny for what instructs a model).
type Pin struct {
	tool       bool // what is called is a tool
	unlisted   abi.Outcome
	unlistedAt string
}

// NewPin makes the contract. It judges every tool, and of the other kinds of
// call those that a server answers.
func NewPin(r *contract.Rules) (contract.Contract, error) {
	if r.Kind.FromServer() {
		return nil, nil
	}
	return &Pin{tool: r.Kind.IsTool(), unlisted: r.Unlisted, unlistedAt: r.UnlistedAt}, nil
}

// Judge answers by the state of the pins of tool and server; an unknown state
// denies. Where both have moved the stricter answer holds, and says both.
func (p *Pin) Judge(s *abi.Snapshot) abi.Verdict {
	server := pinOfServer(&s.Server)
	if !p.tool {
		return server
	}
	tool := p.ofTool(&s.Definition)
	if tool.Outcome == abi.Abstain {
		return server
	}
	if server.Outcome < tool.Outcome {
		tool, server = server, tool
	}
	if server.Outcome < abi.Allow {
		tool.Reason += "; " + server.Reason
	}
	return tool
}

// ofTool answers by the state of the tool's pin.
func (p *Pin) ofTool(d *abi.Definition) abi.Verdict {
	v := abi.Verdict{Contract: "pin", At: []string{"/call/tool"}}
	switch d.State {
	case abi.PinOK:
		return contract.Abstain
	case abi.PinLate:
		v.Outcome, v.Code = abi.Ask, "PIN_LATE"
		v.Reason = "the tool appeared after the server's first complete tool list"
		v.Mend = "read the definition; a yes pins it"
	case abi.PinChanged:
		return changed(v, d)
	case abi.PinUnfit:
		v.Code = "PIN_NAME"
		v.Reason = "the tool's name has control, invisible or non-ASCII characters and can not be pinned"
		v.Mend = "have the server's author rename the tool; such a name can imitate another"
	case abi.PinUnlisted:
		if p.unlisted.Known() >= abi.Allow {
			return contract.Abstain
		}
		v.Outcome, v.Code, v.Rule = p.unlisted.Known(), "PIN_UNLISTED", p.unlistedAt
		v.Reason = "the tool was called before the server listed its tools, and no pin is stored"
		v.Mend = "let the client list the tools once, or set settings.unlisted"
	default:
		v.Code = "PIN_UNKNOWN"
		v.Reason = "the server's tool list does not hold this tool"
		v.Mend = "check the tool's name against the server's list (callgate check)"
	}
	return v
}

// changed answers for a definition that is not the pinned one, by its grade.
func changed(v abi.Verdict, d *abi.Definition) abi.Verdict {
	v.Code = "PIN_CHANGED"
	if d.Twice {
		v.Reason = "one list of the server holds the tool twice, differently"
		v.Mend = "tell the server's author; list the tools anew when it is mended"
		return v
	}
	if v.Outcome = drifted(d.Drift); v.Outcome == abi.Abstain {
		return contract.Abstain
	}
	v.Reason = "the tool's definition differs from its pin" + moved(d.Changed, d.Drift, d.Why)
	v.Mend = "compare them (callgate tools diff), and accept the change if it is wanted (callgate tools accept)"
	if v.Outcome == abi.Ask {
		v.Mend = "compare them (callgate tools diff); a yes pins the new one"
	}
	return v
}

// pinOfServer answers by what the server says of itself.
func pinOfServer(d *abi.ServerDrift) abi.Verdict {
	if len(d.Changed) == 0 {
		return contract.Abstain
	}
	v := abi.Verdict{Contract: "pin", Code: abi.CodePinServer, At: []string{"/call/server"}, Outcome: drifted(d.Drift)}
	if v.Outcome == abi.Abstain {
		return contract.Abstain
	}
	v.Reason = "the server says another thing of itself than when it was pinned" + moved(d.Changed, d.Drift, d.Why)
	v.Mend = "compare them (callgate tools diff), and accept the change if it is wanted (callgate tools accept)"
	switch {
	case d.Declined:
		v.Outcome = abi.Deny
		v.Reason += "; a person declined it"
	case v.Outcome == abi.Ask:
		v.Mend = "compare them (callgate tools diff); a yes pins what it says now, for every call of the server"
	}
	return v
}

// moved says in which members something moved, how far, and why.
func moved(members []string, grade abi.Drift, why string) string {
	out := " (" + grade.Known().String()
	if why != "" {
		out += ": " + why
	}
	if out += ")"; len(members) > 0 {
		out = " in " + strings.Join(members, ", ") + out
	}
	return out
}

// drifted is the outcome of a drift. Less, and other words, need a person's
// yes; more is only accepted by who compares the two at a terminal.
func drifted(d abi.Drift) abi.Outcome {
	switch d.Known() {
	case abi.DriftText, abi.DriftNarrowing:
		return abi.Ask
	case abi.DriftCosmetic:
		return abi.Abstain
	}
	return abi.Deny
}
