package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Pin refuses a tool that is not what it was when it was pinned.
//
// Policy:
//
//	settings: {unlisted: ask}    # a tool called before any list was seen and without a stored pin
//
// It abstains for a tool whose definition equals its pin, and for an unlisted
// tool under `unlisted: allow`. Codes: PIN_UNKNOWN (a list was seen and does not
// hold the tool), PIN_LATE (ask: it appeared after the first complete list; the
// answer pins it), PIN_CHANGED (the reason names the members of the definition
// that changed), PIN_NAME (its name has control, invisible or non-ASCII
// characters), PIN_UNLISTED.
type Pin struct {
	unlisted   abi.Outcome
	unlistedAt string
}

// NewPin makes the contract; it judges every tool.
func NewPin(r *contract.Rules) (contract.Contract, error) {
	return &Pin{unlisted: r.Unlisted, unlistedAt: r.UnlistedAt}, nil
}

// Judge answers by the state of the tool's pin; an unknown state denies.
func (p *Pin) Judge(s *abi.Snapshot) abi.Verdict {
	v := abi.Verdict{Contract: "pin", At: []string{"/call/tool"}}
	switch s.Definition.State {
	case abi.PinOK:
		return contract.Abstain
	case abi.PinLate:
		v.Outcome, v.Code = abi.Ask, "PIN_LATE"
		v.Reason = "the tool appeared after the server's first complete tool list"
		v.Mend = "read the definition; a yes pins it"
	case abi.PinChanged:
		v.Code = "PIN_CHANGED"
		v.Reason = "the tool's definition differs from its pin"
		if len(s.Definition.Changed) > 0 {
			v.Reason += " in " + strings.Join(s.Definition.Changed, ", ")
		}
		v.Mend = "compare the definition with the pinned one (callgate why), and remove the stored pin if the change is wanted"
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
