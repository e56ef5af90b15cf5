package wire

import "github.com/go-json-experiment/json/jsontext"

// slot is a member whose place in the frame the walk keeps, and whose other spellings it notes.
type slot uint8

const (
	noSlot slot = iota

	envVersion
	envID
	envMethod
	envParams
	envResult
	envError

	paramName
	paramArguments
	paramMeta
	paramTask
	paramCursor
	paramURI
	paramTaskID
	paramRef
	paramArgument
	paramContext
	paramNotifications
	paramRequestState
	paramInputResponses
	paramProgressToken

	askProgressToken
	askMeta
	askMessages
	askSystemPrompt
	askIncludeContext
	askMaxTokens
	askTools
	askToolChoice
	askTemperature
	askStopSequences
	askModelPreferences
	askMetadata
	askMode
	askMessage
	askSchema
	askURL
	askElicitation
	askTask
	askInputRequests

	metaVersion
	metaCapabilities
	metaProgressToken
	metaSubscription

	resultMetaSubscription

	resultMeta
	resultType
	resultInputRequests
	resultState
	resultNextCursor
	resultVersion

	refType
	refName
	refURI

	argumentName
	argumentValue

	contextArguments

	listenResources
	listenTasks

	slots
)

// slotNames are the members' names, as the pages of the MCP revisions have them: base protocol, "tools", "resources", "prompts", "completion", "tasks",
// "subscriptions", "multi round-trip requests", and for a server's asking "sampling" and "elicitation".
var slotNames = [slots]string{
	envVersion: "jsonrpc", envID: "id", envMethod: "method", envParams: "params", envResult: "result", envError: "error",

	paramName: "name", paramArguments: "arguments", paramMeta: "_meta", paramTask: "task", paramCursor: "cursor", paramURI: "uri", paramTaskID: "taskId",
	paramRef: "ref", paramArgument: "argument", paramContext: "context", paramNotifications: "notifications",
	paramRequestState: "requestState", paramInputResponses: "inputResponses", paramProgressToken: "progressToken",

	askProgressToken: "progressToken", askMeta: "_meta", askMessages: "messages", askSystemPrompt: "systemPrompt", askIncludeContext: "includeContext",
	askMaxTokens: "maxTokens", askTools: "tools", askToolChoice: "toolChoice", askTemperature: "temperature", askStopSequences: "stopSequences",
	askModelPreferences: "modelPreferences", askMetadata: "metadata",
	askMode: "mode", askMessage: "message", askSchema: "requestedSchema", askURL: "url", askElicitation: "elicitationId", askTask: "task", askInputRequests: "inputRequests",

	metaVersion: "io.modelcontextprotocol/protocolVersion", metaCapabilities: "io.modelcontextprotocol/clientCapabilities",
	metaProgressToken: "progressToken", metaSubscription: "io.modelcontextprotocol/subscriptionId",
	resultMetaSubscription: "io.modelcontextprotocol/subscriptionId",

	resultMeta: "_meta", resultType: "resultType", resultInputRequests: "inputRequests", resultState: "requestState",
	resultNextCursor: "nextCursor", resultVersion: "protocolVersion",

	refType: "type", refName: "name", refURI: "uri",
	argumentName: "name", argumentValue: "value",
	contextArguments: "arguments",
	listenResources:  "resourceSubscriptions", listenTasks: "taskIds",
}

// level is an object whose members classification looks at. All others are validated and passed over whole.
type level uint8

const (
	atEnvelope level = iota
	atParams
	// atAsk is params of a server.
	atAsk
	atMeta
	atResultMeta
	atResult
	atRef
	atArgument
	atContext
	atListen
	levels
)

// levelTable says which slots a level has, and where its object is.
var levelTable = [levels]struct {
	first, end slot
	path       jsontext.Pointer
}{
	atEnvelope:   {envVersion, paramName, ""},
	atParams:     {paramName, askProgressToken, "/params"},
	atAsk:        {askProgressToken, metaVersion, "/params"},
	atMeta:       {metaVersion, resultMetaSubscription, "/params/_meta"},
	atResultMeta: {resultMetaSubscription, resultMeta, "/result/_meta"},
	atResult:     {resultMeta, refType, "/result"},
	atRef:        {refType, argumentName, "/params/ref"},
	atArgument:   {argumentName, contextArguments, "/params/argument"},
	atContext:    {contextArguments, listenResources, "/params/context"},
	atListen:     {listenResources, slots, "/params/notifications"},
}

// inside names the level of the object that a slot of a frame of this side holds.
func (side Side) inside(s slot) (level, bool) {
	switch s {
	case envParams:
		if side == FromServer {
			return atAsk, true
		}
		return atParams, true
	case envResult:
		return atResult, true
	case paramMeta, askMeta:
		return atMeta, true
	case resultMeta:
		return atResultMeta, true
	case paramRef:
		return atRef, true
	case paramArgument:
		return atArgument, true
	case paramContext:
		return atContext, true
	case paramNotifications:
		return atListen, true
	}
	return 0, false
}

// path returns where the object around a slot is.
func (s slot) path() jsontext.Pointer {
	for i := range levelTable {
		if row := &levelTable[i]; s >= row.first && s < row.end {
			return row.path
		}
	}
	return ""
}

// pointer returns where a slot's own member is, as a JSON Pointer (RFC 6901).
func (s slot) pointer() string { return string(s.path().AppendToken(slotNames[s])) }
