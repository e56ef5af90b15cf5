package main

import (
	"io"
	"os"
	"time"

	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
)

// asking says how the people behind a process are asked what its policy asks.
func asking(p *policy.Policy, info approval.Info) (proxy.Asking, error) {
	s := p.Settings()
	out := proxy.Asking{Group: info.Group, Policy: p.Name(), Timeout: s.ApprovalTimeout, Context: s.UserContext}
	if s.Webhook != "" {
		key, err := approval.ReadKey(s.WebhookKey)
		if err != nil {
			return out, err
		}
		out.Webhook = &approval.Webhook{URL: s.Webhook, Key: key}
	}
	info.Version, info.Policy, info.PolicyDigest = version, p.Name(), p.Digest()
	info.PID, info.Started = os.Getpid(), time.Now()
	info.UserContext, info.Observe = s.UserContext, s.Mode == policy.ModeObserve
	for _, f := range p.Files() {
		if f.Path != policy.Starter { // which is no file
			info.Files = append(info.Files, f.Path)
		}
	}
	out.Listen = func(desk *approval.Desk, child func() []int, context func(string) error) (io.Closer, error) {
		dir, err := approval.SocketDir(os.Getenv)
		if err != nil {
			return nil, err
		}
		return approval.Listen(approval.Options{Dir: dir, Desk: desk, Info: info, Context: context, Child: child})
	}
	return out, nil
}
