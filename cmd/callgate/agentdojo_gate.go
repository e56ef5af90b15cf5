package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

// dojoGate is the policy that judges.
type dojoGate struct {
	policy *policy.Policy
	// once is the same where a person may override what a destination's taint
	// denies.
	once  *policy.Policy
	flags dojoFlags
}

// dojoLayer is a layer that the command adds above the files.
type dojoLayer struct{ name, text string }

// loadDojoGate loads the policy. That the prompt is known is what the flag says,
// so the policy need not.
func loadDojoGate(p policyFlags, f dojoFlags) (*dojoGate, error) {
	var layers []dojoLayer
	if f.context {
		layers = append(layers, dojoLayer{"--user-context", "callgate: 1\nsettings: {user_context: true, replace: [user_context]}\n"})
	}
	g := &dojoGate{flags: f}
	var err error
	if g.policy, err = loadLayers(p, layers); err != nil {
		return nil, err
	}
	once := dojoLayer{"override: once", "callgate: 1\ntools: {\"*\": {sink: {override: once}}}\n"}
	g.once, err = loadLayers(p, append(layers, once))
	return g, err
}

func loadLayers(f policyFlags, layers []dojoLayer) (*policy.Policy, error) {
	o := served(policy.Options{Files: slices.Clone(f.files), Floor: f.floor, Specs: builtin.Table(), Plugin: pluginLoads})
	if len(o.Files) == 0 {
		o.Files = []string{policy.Starter}
	}
	for _, l := range layers {
		o.Files = append(o.Files, l.name)
	}
	o.Read = func(path string) ([]byte, error) {
		for _, l := range layers {
			if path == l.name {
				return []byte(l.text), nil
			}
		}
		return os.ReadFile(path)
	}
	return policy.Load(o)
}

// explained replays a trace, and says why where the verdicts do not: of what is
// denied, whether an override would ask; of a pair that is allowed, who vouched
// for it, by replaying it without that.
func (g *dojoGate) explained(s *dojoSuite, t *dojoTrace) played {
	how := dojoWay{policy: g.policy, context: g.flags.context, structured: g.flags.results == "structured", yes: true}
	out := how.play(s, t)
	switch {
	case out.denied() && !t.pair:
		how.policy = g.once
		once := how.play(s, t)
		out.onceAsks = !once.denied()
	case t.pair && out.allowed():
		out.why = g.vouched(how, s, t, out)
	}
	return out
}

// vouched says why a pair is allowed.
func (g *dojoGate) vouched(how dojoWay, s *dojoSuite, t *dojoTrace, out played) string {
	if len(t.attack) == 0 {
		return "the attack makes no call"
	}
	allowed := func(context, yes bool) bool {
		again := how
		again.context, again.yes = context, yes
		out := again.play(s, t)
		return out.allowed()
	}
	why := "nothing in the policy objects"
	switch {
	case !out.destination:
		why = "no call names a destination, and nothing else in the policy objects"
	case allowed(false, false):
	case how.context && allowed(true, false):
		why = "the user's prompt vouches for the destination"
	default:
		why = "a person said yes to the same in the user's own task"
	}
	return fmt.Sprintf("%s (%s)", why, out.why)
}
