package callgate

// The version of the ABI that this package speaks.
const Version = "1.0"

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. RawString is a string that UTF-8 can not hold: [Value.Text] has
// U+FFFD in place of what can not be held.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
	RawString
)

// The phases in which a plugin is asked.
const (
	PhaseCall   = "call"
	PhaseResult = "result"
	PhaseList   = "list"
)

// The kinds of a call.
const (
	KindTool        = "tool"
	KindResource    = "resource"
	KindPrompt      = "prompt"
	KindCompletion  = "completion"
	KindSampling    = "sampling"
	KindElicitation = "elicitation"
	KindRoots       = "roots"
	KindMethod      = "method"
)

// Where a value came from, as [Finding.Origin] says.
const (
	OriginTainted  = "tainted"
	OriginUnproven = "unproven"
	OriginClient   = "client"
	OriginTrusted  = "trusted"
)

// AnyLabel stands among labels for every label there is: more were given than the
// host keeps.
const AnyLabel = "*"

// The levels of [Log].
const (
	LogDebug uint32 = iota
	LogInfo
	LogWarn
	LogError
)

// What the host takes of one verdict. Characters are Unicode code points.
const (
	MaxVerdictBytes = 262144
	MaxReasonRunes  = 1024
	MaxTags         = 16
	MaxTagRunes     = 256
	MaxPointers     = 256
	MaxPointerRunes = 4096
	MaxLabels       = 32
	MaxHidden       = 1024
)
