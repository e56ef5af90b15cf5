// Package callgate is what a Callgate plugin is written with: a lazy view of the
// snapshot that the host hands out, and verdicts.
//
//	package main
//
//	import callgate "github.com/callgate/callgate/sdk/go"
//
//	var _ = callgate.Register(callgate.Plugin{Evaluate: judge})
//
//	func judge(s callgate.Snapshot) *callgate.Verdict {
//		to := s.Call().Argument("/to")
//		if to.Text() == "a@b.example" {
//			return callgate.Abstain()
//		}
//		return callgate.Deny("OTHER_RECIPIENT").At(to.Pointer())
//	}
//
//	func main() {}
//
// Nothing is fetched before it is asked for, and nothing is kept from one
// evaluation to the next: what a plugin wants to remember are labels of the
// session. Built for anything but WASM, the package judges snapshots that a test
// hands to [Try], so that plugins are tested with go test alone.
package callgate
