package gate

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// maxCapabilities bounds what a session is known to have shown. What comes behind
// them is new every time.
const maxCapabilities = 1024

// showsOf collects what a call shows that the session has not shown before.
func showsOf(v *abi.Verdict) []string {
	shown := slices.Clone(v.Obligations.Capabilities)
	for i := range v.Also {
		shown = union(shown, v.Also[i].Obligations.Capabilities)
	}
	return shown
}

// show takes in what an allowed call has shown, and returns the receipt of it.
// Neither the past nor other processes say what a session may do without a
// question: what they showed is shown anew.
func (s *State) show(n *entry, shown []string) *abi.ReceiptEvent {
	if n.outcome != abi.Allow || len(shown) == 0 {
		return nil
	}
	if all := union(s.session.capabilities, shown); len(all) <= maxCapabilities {
		s.session.capabilities = all
	}
	r := &abi.ReceiptEvent{Call: n.call.ID, Shown: shown}
	if s.Digests() {
		r.Shown = withoutHosts(shown)
	}
	return r
}

// withoutHosts puts digests in the place of hosts, which calls have said.
func withoutHosts(shown []string) []string {
	var out []string
	for _, c := range shown {
		if host, is := strings.CutPrefix(c, contract.NetEgress); is {
			c = contract.NetEgress + abi.DigestBytes([]byte(host))
		}
		out = append(out, c)
	}
	return union(nil, out)
}

// risen says whether a call that shows more than it may waits for its answer.
// What people said before was said of less, and does not hold until then.
func (s *State) risen() bool {
	return slices.ContainsFunc(s.session.asked, func(n *entry) bool {
		return n.ask != nil && slices.ContainsFunc(n.ask.Items, func(i abi.AskItem) bool { return i.Code == "CAPABILITY_RISE" })
	})
}
