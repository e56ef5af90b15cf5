package policy

import (
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// DefaultSessionIdle is settings.session_idle where no layer states it.
const DefaultSessionIdle = 30 * time.Minute

// DefaultMaxAsks is settings.max_asks where no layer states it.
const DefaultMaxAsks = 20

// DefaultApprovalTimeout is settings.approval_timeout where no layer states it:
// clients give up a call after a minute.
const DefaultApprovalTimeout = 50 * time.Second

// maxApprovalTimeout bounds settings.approval_timeout.
const maxApprovalTimeout = 10 * time.Minute

// Mode says whether verdicts are acted on. The zero value enforces.
type Mode int

// The modes.
const (
	ModeEnforce Mode = iota
	ModeObserve      // contracts decide and record, but do not block
)

// Settings are the joined settings, with the defaults filled in. The member
// that ends in At is the rule (file:line: path) that set the member before it;
// for a default it is "default: " and the setting's path. In a floor, what the
// file does not say is no constraint: Default and Unlisted abstain, sizes are 0.
type Settings struct {
	Mode               Mode
	ModeAt             string
	Default            abi.Outcome // of a tool that nothing grants
	DefaultAt          string
	Unlisted           abi.Outcome // of a tool without list and pin
	UnlistedAt         string
	UserContext        bool // accept what the user says
	UserContextAt      string
	Digests            bool // the ledger holds digests instead of text
	DigestsAt          string
	UnknownServer      abi.Outcome // of a server that servers: does not name
	UnknownServerAt    string
	Strict             bool // taint: strict
	StrictAt           string
	AskFrom            contract.Risk // RiskUnset: none
	AskFromAt          string
	MaxArgumentBytes   int64 // 0: no limit
	MaxArgumentBytesAt string
	MaxResultBytes     int64 // 0: no limit
	MaxResultBytesAt   string
	MaxText            int64 // bytes of text on disk for one server of a group; 0: no limit
	MaxTextAt          string
	SessionIdle        time.Duration
	SessionIdleAt      string
	// Channels may answer the asks of high-risk tools and overrides: constants of
	// abi, the terminal first. A loaded policy has at least one.
	Channels          []string
	ChannelsAt        string
	Webhook           string // URL, "" for none; https, or http to a loopback address
	WebhookAt         string
	WebhookKey        string // absolute path of the key, "" exactly where Webhook is
	WebhookKeyAt      string
	MaxAsks           int64 // per session; 0: nobody is asked
	MaxAsksAt         string
	ApprovalTimeout   time.Duration // how long a call is held for an answer; 0: not at all
	ApprovalTimeoutAt string
}

// setting is a joined setting with the rule that set it.
type setting[T any] struct {
	value T
	rule  string
}

// joining is how the layers of one setting join.
type joining int

const (
	higher   joining = iota // the higher layer's
	tightest                // the stricter; a looser one of a higher layer is reported
)

// settle joins one setting over the layers. looser says whether a is looser
// than b.
func settle[T any](p *Policy, n *notes, name string, how joining, get func(*settings) *T, looser func(a, b T) bool) (setting[T], bool) {
	var cur setting[T]
	ok := false
	for _, y := range slices.Backward(p.layers) {
		s := y.doc.Settings
		if s == nil {
			continue
		}
		if ok && slices.Contains(s.Replace, name) {
			n.add(CodeReplaced, y.rule("/settings/replace"), "forgets "+cur.rule)
			ok = false
		}
		v := get(s)
		if v == nil {
			continue
		}
		rule := y.rule("/settings/" + name)
		if ok && looser(*v, cur.value) {
			if how != higher {
				n.ignored(rule, cur.rule)
				continue
			}
			n.loosened(rule, cur.rule)
		}
		cur, ok = setting[T]{*v, rule}, true
	}
	return cur, ok
}

// or fills in a default.
func or[T any](s setting[T], ok bool, name string, value T) (T, string) {
	if ok {
		return s.value, s.rule
	}
	return value, "default: settings." + name
}

func (p *Policy) joinSettings(n *notes) Settings {
	var out Settings
	outcome := func(name string, get func(*settings) *string) (setting[abi.Outcome], bool) {
		return settle(p, n, name, tightest, func(s *settings) *abi.Outcome { return outcomeOf(get(s)) }, func(a, b abi.Outcome) bool { return a > b })
	}
	size := func(name string, get func(*settings) *int64) (setting[int64], bool) {
		return settle(p, n, name, higher, get, func(a, b int64) bool { return a > b })
	}
	out.joinSwitches(p, n)
	ask, ok := settle(p, n, "ask_from", tightest, func(s *settings) *contract.Risk { return parseRisk(s.AskFrom) }, func(a, b contract.Risk) bool { return a > b })
	out.AskFrom, out.AskFromAt = or(ask, ok, "ask_from", contract.RiskUnset)
	idle, ok := settle(p, n, "session_idle", higher, sessionIdle, func(a, b time.Duration) bool { return a < b })
	out.SessionIdle, out.SessionIdleAt = or(idle, ok, "session_idle", DefaultSessionIdle)
	out.joinApproval(p, n)
	def, ok := outcome("default", func(s *settings) *string { return s.Default })
	absent := p.absent(ok, def.value)
	out.Default, out.DefaultAt = or(def, ok, "default", absent.def)
	unlisted, ok := outcome("unlisted", func(s *settings) *string { return s.Unlisted })
	out.Unlisted, out.UnlistedAt = or(unlisted, ok, "unlisted", absent.unlisted)
	unknown, ok := outcome("unknown_server", func(s *settings) *string { return s.UnknownServer })
	out.UnknownServer, out.UnknownServerAt = or(unknown, ok, "unknown_server", absent.unknown)
	arguments, ok := size("max_argument_bytes", func(s *settings) *int64 { return s.MaxArgumentBytes })
	out.MaxArgumentBytes, out.MaxArgumentBytesAt = or(arguments, ok, "max_argument_bytes", absent.arguments)
	results, ok := size("max_result_bytes", func(s *settings) *int64 { return s.MaxResultBytes })
	out.MaxResultBytes, out.MaxResultBytesAt = or(results, ok, "max_result_bytes", absent.results)
	texts, ok := settle(p, n, "max_text", higher, func(s *settings) *int64 { return s.MaxText }, func(a, b int64) bool { return a < b })
	out.MaxText, out.MaxTextAt = or(texts, ok, "max_text", absent.texts)
	p.underFloor(&out)
	return out
}

// joinSwitches joins the settings that have two values.
func (out *Settings) joinSwitches(p *Policy, n *notes) {
	looser := func(a, b bool) bool { return a && !b }
	is := func(name, word string, how joining, get func(*settings) *string) (setting[bool], bool) {
		return settle(p, n, name, how, func(s *settings) *bool {
			if get(s) == nil {
				return nil
			}
			v := *get(s) == word
			return &v
		}, looser)
	}
	observe, ok := is("mode", "observe", tightest, func(s *settings) *string { return s.Mode })
	seen, at := or(observe, ok, "mode", false)
	if out.ModeAt = at; seen && !p.isFloor {
		out.Mode = ModeObserve
	}
	graded, ok := is("taint", "graded", tightest, func(s *settings) *string { return s.Taint })
	loose, at := or(graded, ok, "taint", true)
	out.Strict, out.StrictAt = !loose, at
	digests, ok := is("ledger", "digests", higher, func(s *settings) *string { return s.Ledger })
	out.Digests, out.DigestsAt = or(digests, ok, "ledger", false)
	context, ok := settle(p, n, "user_context", tightest, func(s *settings) *bool { return s.UserContext }, looser)
	out.UserContext, out.UserContextAt = or(context, ok, "user_context", false)
}

func sessionIdle(s *settings) *time.Duration { return durationOf(s.SessionIdle) }

// durationOf reads a duration that was checked; an unreadable one is none.
func durationOf(s *string) *time.Duration {
	if s == nil {
		return nil
	}
	d, err := time.ParseDuration(*s)
	if err != nil {
		return nil
	}
	return &d
}

// defaults are the settings of a policy that does not state them.
type defaults struct {
	def, unlisted, unknown abi.Outcome
	arguments, results     int64
	texts                  int64
}

func (p *Policy) absent(hasDefault bool, def abi.Outcome) defaults {
	d := defaults{def: abi.Deny, unlisted: abi.Ask, unknown: abi.Ask, arguments: 1 << 20, results: 10 << 20, texts: 1 << 30}
	if p.isFloor {
		d.def, d.arguments, d.results, d.texts = abi.Abstain, 0, 0, 0
	}
	switch {
	case !hasDefault && p.isFloor:
		d.unlisted = abi.Abstain
	case !hasDefault || def == abi.Deny:
		d.unlisted = abi.Deny
	}
	if !slices.ContainsFunc(p.layers, func(y *layer) bool { return y.doc.Servers != nil }) {
		d.unknown = abi.Allow
	}
	return d
}

// underFloor tightens the settings that no contract judges, and of which there
// is one for both policies.
func (p *Policy) underFloor(s *Settings) {
	if p.floor == nil {
		return
	}
	f := &p.floor.settings
	if f.MaxResultBytes > 0 && f.MaxResultBytes < s.MaxResultBytes {
		s.MaxResultBytes, s.MaxResultBytesAt = f.MaxResultBytes, f.MaxResultBytesAt
	}
	s.underApproval(f)
	for _, y := range p.floor.layers {
		if d := y.doc.Settings; d != nil && d.UserContext != nil && s.UserContext {
			s.UserContext, s.UserContextAt = false, f.UserContextAt
		}
	}
}
