package contract

import (
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/redact"
)

// Rules is what one tool, or one method of another kind of call, is judged by
// under one policy, after all layers, packs and heuristics have been joined. It
// is data: it names no contract.
type Rules struct {
	Server string
	Kind   abi.CallKind // "" reads as tool
	Tool   string       // of another kind: its method, see [abi.Call.Target]

	Grant      Grant       // what the policy says of the tool as a whole
	Hide       string      // rule that hides the tool, "" for none
	Default    abi.Outcome // of a tool that nothing grants; Abstain in a floor without a default
	DefaultAt  string      // rule of the default
	Unlisted   abi.Outcome // of a tool without list and pin
	UnlistedAt string
	Unknown    *Grant // the server is not named by `servers:`
	Risk       Risk
	AskFrom    Risk // 0: none
	AskFromAt  string

	MaxArgumentBytes   int64 // 0: no limit
	MaxArgumentBytesAt string

	Args       []Arg
	Results    []Arg       // the same of what comes back; pointers are into the result
	Redact     *redact.Set // compiled once for all tools, as it is the same for each
	Sink       *Sink       // nil: the tool has no sink
	Undeclared Undeclared
	// UndeclaredAt is the rule that set Undeclared.
	UndeclaredAt string
	Approve      Approve

	Attest     *Attest     // nil: whatever is launched as the server
	Schedules  []Schedule  // that name the tool
	Identities []Identity  // all of the policy; nil: whoever calls
	Capability *Capability // nil: nothing is said
	Labels     []Label     // that its calls give
	Flows      []Flow      // that end in it
	Chains     []Chain
	Tracks     bool        // something gives labels, so that what is written to files is followed
	Plugins    []PluginRef // that judge its calls and results, sorted by name
}

// Approve is `approve:`: how far a person's yes reaches.
type Approve struct {
	Rule  string // file:line: path, "" where the policy says nothing
	Scope Scope
	For   time.Duration // how long it is remembered; 0: as long as the session
}

// Scope says what a person's yes holds for beyond the call that was shown.
type Scope uint8

// The scopes. The zero value is what holds where the policy says nothing.
const (
	ScopeUnset       Scope = iota // a sink ask: as destination; any other: as call
	ScopeCall                     // nothing else
	ScopeArgs                     // calls of the same tool with the same arguments and the same evidence
	ScopeDestination              // the destinations of a sink ask, under the same evidence; any other ask: as call
)

// Grant is a `verdict:` with the rule that said so. A grant that was never set
// has Set false.
type Grant struct {
	Set     bool
	Outcome abi.Outcome
	Rule    string
}

// Risk orders tools by what they can do.
type Risk uint8

// The risks, lowest first. The zero value is a tool without a stated risk.
const (
	RiskUnset Risk = iota
	RiskLow
	RiskMedium
	RiskHigh
	RiskCritical
)

// String returns the risk's name in policies, "" where none is stated.
func (r Risk) String() string {
	if names := [...]string{"", "low", "medium", "high", "critical"}; int(r) < len(names) {
		return names[r]
	}
	return "critical"
}

// Undeclared says what an argument is that the pinned schema does not have.
type Undeclared uint8

// UndeclaredUnset leaves such arguments alone, except on a tool with a sink,
// where those with the shape of a destination are judged as one.
const (
	UndeclaredUnset Undeclared = iota
	UndeclaredAllow            // like any other argument
	UndeclaredSink             // a destination
	UndeclaredDeny             // refused
)

// Arg is one rule of `args:`: which of the call's values ([abi.Call.Values]) it
// is about, and what is acceptable.
type Arg struct {
	Rule    string      // file:line: path
	Outcome abi.Outcome // what a violation yields: Deny, or Ask

	Slot  string   // a class of arguments, or "" with Arg
	Names []string // further names of the slot's arguments on this tool (`slots:`)
	Arg   string   // a name or a JSON Pointer, or "" with Slot

	// slot:, see [Slots] for which class takes what. Patterns of path and cwd are
	// absolute, or start with "**/", after the policy's own directory was joined to
	// them.
	HasAllow     bool // an empty allow list allows nothing
	Allow        []string
	Deny         []string
	Literal      bool // shell grammar in the value is refused
	Expands      bool // a path that is a glob stands for all that it can match; of where:
	Fold         bool // compare without regard to case
	Resolve      bool // symlinks: resolve
	HasPatterns  bool // an empty allow_pattern list allows nothing
	AllowPattern []string
	DenyPattern  []string // RE2, anywhere in the value
	DenyKeyword  []string
	Options      map[string][]string // by command: the only options it may have
	Env          []string            // variables that a command may set: NAME, NAME=value
	Writes       []string            // path patterns of files that a command line may open by itself
	Reads        []string
	Schemes      []string
	Ports        []int64
	Private      bool // private addresses are refused
	Except       []string
	JSON         bool // JSON in strings is opened

	// arg:, and of a slot Max, Min and Forbid
	Match    string // RE2, must match the whole value; "" is no constraint
	In       []abi.Value
	HasIn    bool
	Max, Min string // JSON number lexemes, "" is no constraint
	MaxBytes int64  // -1: no constraint
	Forbid   bool
	Require  bool

	Origin  []string    // who may have said the value: client, trusted; nil is no constraint
	Unknown abi.Outcome // of a value of which nobody knows where it came from
}

// Sink says which arguments name where data goes, and what may go there.
type Sink struct {
	Rule    string
	To      []string // names or JSON Pointers; empty with All
	All     bool     // every argument is a destination
	Content []string // names or JSON Pointers that are content, not destinations
	Trusted []string // exact identities, or *@domain and *.domain patterns
	On      map[abi.Position]abi.Outcome
	// Alone is what evicted and saturated yield where nothing else is known of a
	// destination; of a position that is not in it, On holds.
	Alone   map[abi.Position]abi.Outcome
	Payload abi.Outcome // tainted URLs and addresses inside content
	Once    bool        // override: once
	Strict  bool        // taint: strict
	Spare   bool        // the schema lets a call name no destination, and only heuristics found one: content then goes where the tool sends it
}

// DefaultOn is `sink.on` where the policy says nothing.
func DefaultOn() map[abi.Position]abi.Outcome {
	return map[abi.Position]abi.Outcome{
		abi.Prose: abi.Deny, abi.Field: abi.Ask, abi.Encoded: abi.Deny, abi.Part: abi.Ask, abi.Weak: abi.Ask,
		abi.Glued: abi.Ask, abi.Lookalike: abi.Deny, abi.Echo: abi.Ask, abi.Saturated: abi.Ask, abi.Evicted: abi.Ask,
		abi.Unproven: abi.Ask,
	}
}

// Count says which calls a budget charges.
type Count uint8

// The zero value is the strictest: every call of a pinned tool, allowed or not.
const (
	CountAttempts  Count = iota
	CountCommits         // calls that were allowed
	CountSuccesses       // allowed calls whose result was no error
	CountFailures        // allowed calls whose result was an error, since the last that was none
)

// Budget is one entry of `budgets:`, or a tool's max_calls.
type Budget struct {
	Rule   string // file:line: path
	Name   string // unique in the policy
	Max    int64
	Window time.Duration // a stretch of time; 0: per session, or per day
	Zone   string        // per calendar day of this time zone, instead of Window
	Count  Count
	Weight string // JSON Pointer into the arguments whose element count is charged; "" charges 1
	Scope  string // calls with the same scope share the counter
	When   string // labels, joined by a blank, that the session must hold for it to limit anything
}
