package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
)

// webhook is the one that a policy names, with its key; nil if it names none.
func webhook(p *policy.Policy) (*approval.Webhook, error) {
	s := p.Settings()
	if s.Webhook == "" {
		return nil, nil
	}
	key, err := approval.ReadKey(s.WebhookKey)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.WebhookKeyAt, err)
	}
	return &approval.Webhook{URL: s.Webhook, Key: key}, nil
}

// asking says how the people behind a process are asked what its policy asks.
func asking(p *policy.Policy, hook *approval.Webhook, info approval.Info) proxy.Asking {
	s := p.Settings()
	out := proxy.Asking{Group: info.Group, Policy: p.Name(), Timeout: s.ApprovalTimeout, Webhook: hook, Context: s.UserContext}
	info.Version, info.Policy, info.PolicyDigest = version(), p.Name(), p.Digest()
	info.PID, info.Started = os.Getpid(), time.Now()
	info.UserContext, info.Observe = s.UserContext, s.Mode == policy.ModeObserve
	for _, f := range p.Files() {
		if f.Path != policy.Starter { // which is no file
			info.Files = append(info.Files, f.Path)
		}
	}
	out.Listen = func(t proxy.Terminal) (io.Closer, error) {
		dir, err := approval.SocketDir(os.Getenv)
		if err != nil {
			return nil, err
		}
		return approval.Listen(approval.Options{Dir: dir, Desk: t.Desk, Info: info, Context: t.Context, Child: t.Children, Accept: t.Accept, Reload: t.Reload, AcceptPolicy: t.AcceptPolicy, Look: t.Look, Labels: t.Labels})
	}
	return out
}
