package builtin

import "github.com/callgate/callgate/abi"

// What a person can do about a verdict of the sink. They are read by people: no
// mend is told a model.
const (
	mendAsk       = "approve the call when it asks, or trust the destination in the policy if you know it"
	mendTainted   = "trust the destination in the policy if you know it from elsewhere, or set override: once there, so that a person can decide"
	mendUnproven  = "trust the destination in the policy if you know it, or let a person decide: on: {unproven: ask}"
	mendPayload   = "leave the address out, or trust it in the policy if you know it from elsewhere"
	mendLookalike = "name the trusted destination that this one imitates; an imitation is never trusted"
	mendSpelled   = "name the destination in its plain spelling"
	mendSchema    = "use only arguments of the tool's pinned schema"
)

// sinkMend says what helps against a verdict of the sink. Nobody is asked about
// what is denied.
func sinkMend(code string, outcome abi.Outcome) string {
	switch {
	case code == "SINK_SPOILED":
		return mendSpelled
	case code == "SINK_UNDECLARED":
		return mendSchema
	case outcome == abi.Ask:
		return mendAsk
	case code == "SINK_LOOKALIKE":
		return mendLookalike
	case code == "SINK_PAYLOAD":
		return mendPayload
	case code == "SINK_UNPROVEN":
		return mendUnproven
	}
	return mendTainted
}
