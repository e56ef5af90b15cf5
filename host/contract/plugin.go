package contract

import (
	"errors"

	"github.com/callgate/callgate/abi"
)

// ErrGone says that a module is neither where the policy names it nor kept, so that
// what the plugin said can not be replayed.
var ErrGone = errors.New("the module is not here any more, and no copy was kept")

// Plugin is a contract of a third party. Its verdict never allows, and has a
// receipt, whatever the outcome: see [abi.Verdict.Plugin]. The same snapshot gives
// the same verdict, but for the class watchdog.
type Plugin interface {
	Contract
	Manifest() *abi.Manifest
}

// PluginRef is one entry of `plugins:`, as far as it is about the calls of a tool,
// the calls of another kind, or the lists of a server.
type PluginRef struct {
	Rule     string // file:line: path
	Name     string // unique in the policy; verdicts show it as the contract
	File     string // the module, its bundle, or a reference; of a policy that was decoded it may be gone
	Digest   string // of the module's file
	Bundle   Bundle // that the module is from; the zero value: none
	Settings abi.Value
	Observe  bool // what it says is recorded, and not enforced
}

// Bundle is the signed bundle that a module came in, as the lock pinned it and the
// operator's trust file let it when the policy was loaded.
type Bundle struct {
	Digest  string   // sha256:…
	Name    string   // of the plugin
	Version string   // of the plugin
	Keys    []string // ids of the keys whose signatures counted, sorted
}
