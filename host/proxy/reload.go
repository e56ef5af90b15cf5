package proxy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/policy"
)

// tornWait is how long files that do not load may take to be written to their
// end.
const tornWait = 250 * time.Millisecond

// Loaded is a policy with what it needs of other files.
type Loaded struct {
	Policy    *policy.Policy
	Webhook   *approval.Webhook // nil: it names none
	Protected []string          // its files, which calls are kept away from
	Restart   []string          // what its files say that takes a restart
}

// Reloading says how a policy is read again.
type Reloading struct {
	Loaded
	Load func() (Loaded, error)
	// Servers are those that this process starts or reaches.
	Servers []string
	// Note takes one line for the operator.
	Note func(format string, args ...any)
	// Hold keeps what a policy needs, such as its plugins, from when it comes into
	// force until the function that it returns is called. Nil: it needs nothing.
	Hold func(*policy.Policy) (release func())
}

// Reloader replaces the policy of a process while it runs. What does not load
// changes nothing, and what may allow more waits for a person. It is safe for
// concurrent use.
type Reloader struct {
	o Reloading

	checking sync.Mutex    // held while files are read, so that what was read last counts
	begun    atomic.Uint64 // how often that was begun

	mu      sync.Mutex
	current Loaded
	waiting *Loaded // it loads, and is not in force
	state   approval.Reload
	files   []string // what of them takes a restart as long as they are as they are
	guarded []string // files that are not in force
	keepers []*Keeper
	release func() // of what the policy in force needs
}

// NewReloader returns a reloader with a policy in force.
func NewReloader(o Reloading) *Reloader {
	if o.Hold == nil {
		o.Hold = func(*policy.Policy) func() { return func() {} }
	}
	return &Reloader{o: o, current: o.Loaded, release: o.Hold(o.Policy), state: approval.Reload{InForce: o.Policy.Digest(), State: abi.ReloadInForce, Digest: o.Policy.Digest()}}
}

// Current returns the policy in force.
func (r *Reloader) Current() Loaded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// State says what became of the files since the process started.
func (r *Reloader) State() approval.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Why, s.Restart = slices.Clone(s.Why), slices.Concat(s.Restart, r.files)
	return s
}

// adopt has a keeper follow the policy. One that was opened under an older one
// gets the one in force.
func (r *Reloader) adopt(k *Keeper) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keepers = append(r.keepers, k)
	var err error
	if k.o.Engine.PolicyDigest() != r.current.Policy.Digest() {
		err = k.use(r.current)
	}
	if err = errors.Join(err, k.protect(r.guarded)); err != nil {
		r.o.Note("reload: %v", err)
	}
	if list := k.o.Engine.looser; len(list) > 0 {
		r.o.Note("this start puts a policy into force that may allow more than the one before it, and nobody was asked: %s", strings.Join(list, "; "))
	}
	if s := r.state; s.State != abi.ReloadInForce { // its ledger does not know yet
		k.record(abi.Event{Reload: &abi.ReloadEvent{State: s.State, Digest: s.Digest, Why: s.Why}})
	}
}

// Check reads the files again, and puts what they say into force if that allows
// nothing more. It is called when they may have changed.
func (r *Reloader) Check() { r.check(func() bool { return true }) }

// Look is [Reloader.Check] for somebody who asks how the files stand now. Several
// who ask at once have them read once.
func (r *Reloader) Look() {
	before := r.begun.Load()
	r.check(func() bool { return r.begun.Load() == before })
}

// check reads the files again if that is still needed once it is its turn.
func (r *Reloader) check(needed func() bool) {
	r.checking.Lock()
	defer r.checking.Unlock()
	if needed() {
		r.begun.Add(1)
		r.readAgain()
	}
}

// readAgain is one check.
func (r *Reloader) readAgain() {
	next, err := r.o.Load()
	if err != nil {
		time.Sleep(tornWait) // they may be half written
		next, err = r.o.Load()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.waiting = nil
		r.become(abi.ReloadFailed, "", strings.Split(err.Error(), "\n"))
		return
	}
	r.stale(next.Restart)
	digest := next.Policy.Digest()
	if next.Policy.Value().Equal(r.current.Policy.Value()) {
		r.waiting = nil
		r.become(abi.ReloadInForce, digest, nil)
		return
	}
	r.guard(next.Protected)
	if fixed := policy.Fixed(r.current.Policy, next.Policy, r.o.Servers...); len(fixed) > 0 {
		r.waiting = nil
		r.become(abi.ReloadFixed, digest, fixed)
		return
	}
	if looser := policy.Loosens(r.current.Policy, next.Policy); len(looser) > 0 {
		r.waiting = &next
		r.become(abi.ReloadWaits, digest, looser)
		return
	}
	r.use(next)
}

// guard has calls kept away from files that may come to be in force.
func (r *Reloader) guard(files []string) {
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return slices.Contains(r.current.Protected, f) || slices.Contains(r.guarded, f)
	})
	r.guarded = append(r.guarded, files...)
	for _, k := range r.keepers {
		if err := k.protect(files); err != nil {
			r.o.Note("reload: %v", err)
		}
	}
}

// stale notes what of the files takes a restart, besides what did before.
func (r *Reloader) stale(list []string) {
	for _, text := range list {
		if !slices.Contains(r.files, text) {
			r.o.Note("%s", text)
		}
	}
	r.files = list
}

// become notes a state, once, in every ledger and for the operator.
func (r *Reloader) become(state abi.ReloadState, digest string, why []string) {
	if r.state.State == state && r.state.Digest == digest && slices.Equal(r.state.Why, why) {
		return
	}
	r.state.State, r.state.Digest, r.state.Why = state, digest, why
	for _, k := range r.keepers {
		k.record(abi.Event{Reload: &abi.ReloadEvent{State: state, Digest: digest, Why: why}})
	}
	switch state {
	case abi.ReloadFailed:
		r.o.Note("the policy's files have changed and do not load; the old policy stays in force: %s", strings.Join(why, "; "))
	case abi.ReloadFixed:
		r.o.Note("the policy's files have changed, and need a restart; the old policy stays in force: %s", strings.Join(why, "; "))
	case abi.ReloadWaits:
		r.o.Note("the policy's files have changed, and may allow more; the old policy stays in force until callgate reload --accept: %s", strings.Join(why, "; "))
	default:
		r.o.Note("the policy's files are again what is in force")
	}
}

// use puts a policy into force everywhere. It is called with mu held.
func (r *Reloader) use(next Loaded) {
	old, release := r.current, r.release
	r.current, r.waiting, r.release = next, nil, r.o.Hold(next.Policy)
	defer func() { release() }() // once nobody judges by it any more
	r.state = approval.Reload{InForce: next.Policy.Digest(), State: abi.ReloadInForce, Digest: next.Policy.Digest(), Restart: r.state.Restart}
	for _, name := range r.o.Servers {
		if text := restarts(name, old.Policy, next.Policy); text != "" && !slices.Contains(r.state.Restart, text) {
			r.state.Restart = append(r.state.Restart, text)
			r.o.Note("%s", text)
		}
	}
	for _, k := range r.keepers {
		if err := k.use(next); err != nil {
			r.o.Note("reload: %v", err)
		}
	}
	if old.Policy.Digest() != next.Policy.Digest() {
		r.o.Note("a new policy is in force")
	}
}

// restarts says what of an entry of servers: a running server does not follow.
func restarts(name string, old, next *policy.Policy) string {
	a, b := old.Server(name), next.Server(name)
	switch {
	case a.HasEnv != b.HasEnv || !slices.Equal(a.Env, b.Env):
		return fmt.Sprintf("servers.%s.env has changed: the server has its old variables until it is started anew", name)
	case fmt.Sprint(old.Attests(name)) != fmt.Sprint(next.Attests(name)):
		return fmt.Sprintf("servers.%s.attest has changed: the server is measured when it is started anew", name)
	}
	return ""
}

// Accept puts the policy into force that waits, if it is still the one with the
// digest: a person has seen what it allows.
func (r *Reloader) Accept(digest string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.waiting == nil && r.state.State == abi.ReloadInForce && r.state.InForce == digest:
		return nil // somebody was faster
	case r.waiting == nil:
		return errors.New("no policy waits; callgate reload says how the files stand")
	case r.waiting.Policy.Digest() != digest:
		return errors.New("the files have changed since; look again with callgate reload")
	}
	for _, k := range r.keepers {
		k.record(abi.Event{Reload: &abi.ReloadEvent{State: abi.ReloadAccepted, Digest: digest, Why: r.state.Why}})
	}
	r.use(*r.waiting)
	return nil
}

// voice is what the policy in force lets us say.
func (k *Keeper) voice() Voice { return *k.speak.Load() }

// takesContext says whether the policy in force counts what the user says.
func (k *Keeper) takesContext() bool {
	k.asks.mu.Lock()
	defer k.asks.mu.Unlock()
	return k.o.Asking.Context
}

// use puts a policy into force between two calls. Calls that wait for an answer
// are judged again: some go out, some are denied, and of the others people are
// asked anew.
func (k *Keeper) use(l Loaded) error {
	var o out
	k.asks.mu.Lock()
	defer func() {
		k.asks.mu.Unlock()
		k.outbox.put(o)
	}()
	if err := k.protect(l.Protected); err != nil {
		return err
	}
	before, ways := k.o.Engine.PolicyDigest(), k.o.Engine.Ways(k.o.Server)
	if before != l.Policy.Digest() {
		for _, q := range k.asks.open {
			k.unpark(q) // their clients were answered: nothing of theirs may go out now
		}
	}
	r, err := k.o.Engine.Use(l.Policy)
	if err != nil {
		return err // nothing is allowed any more
	}
	voice := NewVoice(l.Policy.Value()).Naming(k.voice().servers...)
	k.speak.Store(&voice)
	s := l.Policy.Settings()
	a := &k.o.Asking
	a.Policy, a.Timeout, a.Webhook, a.Context = l.Policy.Name(), s.ApprovalTimeout, l.Webhook, s.UserContext
	if before == l.Policy.Digest() {
		return nil // it means the same, and so do the questions
	}
	verdicts := map[string]*abi.Verdict{}
	for _, e := range r.Answers {
		if e.Verdict != nil {
			verdicts[e.Verdict.ID] = e.Verdict
		}
	}
	for _, q := range slices.Clone(k.asks.open) {
		k.rejudged(&o, q, verdicts, r)
	}
	k.relisted(&o, ways)
	return nil
}

// protect has calls kept away from further files.
func (k *Keeper) protect(files []string) error {
	if len(files) == 0 {
		return nil
	}
	items := make([]abi.Value, len(files))
	for i, p := range files {
		items[i] = abi.StringValue(p)
	}
	facts := abi.ObjectValue(abi.Member{Name: "protected", Value: abi.ArrayValue(items...)})
	_, err := k.o.Engine.Step(abi.Event{Facts: &abi.FactsEvent{Facts: facts}})
	return err
}

// rejudged acts on what a question has become under another policy.
func (k *Keeper) rejudged(o *out, q *question, verdicts map[string]*abi.Verdict, r Recorded) {
	k.asks.desk.Withdraw(q.id)
	waited := q.waiting
	q.waiting = nil
	k.unoffer(o, q)
	var again []*waiting
	for _, w := range waited {
		v := verdicts[w.verdict.ID]
		if v == nil {
			v = unkept("")
		}
		if v.Enforced() == abi.Ask {
			w.verdict = v
			again = append(again, w)
			continue
		}
		w.timer.Stop()
		*o = append(*o, func() { w.done(v, r) })
	}
	if len(again) == 0 {
		k.close(o, q)
		return
	}
	q.call = again[0].verdict.ID
	asked, arguments, ok := k.o.Engine.Question(q.call)
	if !ok {
		for _, w := range again {
			w.timer.Stop()
			*o = append(*o, func() { w.done(unkept(""), r) })
		}
		k.close(o, q)
		return
	}
	q.waiting, q.fingerprint = again, asked.Fingerprint
	q.shown = k.asks.desk.Open(approval.Question{
		Group: k.o.Asking.Group, Policy: k.o.Asking.Policy, Ask: asked, Arguments: arguments, Asked: time.Now(), Held: true, Waiting: len(again),
	})
	q.id, q.stop = q.shown.ID, func() {}
	k.offer(o, q, again[0])
}
