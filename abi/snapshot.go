package abi

import "time"

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
	Drift       Drift    // in state PinChanged: how far the listed definition has moved
	Why         string   // what the worst of it is, in words of ours
	Twice       bool     // one list held the tool twice, differently
	Annotations Value
	Schema      Value // input schema of the pinned definition
	Listed      Value // the definition as last listed
}

// CodePinServer is the code of an ask about a server that says another thing of
// itself than it was pinned with. One answer serves every call of the server.
const CodePinServer = "PIN_SERVER"

// ServerDrift is how what a server says of itself stands to its pin.
type ServerDrift struct {
	Changed  []string // members of its [Identity] that differ, sorted; none: no drift
	Drift    Drift
	Why      string // what the worst of it is, in words of ours
	Was, Is  Value  // the pinned identity, and what it says in this session
	Declined bool   // a person did not want it, in this session
}

// Principal is who calls.
type Principal struct {
	Identity string // the entry of `identities:` that the operator started the process with
	Subject  string // as verified
	Issuer   string // who verified it
	Actors   []string
}

// BudgetUse is the state of one budget that applies to a call.
type BudgetUse struct {
	Rule   string // file:line: path
	Name   string
	Max    int64
	Used   int64         // without this call
	Charge int64         // what this call adds
	Window time.Duration // 0: per session, or per day
	Zone   string        // per calendar day of this time zone, instead of Window
	Resets time.Time     // when the oldest charge no longer counts; zero: with the session
	Plugin bool          // Name is a plugin, and Max what it has left the session
}

// Place is where relative and home paths of a server start.
type Place struct {
	Dir      string // absolute working directory of the server
	Home     string // home directory, "" if unknown
	Platform string // GOOS of the host, "" reads as linux
}

// Approved is a destination approval that the session remembers.
type Approved struct {
	Kind                            CallKind  // "" reads as tool
	Server, Tool, Pin, At, Identity string    // Tool is the call's [Call.Target]
	Position                        Position  // the evidence it was given with
	Until                           time.Time // zero: as long as the session
}

// Session is the part of the session's state that contracts may see.
type Session struct {
	ID        string
	Principal Principal
	Labels    []string
	// Capabilities are what allowed calls have shown, sorted; see `capability:`.
	Capabilities []string
	Calls        int64
	Denied       int64
	ThisTool     int64
	Recent       []Recent // newest last, at most 64
	Budgets      []BudgetUse
	Place        Place
	Protected    []string   // paths that belong to Callgate itself
	Approved     []Approved // destination approvals of this session
	Flows        Flows
}

// Recent is one earlier call.
type Recent struct {
	ID, Server, Tool string // Tool is the call's [Call.Target]
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

// Phases are all of them.
var Phases = []Phase{PhaseCall, PhaseResult, PhaseList}

// Snapshot is the immutable view that a contract judges. Contracts must not
// change anything reachable from it.
type Snapshot struct {
	Phase      Phase
	Time       time.Time // decision time of the event
	Settings   Value
	Call       Call
	Definition Definition
	Server     ServerDrift // of the server that is called
	Launch     Value       // what was measured of the server before it was started, see [FactsEvent]; absent: nothing
	Taint      []Finding
	Carried    []Carried // what of the arguments holds data with labels, as far as a contract asked
	Session    Session
	Result     Value // phase result: as received
	List       Value // phase list
}
