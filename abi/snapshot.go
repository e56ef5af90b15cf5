package abi

import "time"

// CallKind names what a call does.
type CallKind string

// The kinds of a call.
const (
	KindTool        CallKind = "tool"
	KindResource    CallKind = "resource"
	KindPrompt      CallKind = "prompt"
	KindCompletion  CallKind = "completion"
	KindSampling    CallKind = "sampling"
	KindElicitation CallKind = "elicitation"
	KindRoots       CallKind = "roots"
	KindMethod      CallKind = "method"
)

// Call is one action of the client that can have an effect or read data, or
// one request of a server to the client. Which members are set depends on Kind.
type Call struct {
	Seq       uint64   // position of the call event in its ledger
	ID        string   // unique in a group: six hex digits of the ledger file, then Seq
	Kind      CallKind // "" reads as tool
	Server    string   // the operator's name for the server
	Tool      string   // tool: exact name
	Arguments Value    // tool, prompt: an object, or absent
	Task      Value    // tool: params.task of a task-augmented call
	URI       string   // resource
	Action    string   // resource: read or subscribe
	Name      string   // prompt
	Ref       Value    // completion
	Argument  Value    // completion
	Method    string   // method
	Params    Value    // sampling, elicitation, method: the params as received
	Digest    string   // SHA-256 of the canonical arguments
	Bytes     int64    // size of the params as received
}

// PinState says how a tool stands to its pin.
type PinState uint8

// The pin states. The zero value is a tool that nobody knows.
const (
	PinUnknown  PinState = iota // a list was seen and does not hold it
	PinUnlisted                 // no list was seen and no pin is stored
	PinLate                     // it appeared after the first complete list
	PinChanged                  // its definition differs from the pin
	PinUnfit                    // its name can not be pinned
	PinOK                       // pinned, and unchanged as far as seen
)

// Definition is what is known of the called tool.
type Definition struct {
	State       PinState
	Pin         string   // digest of the pinned definition, "" if there is none
	Changed     []string // members that differ from the pin, sorted
	Annotations Value
	Schema      Value // input schema of the pinned definition
	Listed      Value // the definition as last listed
}

// Principal is who calls.
type Principal struct {
	Subject string
	Actors  []string
}

// BudgetUse is the state of one budget that applies to a call.
type BudgetUse struct {
	Rule   string // file:line: path
	Name   string
	Max    int64
	Used   int64         // without this call
	Charge int64         // what this call adds
	Window time.Duration // 0: per session
	Resets time.Time     // when the oldest charge falls out of the window; zero: with the session
}

// Place is where relative and home paths of a server start.
type Place struct {
	Dir      string // absolute working directory of the server
	Home     string // home directory, "" if unknown
	Platform string // GOOS of the host, "" reads as linux
}

// Approved is a destination approval that the session remembers.
type Approved struct {
	Server, Tool, Pin, At, Identity string
	Position                        Position  // the evidence it was given with
	Until                           time.Time // zero: as long as the session
}

// Session is the part of the session's state that contracts may see.
type Session struct {
	ID        string
	Principal Principal
	Labels    []string
	Calls     int64
	Denied    int64
	ThisTool  int64
	Recent    []Recent // newest last, at most 64
	Budgets   []BudgetUse
	Place     Place
	Protected []string   // paths that belong to Callgate itself
	Approved  []Approved // destination approvals of this session
}

// Recent is one earlier call.
type Recent struct {
	ID, Server, Tool string
	Outcome          Outcome
}

// Phase says when a contract is asked.
type Phase string

// The phases of a call.
const (
	PhaseCall   Phase = "call"
	PhaseResult Phase = "result"
	PhaseList   Phase = "list"
)

// Snapshot is the immutable view that a contract judges. Contracts must not
// change anything reachable from it.
type Snapshot struct {
	Phase      Phase
	Time       time.Time // decision time of the event
	Settings   Value
	Call       Call
	Definition Definition
	Taint      []Finding
	Session    Session
	Result     Value // phase result: as received
	List       Value // phase list
}
