package policy

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/contract"
)

// joinApproval joins who may answer, how often, and how long a call waits.
func (out *Settings) joinApproval(p *Policy, n *notes) {
	out.joinChannels(p, n)
	asks, ok := settle(p, n, "max_asks", higher, func(s *settings) *int64 { return s.MaxAsks }, func(a, b int64) bool { return a > b })
	most := int64(DefaultMaxAsks)
	if p.isFloor {
		most = maxCount
	}
	out.MaxAsks, out.MaxAsksAt = or(asks, ok, "max_asks", most)
	wait, ok := settle(p, n, "approval_timeout", higher, func(s *settings) *time.Duration { return durationOf(s.ApprovalTimeout) }, func(a, b time.Duration) bool { return a > b })
	out.ApprovalTimeout, out.ApprovalTimeoutAt = or(wait, ok, "approval_timeout", DefaultApprovalTimeout)
}

// joinChannels joins settings.approval. A list of channels is exact: a webhook
// is part of it only where it says so. Where no layer has a list, a webhook that
// somebody configured may answer beside the terminal.
func (out *Settings) joinChannels(p *Policy, n *notes) {
	text := func(name string, get func(*approval) *string) (string, string) {
		v, ok := settle(p, n, "approval/"+name, higher, func(s *settings) *string {
			if s.Approval == nil {
				return nil
			}
			return get(s.Approval)
		}, func(_, _ string) bool { return false })
		return or(v, ok, "approval/"+name, "")
	}
	out.Webhook, out.WebhookAt = text("webhook", func(a *approval) *string { return a.Webhook })
	out.WebhookKey, out.WebhookKeyAt = text("webhook_key", func(a *approval) *string { return a.WebhookKey })
	list, ok := p.channels(n)
	if !ok {
		list = setting[[]string]{[]string{ChannelTerminal}, "default: settings.approval.channels"}
		switch {
		case p.isFloor:
			list.value = Channels()
		case out.Webhook != "":
			list.value = append(list.value, ChannelWebhook)
		}
	}
	out.Channels, out.ChannelsAt = list.value, list.rule
}

// channels joins the lists of channels: what each layer accepts. Of two that
// each name a channel that the other does not, neither is stricter, so that only
// what both name is left.
func (p *Policy) channels(n *notes) (setting[[]string], bool) {
	var cur setting[[]string]
	ok := false
	for _, y := range slices.Backward(p.layers) {
		s := y.doc.Settings
		if s == nil {
			continue
		}
		if ok && slices.Contains(s.Replace, "approval") {
			n.add(CodeReplaced, y.rule("/settings/replace"), "forgets "+cur.rule)
			ok = false
		}
		if s.Approval == nil || s.Approval.Channels == nil {
			continue
		}
		next := setting[[]string]{only(Channels(), s.Approval.Channels), y.rule("/settings/approval/channels")}
		if ok {
			both := only(next.value, cur.value)
			if len(both) < len(next.value) {
				n.ignored(next.rule, cur.rule)
			}
			if len(both) == len(cur.value) && len(both) < len(next.value) {
				continue
			}
			next.value = both
		}
		cur, ok = next, true
	}
	return cur, ok
}

// only returns the items of a list that another has too.
func only(list, other []string) []string {
	both := []string{}
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
			c.add(fmt.Sprintf("%s/channels/%d", at, i), "%q stands twice; remove one", name)
		}
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

// approvalConflicts finds what only several files show of settings.approval:
// two webhooks, and one that may answer and that no file has.
func (p *Policy) approvalConflicts() []error {
	var errs []error
	var first *layer // that has a webhook
	var listed []*layer
	for _, y := range p.layers {
		s := y.doc.Settings
		if s == nil {
			continue
		}
		if a := s.Approval; a != nil {
			switch {
			case a.Webhook == nil:
			case first == nil:
				first = y
			default:
				was, is := first.doc.Settings.Approval, a
				for _, m := range []struct{ name, was, is string }{{"webhook", *was.Webhook, *is.Webhook}, {"webhook_key", text(was.WebhookKey), text(is.WebhookKey)}} {
					if m.was != m.is {
						at := "/settings/approval/" + m.name
						errs = append(errs, y.errorAt(at, "%q, but %s says %q; keep one of them", m.is, first.rule(at), m.was))
					}
				}
			}
			if slices.Contains(a.Channels, ChannelWebhook) {
				listed = append(listed, y)
			}
		}
		if slices.Contains(s.Replace, "approval") {
			break
		}
	}
	if first == nil && !p.isFloor {
		for _, y := range listed {
			at := fmt.Sprintf("/settings/approval/channels/%d", slices.Index(y.doc.Settings.Approval.Channels, ChannelWebhook))
			errs = append(errs, y.errorAt(at, "a webhook may answer, and no file has one; add webhook: and webhook_key:, or remove it from the list"))
		}
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
