package abi

// Loosening is the closed list of policy members that may loosen a verdict.
// Adding anything else to a policy never turns a deny into an allow: the
// property tests add what is not in the list.
var Loosening = []string{
	"replace",
	"verdict: allow",
	"a more specific key",
	"a higher layer's allow list",
	"max_*",
	"time-out",
	"risk",
	"sink.on.*",
	"sink.content",
	"sink: none",
	"text",
	"trusted",
	"sources",
	"audience",
	"except",
	"approval",
	"approve",
	"override",
	"outputs: trusted",

	// Where nothing was said before, these are looser than what holds then.
	"verdict: ask",
	"default",
	"unlisted",
	"unknown_server",
	"user_context",
	"undeclared: allow",
	"envelope",
	"identities", // one more lets one more caller in
	"packs",
	"servers",
}
