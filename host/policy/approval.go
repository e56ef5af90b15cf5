package policy

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// allChannels are the channels that a person answers through, the terminal
// first.
func allChannels() []string {
	return []string{abi.ChannelTerminal, abi.ChannelElicitation, abi.ChannelWebhook}
}

// joinApproval joins who may answer, how often, and how long a call waits.
func (out *Settings) joinApproval(p *Policy, n *notes) {
	const at = "/settings/approval/"
	list, by := p.channels(n)
	if out.Channels, out.ChannelsAt = list, "default: settings.approval.channels"; by != nil {
		out.ChannelsAt = by.rule(at + "channels")
	}
	out.WebhookAt, out.WebhookKeyAt = "default: settings.approval.webhook", "default: settings.approval.webhook_key"
	if y := p.webhook(); y != nil {
		a := y.doc.Settings.Approval
		out.Webhook, out.WebhookAt = text(a.Webhook), y.rule(at+"webhook")
		out.WebhookKey, out.WebhookKeyAt = text(a.WebhookKey), y.rule(at+"webhook_key")
	}
	asks, ok := settle(p, n, "max_asks", higher, func(s *settings) *int64 { return s.MaxAsks }, func(a, b int64) bool { return a > b })
	most := int64(DefaultMaxAsks)
	if p.isFloor {
		most = maxCount
	}
	out.MaxAsks, out.MaxAsksAt = or(asks, ok, "max_asks", most)
	wait, ok := settle(p, n, "approval_timeout", higher, func(s *settings) *time.Duration { return durationOf(s.ApprovalTimeout) }, func(a, b time.Duration) bool { return a > b })
	out.ApprovalTimeout, out.ApprovalTimeoutAt = or(wait, ok, "approval_timeout", DefaultApprovalTimeout)
}

// approvals lists the layers whose settings.approval counts, highest first.
func (p *Policy) approvals(n *notes) []*layer {
	var list []*layer
	var by *layer
	for _, y := range p.layers {
		s := y.doc.Settings
		if s == nil {
			continue
		}
		if by != nil {
			if s.Approval != nil {
				n.add(CodeReplaced, by.rule("/settings/replace"), "forgets "+y.rule("/settings/approval"))
			}
			continue
		}
		if s.Approval != nil {
			list = append(list, y)
		}
		if slices.Contains(s.Replace, "approval") {
			by = y
		}
	}
	return list
}

// webhook returns the highest layer that has a webhook, or nil. The others have
// the same one.
func (p *Policy) webhook() *layer {
	for _, y := range p.approvals(nil) {
		if y.doc.Settings.Approval.Webhook != nil {
			return y
		}
	}
	return nil
}

// channels joins the lists of channels to what each layer accepts, and returns
// the layer that decided. A list is exact: a webhook is part of it only where it
// says so. Where no layer has a list, a webhook that somebody configured may
// answer beside the terminal, and the layer is nil.
func (p *Policy) channels(n *notes) ([]string, *layer) {
	const at = "/settings/approval/channels"
	list, by := allChannels(), (*layer)(nil)
	for _, y := range slices.Backward(p.approvals(n)) {
		stated := y.doc.Settings.Approval.Channels
		if stated == nil {
			continue
		}
		both := only(list, stated)
		if len(both) < len(only(allChannels(), stated)) {
			n.ignored(y.rule(at), by.rule(at))
		}
		if by == nil || len(both) < len(list) || len(both) == len(stated) {
			list, by = both, y
		}
	}
	switch {
	case by != nil || p.isFloor:
	case p.webhook() != nil:
		list = []string{abi.ChannelTerminal, abi.ChannelWebhook}
	default:
		list = []string{abi.ChannelTerminal}
	}
	return list, by
}

// only returns the items of a list that another has too.
func only(list, other []string) []string {
	var both []string
	for _, s := range list {
		if slices.Contains(other, s) {
			both = append(both, s)
		}
	}
	return both
}

// underApproval tightens who may answer, and how often, to what a floor says.
func (out *Settings) underApproval(floor *Settings) {
	if both := only(out.Channels, floor.Channels); len(both) < len(out.Channels) {
		out.Channels, out.ChannelsAt = both, floor.ChannelsAt
	}
	if floor.MaxAsks < out.MaxAsks {
		out.MaxAsks, out.MaxAsksAt = floor.MaxAsks, floor.MaxAsksAt
	}
}

// checkApproval finds what is wrong with settings.approval of one file.
func (c *issues) checkApproval(s *settings) {
	if s == nil || s.Approval == nil {
		return
	}
	const at = "/settings/approval"
	a := s.Approval
	for i, name := range a.Channels {
		if slices.Index(a.Channels, name) < i {
			c.add(abi.JoinIndex(at+"/channels", i), "%q stands twice; remove one", name)
		}
	}
	if a.Channels != nil && len(a.Channels) == 0 {
		c.entry(at+"/channels", "nobody may answer; name at least one of %s", strings.Join(allChannels(), ", "))
	}
	switch {
	case a.Channels == nil && a.Webhook == nil && a.WebhookKey == nil:
		c.entry(at, "says nothing; want channels: with those who may answer, or webhook: and webhook_key:")
	case a.Webhook != nil && a.WebhookKey == nil:
		c.entry(at, "a webhook without a key, so that anyone could answer; add webhook_key: with a file that holds the key")
	case a.Webhook == nil && a.WebhookKey != nil:
		c.entry(at, "a key without a webhook; add webhook: with its URL, or remove webhook_key")
	}
}

// approvalConflicts finds what only several files show of settings.approval: two
// webhooks, a webhook that may answer and that no file has, and lists of
// channels that leave nobody.
func (p *Policy) approvalConflicts() []error {
	const at = "/settings/approval/"
	var errs []error
	first := p.webhook()
	for _, y := range p.approvals(nil) {
		a := y.doc.Settings.Approval
		if i := slices.Index(a.Channels, abi.ChannelWebhook); i >= 0 && first == nil && !p.isFloor {
			errs = append(errs, y.errorAt(abi.JoinIndex(at+"channels", i), "a webhook may answer, and no file has one; add webhook: and webhook_key:, or remove it from the list"))
		}
		if a.Webhook == nil {
			continue
		}
		was := first.doc.Settings.Approval
		if text(a.Webhook) != text(was.Webhook) {
			errs = append(errs, y.errorAt(at+"webhook", "%q, but %s says %q; keep one of them", text(a.Webhook), first.rule(at+"webhook"), text(was.Webhook)))
		}
		if text(a.WebhookKey) != text(was.WebhookKey) {
			errs = append(errs, y.errorAt(at+"webhook_key", "%q, but %s says %q; keep one of them", text(a.WebhookKey), first.rule(at+"webhook_key"), text(was.WebhookKey)))
		}
	}
	list, by := p.channels(nil)
	if len(list) == 0 {
		return append(errs, by.errorAt(at+"channels", "no channel is in this list and in those of the other files, so that nobody may answer; name one that all have, or settings: {replace: [approval]} here"))
	}
	if p.floor == nil {
		return errs
	}
	if most, floor := p.floor.channels(nil); floor != nil && len(most) > 0 && len(only(list, most)) == 0 {
		errs = append(errs, floor.errorAt(at+"channels", "the floor lets %s answer, and the policy %s, so that nobody may; name one under settings.approval.channels that both have", strings.Join(most, ", "), strings.Join(list, ", ")))
	}
	return errs
}

// checkWebhook accepts a URL that nobody on the way can read or answer for:
// https, or http to a loopback address.
func checkWebhook(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return fmt.Errorf("%q is not the URL of a webhook; want one such as https://approvals.example/callgate", s)
	}
	switch {
	case u.User != nil:
		return fmt.Errorf("%q has a user in it, which the ledger would show; remove it, webhook_key signs what is sent", u.Redacted())
	case u.Fragment != "" || strings.Contains(s, "#"):
		return fmt.Errorf("%q has a fragment, which is never sent; remove it", s)
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%q is not secure on the way; want https://, or http:// to localhost", s)
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// parseWait reads a duration from zero to [maxApprovalTimeout], which has a unit
// and no minus even where it is zero.
func parseWait(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	unit := s != "" && strings.Contains("smh", s[len(s)-1:])
	return d, err == nil && unit && s[0] != '-' && d <= maxApprovalTimeout
}

// joinApprove joins approve: over the levels: the higher level's, as a whole. A
// pack that nobody bound by hand counts only where a yes reaches less far than
// it does where nothing is said.
func joinApprove(levels []level, n *notes) contract.Approve {
	one := func(l *level) said[contract.Approve] {
		return pick(l, func(t *tool) *contract.Approve {
			a := approveOf(t.Approve)
			if a != nil && l.fit && a.Scope != contract.ScopeCall && (a.Scope == contract.ScopeArgs || a.For == 0) {
				return nil
			}
			return a
		}, narrower)
	}
	v := highest(levels, one, narrower, "/approve", n)
	if v.ok {
		v.value.Rule = v.hit.rule("/approve")
	}
	return v.value
}

func approveOf(a *approve) *contract.Approve {
	if a == nil {
		return nil
	}
	out := contract.Approve{}
	switch text(a.Scope) {
	case "call":
		out.Scope = contract.ScopeCall
	case "args":
		out.Scope = contract.ScopeArgs
	case "destination":
		out.Scope = contract.ScopeDestination
	}
	if d := durationOf(a.For); d != nil {
		out.For = *d
	}
	return &out
}

// narrower says whether a yes reaches less far under a than under b: the scope
// first, then the time. An unset scope reaches as far as destination.
func narrower(a, b contract.Approve) bool {
	reach := func(s contract.Scope) contract.Scope {
		if s == contract.ScopeUnset {
			return contract.ScopeDestination
		}
		return s
	}
	last := func(d time.Duration) time.Duration {
		if d == 0 {
			return math.MaxInt64
		}
		return d
	}
	if x, y := reach(a.Scope), reach(b.Scope); x != y {
		return x < y
	}
	return last(a.For) < last(b.For)
}
