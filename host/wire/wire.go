// Package wire reads, classifies, edits and writes the JSON-RPC 2.0 frames of MCP, lines or bodies of HTTP, without changing a byte it does not have to.
//
// The rule behind every refusal is one sentence: what two parsers could read differently is not a frame. Peers exist that take the last of two equal
// names, that fold case (and Unicode: paramſ), that end a line at a lone carriage return, or that accept NaN; a frame on which such a peer and this package
// could disagree is refused, in both directions, and never repaired. Everything else keeps its bytes: classification answers with spans into the
// received bytes, and Splice replaces spans only.
//
// Beyond its envelope a frame is looked into as far as decisions reach: the requests that a policy judges (rules.go) and the members by which a result makes
// a client ask (asks.go) must have their exact names, and a client's the types that MCP gives them. All else, unknown methods included, has only the shape.
//
// Sources: JSON-RPC 2.0; RFC 8259 (JSON) and RFC 6901 (JSON Pointer); the base protocol pages of MCP 2024-11-05 to 2026-07-28.
package wire

import (
	"crypto/sha256"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Side says who wrote a frame. Any value but FromServer is treated as FromClient, the stricter of the two.
type Side uint8

// The two writers of a session.
const (
	FromClient Side = iota
	FromServer
)

// Kind is what a frame is. The zero value is Refused, so a Frame nobody filled is never forwarded.
type Kind uint8

// The kinds of frames.
const (
	// Refused is a frame that must not be forwarded; Frame.Problem says why.
	Refused Kind = iota
	// Request has a method and an id that is a string or an integer.
	Request
	// Notification has a method and no id.
	Notification
	// Response has an id and a result.
	Response
	// ErrorResponse has an error, and an id that may be null (and, from a server, absent: MCP 2025-11-25 and later).
	ErrorResponse
	// Batch is a JSON array of frames (JSON-RPC 2.0 section 6), held in Frame.Elements.
	// If Frame.Problem is set, an element is refused and nothing of the batch may be forwarded.
	Batch
	// Blank is a line of JSON whitespace only. It carries nothing and asks for nothing.
	Blank
	// Noise is a line of a server that does not start a JSON object or array: stray output, for stderr.
	Noise
)

// String returns the kind's lower-case name, "unknown" for a value that is none.
func (k Kind) String() string {
	names := [...]string{"refused", "request", "notification", "response", "error", "batch", "blank", "noise"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Span is a half-open range of byte offsets, [Start, End), into the Raw of the frame that carries it. The zero Span means absent.
type Span struct{ Start, End int }

// IsZero reports whether the value is absent.
func (s Span) IsZero() bool { return s == Span{} }

// In returns the bytes of raw that the span covers, nil if it does not lie in raw.
func (s Span) In(raw []byte) []byte {
	if s.Start < 0 || s.End < s.Start || s.End > len(raw) {
		return nil
	}
	return raw[s.Start:s.End:s.End]
}

// ID is a JSON-RPC id as received. Its type and its text are both part of it: 1 and "1" are two ids.
type ID struct {
	// Raw is the JSON lexeme as received (`7`, `"a"`, `null`); empty when the frame has no id, or one that is an object, array or boolean.
	Raw string
}

// Key returns a comparable identity: equal for two ids exactly when a peer would take one for the other.
// Integers beyond 2^53 compare as the doubles that most peers make of them. Strings compare unescaped, so "\u0031" is "1"; lone surrogates all compare equal, which errs to "already in flight".
func (id ID) Key() string {
	if len(id.Raw) == 0 || id.Raw[0] != '"' {
		// Fifteen digits are exact in a double.
		if len(id.Raw) > 15 {
			if n, err := strconv.ParseFloat(id.Raw, 64); err == nil || errors.Is(err, strconv.ErrRange) {
				return strconv.FormatFloat(n, 'g', -1, 64)
			}
		}
		return id.Raw
	}
	// The quote in front keeps strings and numbers apart. An error here only says that a lone surrogate became U+FFFD.
	text, _ := jsontext.AppendUnquote([]byte{'"'}, id.Raw)
	if len(text) > longestKey {
		sum := sha256.Sum256(text)
		return "#" + string(sum[:])
	}
	return string(text)
}

// longestKey is how many bytes of an id a key repeats: whoever keeps keys keeps no more of what a peer makes as long as it likes.
const longestKey = 256

// Frame is one classified frame. Check Kind first: the other fields of a Refused frame are there to be recorded, not to be acted on.
type Frame struct {
	Kind Kind
	// Raw is the frame as received, with its line terminator. An element's Raw is its value's bytes alone, and its spans are offsets into those.
	Raw []byte
	// ID is the id as received; HasID is true also for an id that is null.
	ID    ID
	HasID bool
	// IDSpan is where the id's value lies, whatever its type; for whoever has to write another in its place.
	IDSpan Span
	// Method is the unescaped method name; empty for responses.
	Method string
	// Params, Result and Error are the spans of the members' values.
	Params, Result, Error Span
	// Call is set on a client's tools/call request, and on a refused tools/call without id.
	Call *ToolCall
	// Target is what a client's request is for, unescaped and compared by exact code points: the name of a tools/call or prompts/get, the uri of a
	// resources/read, subscribe or unsubscribe, the taskId of a tasks/get, result, cancel or update. The header Mcp-Name has to say the same.
	// Any other method has none; nor has one whose member is no string, which is refused.
	Target    string
	HasTarget bool
	// RequestState and InputResponses are the spans of those members of a client's params, a string and an object: its retry of a request that was
	// answered with an input-required result (MCP 2026-07-28 "multi round-trip requests"). In tasks/update the latter are answers of their own.
	RequestState, InputResponses Span
	// ResultType is result.resultType, unescaped ("complete", "input_required", "task"); empty when absent or not a string.
	ResultType string
	// InputRequests and State are the spans of result.inputRequests and result.requestState. They are the server's: of any type.
	InputRequests, State Span
	// Asked are the requests that a server's frame makes besides being what it is, in order; see Ask. More than DefaultMaxBatch are refused.
	Asked []Ask
	// Capabilities is the span of a client's params._meta["io.modelcontextprotocol/clientCapabilities"], of any type: what the client can do for this one request.
	Capabilities Span
	// ProgressToken is the span, of any type, of params._meta.progressToken on a client's frame, and of params.progressToken on a server's notifications/progress.
	ProgressToken Span
	// SubscriptionID is the span, of any type, of _meta["io.modelcontextprotocol/subscriptionId"] in the params or the result of a server's frame:
	// the id of the subscriptions/listen that it belongs to, or ends (MCP 2026-07-28 "subscriptions").
	SubscriptionID Span
	// Elements are the members of a Batch, in order.
	Elements []Frame
	// Version is params._meta["io.modelcontextprotocol/protocolVersion"]; on a response, result.protocolVersion
	// (which on an answer to initialize is the legacy revision in force). Empty when absent or not a string.
	Version string
	// Modern is true for a frame with that _meta member at 2026-07-28 or later: the era is a property of each frame.
	Modern bool
	// Cursor is a client's params.cursor, NextCursor result.nextCursor (MCP pagination): unescaped strings, or the lexeme of any other type. null counts as absent.
	Cursor, NextCursor string
	HasCursor, HasNext bool
	// HasOwnMeta is true for a server frame in which StripOwnMeta would remove something. It is set on a Batch, not on its elements.
	HasOwnMeta bool
	// Problem is set exactly on Refused frames, and on a Batch with a refused element.
	Problem *Problem
}

// ToolCall is the params object of a tools/call request (MCP "tools").
type ToolCall struct {
	// Name is the unescaped tool name, compared by exact code points.
	Name string
	// Arguments is the span of the arguments object; Meta and Task those of params._meta and params.task. Zero when absent.
	Arguments, Meta, Task Span
}

// Options are the limits of one classification. The zero value is the strict one: no batches, and the default limits.
type Options struct {
	// Batches allows arrays from the client: the negotiated revision is 2024-11-05 or 2025-03-26. A server's arrays are always opened.
	Batches bool
	// MaxDepth is the greatest number of objects and arrays within each other; DefaultMaxDepth if not positive, 10,000 at most.
	MaxDepth int
	// MaxBatch is the greatest number of elements in an array; DefaultMaxBatch if not positive.
	MaxBatch int
}

// Limits that hold when Options or NewReader name none.
const (
	DefaultMaxDepth = 512
	DefaultMaxBatch = 100
	// DefaultMaxLine is 64 MiB, in bytes with the terminator.
	DefaultMaxLine = 64 << 20
)

// ModernVersion is the first protocol revision in which each request names its revision itself.
const ModernVersion = "2026-07-28"

// parserDepth is the nesting at which jsontext gives up by itself.
const parserDepth = 10000

func (o Options) withDefaults() Options {
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	o.MaxDepth = min(o.MaxDepth, parserDepth)
	if o.MaxBatch <= 0 {
		o.MaxBatch = DefaultMaxBatch
	}
	return o
}
