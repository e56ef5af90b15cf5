package main

import (
	"os"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// wrappedPolicy loads the policy that a wrapped server is started with.
func wrappedPolicy(e clients.Entry) (*policy.Policy, error) {
	return policy.Load(policy.Options{Files: e.Policies, Floor: e.Floor, Specs: builtin.Table(), Run: true, Group: e.Group != ""})
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
		lines, err := ledger.ReadPins(ledger.GroupDir(state, e.Group), e.Name)
		if err != nil {
			return nil
		}
		if lines != nil {
			return bindings(p, e.Name, lines)
		}
	}
	return bindings(p, e.Name, nil)
}

// bindings lists the packs that bind to a server with these pinned tools.
func bindings(p *policy.Policy, server string, pins [][]byte) []policy.Binding {
	var list []abi.Value
	for _, line := range pins {
		v, err := abi.Parse(line)
		if err != nil {
			return nil
		}
		if p := abi.PinFrom(v); p.Definition.Exists() {
			list = append(list, p.Definition)
		}
	}
	return p.Bindings(server, list)
}

// boundBy says in a word how a pack is bound.
func boundBy(b policy.Binding) string {
	if b.Hand {
		return "hand"
	}
	return "fit"
}
