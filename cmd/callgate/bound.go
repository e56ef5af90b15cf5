package main

import (
	"maps"
	"os"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// wrappedPolicy loads the policy that a wrapped server is started with.
func wrappedPolicy(e clients.Entry) (*policy.Policy, error) {
	return policy.Load(served(policy.Options{Files: e.Policies, Floor: e.Floor, Specs: builtin.Table(), Plugin: pluginLoads, Run: true, Group: e.Group != ""}))
}

// packsOf lists the packs that bind to a wrapped server, by hand or by the tools
// that are pinned in its group. What can not be read binds nothing here; doctor
// says why.
func packsOf(e clients.Entry) []policy.Binding {
	if e.State != clients.Wrapped {
		return nil
	}
	p, err := wrappedPolicy(e)
	if err != nil {
		return nil
	}
	states, err := ledger.StateDirs(os.Getenv)
	if err != nil {
		return nil
	}
	for _, state := range states {
		k := newPinned(ledger.GroupDir(state, e.Group), e.Name)
		if err := k.readPins(); err != nil {
			return nil
		}
		if k.stored {
			return k.bindings(p)
		}
	}
	return p.Bindings(e.Name, nil)
}

// bindings lists the packs that bind to a server with its pinned tools.
func (k *pinned) bindings(p *policy.Policy) []policy.Binding {
	var list []abi.Value
	for _, name := range slices.Sorted(maps.Keys(k.tools)) {
		list = append(list, k.tools[name].Definition)
	}
	return p.Bindings(k.server, list)
}

// boundBy says in a word how a pack is bound.
func boundBy(b policy.Binding) string {
	if b.Hand {
		return "hand"
	}
	if b.All {
		return "name"
	}
	return "fit"
}

// pluginsOf lists the plugins of the policy that a wrapped server is started with.
func pluginsOf(e clients.Entry) []contract.PluginRef {
	if e.State != clients.Wrapped {
		return nil
	}
	p, err := wrappedPolicy(e)
	if err != nil {
		return nil // doctor says why
	}
	return p.Plugins()
}
