package policy

import "github.com/callgate/callgate/abi"

// Struct tags of the types below. key: the name in a file. is: the kind of a
// leaf (leaf.go). keys: the kind of a map's keys. enum: the accepted words.
// word: the words that may stand instead of a list or map. doc: the description
// in the schema. The schema, the strict reader and Decode all come from them.

// orWord is a member that is one of a few words, or an Of.
type orWord[T any] struct {
	Word string
	Of   *T
}

// file is one policy file.
type file struct {
	Callgate   int64             `key:"callgate" is:"version" doc:"Format version. Required; this version is 1."`
	Name       *string           `key:"name" is:"name" doc:"Shown where the ledger is: by why and ledger tail."`
	Include    []string          `key:"include" is:"text" doc:"Lower layers, the highest first, relative to this file. starter is the built-in policy."`
	Packs      *orWord[[]string] `key:"packs" is:"name" word:"auto|none" doc:"The packs that may bind: auto (all that are about a server), none, or a list of names, in which auto may stand too. Absent: auto."`
	Settings   *settings         `key:"settings" doc:"What holds for every tool."`
	Servers    map[string]server `key:"servers" keys:"server" doc:"The servers by the name that the operator gave them with --server."`
	Tools      map[string]tool   `key:"tools" keys:"tool" doc:"Rules by tool: server/tool, both halves globs; send_email means */send_email."`
	Budgets    []budget          `key:"budgets" doc:"Budgets that several tools share."`
	Labels     []labelEntry      `key:"labels" doc:"Names that the calls of some tools give to their data and to the session."`
	Flows      []flow            `key:"flows" doc:"Where data with a label may not go."`
	Chains     []chain           `key:"chains" doc:"Calls that must not follow on others."`
	Redact     []redaction       `key:"redact" doc:"Text that is replaced wherever it stands. In a pack it counts only when the pack is named under packs: or bound by hand."`
	Schedules  []schedule        `key:"schedules" doc:"When tools may be called."`
	Capability *capability       `key:"capability" doc:"What a session may turn out to be able to do. Opt-in."`
	Identities []identity        `key:"identities" doc:"Who may call, and what. With any, whoever matches none is denied."`
	Plugins    []plugin          `key:"plugins" doc:"Contracts of third parties: WebAssembly modules that judge calls, results and lists. They can only tighten."`
	Sources    map[string]source `key:"sources" keys:"tool" doc:"What vouches, by server/tool. In a pack it counts only when the pack is bound by hand."`
}

type settings struct {
	Mode             *string   `key:"mode" enum:"enforce|observe" doc:"observe: contracts decide and record but do not block. Absent: enforce."`
	Default          *string   `key:"default" enum:"deny|ask|allow" doc:"What happens to a tool that nothing grants. Absent in every layer: deny."`
	Unlisted         *string   `key:"unlisted" enum:"deny|ask|allow" doc:"A tool called before any list was seen and without a stored pin. Absent: deny under default: deny, else ask."`
	UserContext      *bool     `key:"user_context" doc:"Count user events: what the user said through the process's own channel. Absent: false."`
	Ledger           *string   `key:"ledger" enum:"full|digests" doc:"digests keeps arguments and results out of the file. Absent: full."`
	UnknownServer    *string   `key:"unknown_server" enum:"deny|ask|allow" doc:"A server that servers: does not name. allow is no objection and grants nothing. Absent: allow without servers:, else ask."`
	Taint            *string   `key:"taint" enum:"graded|strict" doc:"strict: any taint on a destination denies. Absent: graded."`
	AskFrom          *string   `key:"ask_from" enum:"low|medium|high|critical" doc:"Tools of this risk or above always ask. Absent: none."`
	MaxArgumentBytes *int64    `key:"max_argument_bytes" is:"size" doc:"A call with bigger arguments is denied. Absent: 1MiB."`
	MaxResultBytes   *int64    `key:"max_result_bytes" is:"size" doc:"A bigger result is replaced by an error that says so. Absent: 10MiB."`
	MaxText          *int64    `key:"max_text" is:"size" doc:"Text that is kept on disk for one server of a group. The oldest goes first, and what it may have tainted asks. Absent: 1GiB."`
	SessionIdle      *string   `key:"session_idle" is:"duration" doc:"A process that starts within this time of the last call goes on with the session. Absent: 30m."`
	Approval         *approval `key:"approval" doc:"Who may answer, beyond what every ask accepts."`
	MaxAsks          *int64    `key:"max_asks" is:"count" doc:"Asks per session; what would ask more often is denied. 0: nobody is asked. Absent: 20."`
	ApprovalTimeout  *string   `key:"approval_timeout" is:"wait" doc:"How long a call is held for its answer, at most 10m; a later yes serves the identical retry. 0s: not at all. Absent: 50s."`
	Replace          []string  `key:"replace" enum:"mode|default|unlisted|user_context|ledger|unknown_server|taint|ask_from|max_argument_bytes|max_result_bytes|max_text|session_idle|approval|max_asks|approval_timeout" doc:"Settings that forget what lower layers say."`
}

type approval struct {
	Channels   []string `key:"channels" enum:"terminal|elicitation|webhook" doc:"Who may answer the asks of high-risk tools and overrides. Absent: the terminal, and the webhook where there is one."`
	Webhook    *string  `key:"webhook" is:"webhook" doc:"URL that asks are sent to: https, or http to this machine. Needs webhook_key."`
	WebhookKey *string  `key:"webhook_key" is:"file" doc:"File with the key that asks and answers are signed with, relative to this file."`
}

type server struct {
	Verdict *string           `key:"verdict" enum:"allow|ask|deny" doc:"For every tool of the server; reads as the key SERVER/*."`
	Pack    *string           `key:"pack" is:"name" doc:"Binds this pack by hand, its grants and trust included."`
	Outputs *string           `key:"outputs" enum:"untrusted|trusted" doc:"trusted: its results do not taint. Absent: untrusted."`
	Text    map[string]string `key:"text" keys:"half" enum:"json|yaml|headers|prose" doc:"How text results are read into fields, by tool. Absent: found out from the text."`
	Env     []string          `key:"env" is:"env" doc:"Names of the environment variables that the server gets. Absent: all but CALLGATE_*."`
	Attest  *attest           `key:"attest" doc:"What may be launched under this name. A server that is anything else is not started, and its calls are denied."`
	Cwd     *string           `key:"cwd" is:"dir" doc:"Directory that the server is started in, and that relative paths of its calls start from. Absent: that of callgate."`
	Replace *bool             `key:"replace" doc:"Forget what lower layers say about the server and its tools."`

	Requests    *requests         `key:"requests" doc:"What the server may ask of its client."`
	Resources   *permit           `key:"resources" doc:"Reading resources and subscribing to them. Absent: as verdict, else settings.default."`
	Prompts     *permit           `key:"prompts" doc:"Getting prompts. Absent: as verdict, else settings.default."`
	Completions *permit           `key:"completions" doc:"Completing arguments while they are typed. Absent: denied where verdict, else settings.default, denies."`
	Methods     map[string]string `key:"methods" keys:"half" enum:"allow|ask|deny" doc:"Methods that Callgate does not know, by glob. Absent: denied where verdict, else settings.default, denies."`
}

type requests struct {
	Sampling    *orWord[permit] `key:"sampling" word:"allow|ask|deny" doc:"sampling/createMessage: have the client's model write. Absent: as verdict, else settings.default."`
	Elicitation *orWord[permit] `key:"elicitation" word:"allow|ask|deny" doc:"elicitation/create: ask the user. Absent: denied where verdict, else settings.default, denies."`
	Roots       *orWord[permit] `key:"roots" word:"allow|ask|deny" doc:"roots/list: see the client's directories. Absent: denied where verdict, else settings.default, denies."`
}

type permit struct {
	Verdict *string `key:"verdict" enum:"allow|ask|deny" doc:"allow grants them, subject to every contract."`
	Args    []arg   `key:"args" doc:"What their parameters may be. Every entry must hold."`
	Replace *bool   `key:"replace" doc:"Forget what lower layers and heuristics say about them."`
}

type tool struct {
	Verdict    *string           `key:"verdict" enum:"allow|ask|deny" doc:"allow grants the tool, subject to every contract."`
	Sink       *orWord[sink]     `key:"sink" word:"none" doc:"The arguments that name where data goes; none drops what the heuristics found."`
	MaxCalls   *int64            `key:"max_calls" is:"count" doc:"Attempts per session, server and tool. 0: never."`
	Risk       *string           `key:"risk" enum:"low|medium|high|critical" doc:"Shown in asks and the ledger; drives ask_from."`
	Undeclared *string           `key:"undeclared" enum:"allow|sink|deny" doc:"Arguments that the pinned schema does not have."`
	Args       []arg             `key:"args" doc:"What arguments may be. Every entry must hold."`
	Results    []arg             `key:"results" doc:"What results may be, in the words of args. Pointers are into the result. A result that violates an entry is not relayed."`
	Slots      map[string]string `key:"slots" keys:"argument" enum:"path|cwd|command|sql|url|host|recipient|repo|owner|principal|application|skill|activation|secret|bypass|size|rows" doc:"What the server's own argument names mean."`
	Approve    *approve          `key:"approve" doc:"How far a person's yes to an ask of the tool reaches. In a pack that is bound by fit it counts only where it reaches less far."`
	When       *held             `key:"when" doc:"The entry holds only while the session holds these labels. It can only tighten."`
	Hide       *bool             `key:"hide" doc:"true: the tool is not shown in lists, and denied when it is called all the same."`
	Replace    *bool             `key:"replace" doc:"Forget what lower layers, packs and heuristics say about the tools of this key."`
}

type approve struct {
	Scope *string `key:"scope" enum:"call|args|destination" doc:"call: the call that was shown, once. args: calls with the same arguments. destination: the destinations that were shown. Absent: destination for asks of the sink, else call."`
	For   *string `key:"for" is:"duration" doc:"How long it is remembered. Absent: as long as the session."`
}

type sink struct {
	To       []string          `key:"to" is:"argument" doc:"Arguments that are destinations: names or JSON Pointers. An empty list: every argument."`
	Content  []string          `key:"content" is:"argument" doc:"Arguments that are content, not destinations."`
	Trusted  []string          `key:"trusted" is:"trusted" doc:"Destinations that need no question: exact, *@domain or *.domain."`
	On       map[string]string `key:"on" keys:"position" enum:"deny|ask|allow" doc:"What taint in this position does."`
	Payload  *string           `key:"payload" enum:"allow|ask|deny" doc:"Tainted URLs and addresses inside content. Absent: ask."`
	Override *string           `key:"override" enum:"once" doc:"once: a tainted destination asks, with the evidence, instead of denying."`
}

type arg struct {
	Slot string `key:"slot" enum:"path|cwd|command|sql|url|host|recipient|repo|owner|principal|application|skill|activation|secret|bypass|size|rows" doc:"A class of arguments. With arg: that argument alone, which holds values of the class."`
	Arg  string `key:"arg" is:"argument" doc:"One argument: a name or a JSON Pointer, in which a segment * is any item or member."`

	Allow        []string            `key:"allow" is:"pattern" doc:"slot: every value must match one, and one must be there. An empty list allows nothing."`
	Deny         []string            `key:"deny" is:"pattern" doc:"slot: no value may match."`
	Literal      *bool               `key:"literal" doc:"path, cwd: refuse shell grammar in the value."`
	Fold         *bool               `key:"fold" doc:"path, cwd: compare without regard to case."`
	Symlinks     *string             `key:"symlinks" enum:"lexical|resolve" doc:"path, cwd: lexical compares paths as written; resolve follows links, too, and both must be acceptable. Absent: lexical."`
	AllowPattern []string            `key:"allow_pattern" is:"regex" doc:"sql: RE2, of which every whole statement must match one. An empty list allows nothing."`
	DenyPattern  []string            `key:"deny_pattern" is:"regex" doc:"sql, command: RE2 that may match nowhere in the text."`
	DenyKeyword  []string            `key:"deny_keyword" is:"text" doc:"command: words that may stand nowhere in the text."`
	Options      map[string][]string `key:"options" keys:"text" doc:"command: by command, the only options that it may have, with their dashes."`
	Env          []string            `key:"env" is:"text" doc:"command: variables that a command line may set for what it runs: NAME, or NAME=value. Absent: none, under allow."`
	Writes       []string            `key:"writes" is:"pattern" doc:"command: files that a command line may write by itself, with > and the like. Absent: none but /dev/null, under allow."`
	Reads        []string            `key:"reads" is:"pattern" doc:"command: files that a command line may read by itself, with <. Absent: those of a command that allow lets have any further words."`
	Schemes      []string            `key:"schemes" is:"text" doc:"url: the accepted schemes."`
	Ports        []int64             `key:"ports" is:"count" doc:"url, host: the accepted ports."`
	Private      *string             `key:"private" enum:"deny" doc:"url, host: deny refuses loopback, link-local, private and metadata addresses."`
	Except       []string            `key:"except" is:"text" doc:"url, host: hosts that private: deny leaves alone."`
	JSON         *bool               `key:"json" doc:"slot: JSON arrays and objects that stand in strings are opened, too."`

	Match    *string     `key:"match" is:"regex" doc:"arg: RE2 that must match the whole value."`
	In       []abi.Value `key:"in" is:"scalar" doc:"arg: the accepted values. An empty list allows nothing."`
	Max      *string     `key:"max" is:"number" doc:"arg, size, rows: the greatest number."`
	Min      *string     `key:"min" is:"number" doc:"arg, size, rows: the least number."`
	MaxBytes *int64      `key:"max_bytes" is:"size" doc:"arg: the most bytes of the value's canonical JSON, or of the text of a string."`
	Forbid   *bool       `key:"forbid" doc:"arg, secret, bypass: the argument must be absent; of bypass, or say off."`
	Require  *bool       `key:"require" doc:"arg: the argument must be present."`
	Origin   []string    `key:"origin" enum:"client|trusted" doc:"arg: who may have said the value: the user through the process's own channel, or a field that vouches under sources. What stood in another output is denied, anything else asks; verdict says otherwise."`

	Also    *bool   `key:"also" doc:"The allow or in list of a lower layer for the same slot or argument keeps holding beside this one; both must match."`
	Verdict *string `key:"verdict" enum:"deny|ask" doc:"What a violation of this entry yields. Absent: deny."`
}

type budget struct {
	Name   string   `key:"name" is:"name" doc:"Unique in the policy. Required."`
	Tools  []string `key:"tools" is:"tool" doc:"The tools that share the budget: server/tool, both halves globs. Required."`
	Per    *string  `key:"per" is:"per" doc:"session, a duration such as 1h, or day@ZONE: a calendar day of a time zone, such as day@Europe/Berlin. Absent: session."`
	Max    *int64   `key:"max" is:"count" doc:"How much may be charged. Required; 0: never."`
	Count  *string  `key:"count" enum:"attempts|commits|successes|failures" doc:"Which calls are charged; failures: those that failed in a row. Absent: attempts."`
	Weight *string  `key:"weight" is:"pointer" doc:"JSON Pointer into the arguments; the number of elements there is charged instead of 1."`
}

type source struct {
	Outputs    *string           `key:"outputs" enum:"trusted" doc:"trusted: the results do not taint."`
	WholeField *bool             `key:"whole_field" doc:"A directory: whole fields of its results vouch, its prose never does."`
	Fields     map[string]string `key:"fields" keys:"segments" enum:"addressing|trusted|untrusted" doc:"What fields of the result are, by JSON Pointer; a segment * is any member or item."`
}
