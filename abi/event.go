package abi

import "time"

// Event is one thing that can matter to a decision, or one answer of the gate.
// Exactly one of the pointers is set; an event with none of them is a time
// event, which only moves the clock.
//
// One event is one JSON object: the header members v, seq, prev, time and
// cause, then one member named after the kind.
type Event struct {
	Seq    uint64    // position in its ledger, from 0
	Prev   string    // hex SHA-256 of the previous line of the ledger, "" outside one
	Time   time.Time // what the clock read; zero: as before
	Cause  uint64    // seq of the event this one answers
	Caused bool      // whether Cause says anything

	Session  *SessionEvent
	Policy   *PolicyEvent
	Server   *ServerEvent
	Tools    *ToolsEvent
	Call     *Call
	Result   *ResultEvent
	User     *UserEvent
	Facts    *FactsEvent
	Approval *ApprovalEvent
	Frame    *FrameEvent
	Refused  *RefusedEvent
	Read     *ReadEvent
	Lapsed   *LapsedEvent
	Verdict  *Verdict
	Edit     *EditEvent
	Ask      *AskEvent
	Label    *LabelEvent
	Closed   *ClosedEvent
	Reload   *ReloadEvent
	Evicted  *EvictedEvent
	Receipt  *ReceiptEvent

	// Redacted says that what the event carries is not all of what the gate saw:
	// the policy keeps some of it out of the ledger.
	Redacted bool

	// Text says where the host keeps the text that the event carries by
	// reference instead of inline: a call's arguments, a result, a frame.
	Text *Text
}

// SessionEvent opens a process's part of a session.
type SessionEvent struct {
	ID        string
	New       bool   // never resume: a fresh session whatever the clock says
	Group     string // group id
	Server    string // the operator's name for the wrapped server
	File      string // id of the ledger file
	Version   string // of Callgate
	Principal Principal
	Place     Place
	Protected []string
	Previous  string // hash of the last line of the server's previous file
	Cut       int64  // bytes of a torn last line that were cut off the previous file
}

// PolicyEvent puts a policy into force.
type PolicyEvent struct {
	Digest string // of Policy
	Policy Value  // the merged policy, whole
	Files  []PolicyFile
}

// PolicyFile is one file that a policy was merged from.
type PolicyFile struct {
	Path   string
	Digest string
}

// ServerEvent carries what a server says of itself.
type ServerEvent struct {
	Server string
	// Result is the result of initialize or of server/discover as received, whole.
	Result Value
}

// ToolsSource says where a list of tools comes from.
type ToolsSource string

// The sources of a list of tools.
const (
	ToolsListed ToolsSource = "list"   // the server listed them
	ToolsStored ToolsSource = "stored" // pins kept from an earlier session
	ToolsCalled ToolsSource = "call"   // `callgate test` took them from the calls themselves
	// ToolsAccepted are pins that a person accepted through the process's own socket.
	ToolsAccepted ToolsSource = "accepted"
)

// ToolsEvent carries tool definitions.
type ToolsEvent struct {
	Server string
	Source ToolsSource // "" reads as list
	List   []Value     // definitions as received; pins ([Pin.Value]), if they were stored
	Cursor string      // cursor of the request
	Paged  bool        // the request had a cursor
	Next   string      // cursor of the next page
	More   bool        // there is a next page
}

// ResultEvent is the answer to a call.
type ResultEvent struct {
	Call   string // id of the call, "" if none is known
	Server string
	Value  Value // the result as received
	Error  Value // the JSON-RPC error as received, instead of Value
	Broken bool  // no success, where Value and Error are kept by reference
	Bytes  int64 // size of the frame as received
}

// Failed says whether the call had no success.
func (r *ResultEvent) Failed() bool {
	return r.Broken || r.Error.Exists() || r.Value.Get("isError").True()
}

// UserEvent is text that the user said through the process's own channel.
type UserEvent struct{ Text string }

// FactsEvent carries facts from outside that contracts asked for. Known
// members: "home" and "cwd" (strings), "protected" (paths that belong to Callgate
// itself besides those of the session event), "links", a world for tests and eval: what
// leads where, by path (of a call that is judged it stands in [Call.Facts]), and
// "attest", an object with a member for each server that was measured before it
// was started: {"sha256": HEX, "entry_args": [0]}, or a list of such. A server
// without a digest in it could not be measured.
type FactsEvent struct{ Facts Value }

// ApprovalEvent is a person's answer to an ask.
type ApprovalEvent struct {
	Call string // id of the asked call
	Yes  bool
	By   string // channel: one of the Channel constants, or "eval", "test"
}

// The channels through which a person can answer.
const (
	ChannelTerminal    = "terminal"
	ChannelElicitation = "elicitation"
	ChannelWebhook     = "webhook"
)

// FrameEvent is any other frame of a server, kept for provenance.
type FrameEvent struct {
	Server string
	Method string // of a request or notification
	// Request says that it is a request of the server, and not the answer to one of
	// the client with that method.
	Request bool
	Frame   Value // params, result or error
}

// RefusedEvent is a frame that was not relayed, or an allowed call that was
// taken back because its batch was refused.
type RefusedEvent struct {
	Server  string
	From    string // "client" or "server"
	Code    string
	Reason  string
	Pointer string
	Bytes   []byte // the frame, at most 64 KiB of it
	Size    int64  // bytes of the whole frame
	Call    string // id of the call that is taken back
	Tool    string // name of the tool that a refused call named, if known
}

// ReadEvent says how far another ledger file of the group had been read.
type ReadEvent struct {
	File   string // id of the file
	Server string // whose file it is
	Lines  uint64 // lines read
	Last   string // hash of the last line read
	Past   bool   // it is of the same server's past, folded whole when the process joined
	Broken string // why it can not be read any further: nothing is allowed until it can
}

// LapsedEvent says that an asked call waits for its answer no longer.
type LapsedEvent struct {
	Call string
	// Cancelled says that the client gave the call up: nobody may answer it any
	// more. Otherwise it was answered with a denial, and a later yes serves one
	// identical call.
	Cancelled bool
}

// EditEvent is what the gate changed in a call, or in what a server said.
type EditEvent struct {
	Call   string
	Of     string // "": the values of the call; "result", "error" or "frame": of the event that caused it
	Edits  []Edit
	Digest string // of what was edited, afterwards
}

// AskEvent asks a person about a call.
type AskEvent struct {
	Call        string
	Kind        CallKind // "" for a tool
	Server      string
	Tool        string // of another kind: its method, see [Call.Target]
	Fingerprint string // binds arguments, evidence, policy and pin; identical asks have the same
	Shared      bool   // a question with this fingerprint is open already: one prompt serves both
	Risk        string // of the tool, if the policy states one
	// Channels are the only ones that may answer; nil: every one.
	Channels   []string
	Items      []AskItem
	Definition Value // of a tool that a yes pins
	Identity   Value // of a server that a yes pins; see [Identity]
	// What a yes takes the pin from; absent where nothing was pinned.
	DefinitionWas, IdentityWas Value
}

// AskItem is one thing that a person is asked about.
type AskItem struct {
	Contract string
	Code     string
	Reason   string
	Once     bool     // a yes is never remembered
	Finding  *Finding // the destination, for a sink ask
}

// LabelEvent adds labels to a session or to the data of a call.
type LabelEvent struct {
	Call    string
	Session []string
	Data    []string
	Files   []FileLabels
}

// ReceiptEvent says that an allowed call has shown the session to be able to do
// more than before.
type ReceiptEvent struct {
	Call  string
	Shown []string // capabilities, sorted
}

// ClosedEvent ends a process's part of a session.
type ClosedEvent struct {
	Reason string
	Exit   int
}

// EvictedEvent says that a segment of text is gone from here on, so that the
// ledger stays below its size. What it held can not be looked at any more.
type EvictedEvent struct{ Segment string }

// ReloadEvent says what became of files of the policy that have changed, where
// they were not put into force, or were because a person accepted them, or because
// a process was started. It changes no decision: what is in force says a policy
// event.
type ReloadEvent struct {
	State  ReloadState
	Digest string   // of the policy that was read, "" if none was
	Why    []string // mistakes, or what loosens
}

// ReloadState says how changed files stand to what is in force.
type ReloadState string

// The states.
const (
	ReloadFailed  ReloadState = "failed"  // they do not load
	ReloadWaits   ReloadState = "waits"   // they may allow more, and a person has to accept that
	ReloadFixed   ReloadState = "fixed"   // they change what needs a restart
	ReloadInForce ReloadState = "current" // they are again what is in force

	ReloadAccepted  ReloadState = "accepted"  // a person let what they may allow more
	ReloadRestarted ReloadState = "restarted" // a start let what they may allow more than the policy before
	ReloadTold      ReloadState = "told"      // a client was sent a notification that a list is another one now; Why is its method
)
