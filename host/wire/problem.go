package wire

// Problem is why a frame is refused, and whom the refusal has to be told.
type Problem struct {
	// Code is one of the Code constants.
	Code string
	// Reason is the host's sentence for the code. It holds no text of the frame.
	Reason string
	// Pointer is the JSON Pointer (RFC 6901) of the offending place, empty when there is none. Its segments are hostile text: mask or quote them.
	Pointer string
	// RPCCode is the JSON-RPC error code of the answer: -32700 for bytes that are not JSON, -32600 for JSON that is not a frame.
	RPCCode int
	// Drop is true when no answer is allowed: notifications, responses, and calls without id are recorded only.
	Drop bool
	// IDs are the ids of the client's requests that this frame was, or answered: each gets an error.
	// If it is empty and Drop is false, a client's frame is answered with the id null.
	IDs []ID
	// ServerIDs are the ids of requests in a refused server frame: the server, not the client, is waiting for their answers.
	ServerIDs []ID
}

// Codes of Problem.Code.
const (
	// CodeTooLong: the line is over the cap of the Reader.
	CodeTooLong = "FRAME_TOO_LONG"
	// CodeNotUTF8: the bytes are not UTF-8 (RFC 8259 section 8.1).
	CodeNotUTF8 = "FRAME_NOT_UTF8"
	// CodeNUL: a zero byte, at which some readers end the text.
	CodeNUL = "FRAME_NUL"
	// CodeBOM: a byte order mark in front (RFC 8259 section 8.1 lets parsers choose).
	CodeBOM = "FRAME_BOM"
	// CodeRawCR: a carriage return that is not directly before the final line feed; universal-newline readers end a line there.
	CodeRawCR = "FRAME_RAW_CR"
	// CodeTooDeep: more nesting than Options.MaxDepth.
	CodeTooDeep = "FRAME_TOO_DEEP"
	// CodeNotJSON: not JSON by RFC 8259, NaN, Infinity and comments included.
	CodeNotJSON = "FRAME_NOT_JSON"
	// CodeTrailingData: more text behind the value; stream decoders read it as a second frame.
	CodeTrailingData = "FRAME_TRAILING_DATA"
	// CodeDuplicateName: one object, at any depth, has two members of one name.
	CodeDuplicateName = "FRAME_DUPLICATE_NAME"
	// CodeNotObject: JSON, but neither an object nor an array.
	CodeNotObject = "FRAME_NOT_OBJECT"
	// CodeNameFolds: a top-level name is an envelope name in another case (Unicode simple folding), or one followed by U+0000.
	CodeNameFolds = "FRAME_NAME_FOLDS"
	// CodeParamNameFolds: likewise in params, for the names that the method reads (those of sampling and elicitation in a server's) and, in a client's, for
	// the protocol's everywhere: _meta and what the base protocol puts into it, requestState, inputResponses.
	CodeParamNameFolds = "FRAME_PARAM_NAME_FOLDS"
	// CodeResultNameFolds: likewise in a server's result, for resultType, inputRequests and requestState, and in the requests of inputRequests: a client that
	// folds would ask on the server's behalf what nobody judged.
	CodeResultNameFolds = "FRAME_RESULT_NAME_FOLDS"
	// CodeVersion: jsonrpc is absent or not "2.0".
	CodeVersion = "FRAME_JSONRPC_VERSION"
	// CodeMethodAndResult: a method beside a result or an error.
	CodeMethodAndResult = "FRAME_METHOD_AND_RESULT"
	// CodeResultAndError: a result beside an error.
	CodeResultAndError = "FRAME_RESULT_AND_ERROR"
	// CodeNoShape: none of method, result and error.
	CodeNoShape = "FRAME_NO_SHAPE"
	// CodeMethodType: the method is not a string.
	CodeMethodType = "FRAME_METHOD_TYPE"
	// CodeMethodSurrogate: the method has a lone surrogate, which no two decoders read alike.
	CodeMethodSurrogate = "FRAME_METHOD_SURROGATE"
	// CodeMethodFolds: the method is one that is judged (tools/call, resources/read, sampling/createMessage and their like) in another case or with space
	// around it; a peer that routes loosely would run what nobody judged.
	CodeMethodFolds = "FRAME_METHOD_FOLDS"
	// CodeNameNUL: the method, or the name, uri or task id that it asks for, holds U+0000, at which readers in C end a text.
	CodeNameNUL = "FRAME_NAME_NUL"
	// CodeIDType: the id is an object, an array or a boolean.
	CodeIDType = "FRAME_ID_TYPE"
	// CodeIDFraction: the id is a number that is not plainly an integer (a fraction, an exponent, -0).
	CodeIDFraction = "FRAME_ID_FRACTION"
	// CodeIDNull: a request or a result with the id null.
	CodeIDNull = "FRAME_ID_NULL"
	// CodeIDMissing: a response without id.
	CodeIDMissing = "FRAME_ID_MISSING"
	// CodeParamsType: params is not an object where the method has one.
	CodeParamsType = "FRAME_PARAMS_TYPE"
	// CodeCallWithoutID: a tools/call, or another request that is judged, without id or with the id null. Some servers run it, and nobody would see the answer.
	CodeCallWithoutID = "FRAME_CALL_WITHOUT_ID"
	// CodeCallName: a tools/call whose name is absent or not a string.
	CodeCallName = "FRAME_CALL_NAME"
	// CodeCallNameSurrogate: a tool name with a lone surrogate.
	CodeCallNameSurrogate = "FRAME_CALL_NAME_SURROGATE"
	// CodeCallArguments: arguments that are not an object.
	CodeCallArguments = "FRAME_CALL_ARGUMENTS"
	// CodeURI: a resources/read, subscribe or unsubscribe whose uri is absent or not a string (MCP "resources").
	CodeURI = "FRAME_URI"
	// CodePromptName: a prompts/get whose name is absent or not a string (MCP "prompts").
	CodePromptName = "FRAME_PROMPT_NAME"
	// CodePromptArguments: arguments of a prompts/get that are not an object.
	CodePromptArguments = "FRAME_PROMPT_ARGUMENTS"
	// CodeCompletion: a completion/complete whose ref, argument or context is not what MCP "completion" has it: objects, with strings in the first two.
	CodeCompletion = "FRAME_COMPLETION"
	// CodeTaskID: a tasks/get, result, cancel or update whose taskId is absent or not a string (MCP "tasks", and its extension).
	CodeTaskID = "FRAME_TASK_ID"
	// CodeListen: a subscriptions/listen whose notifications are not an object, or name resources or tasks otherwise than as strings in an array (MCP "subscriptions").
	CodeListen = "FRAME_LISTEN"
	// CodeTargetSurrogate: a uri, prompt name or task id with a lone surrogate.
	CodeTargetSurrogate = "FRAME_TARGET_SURROGATE"
	// CodeRequestState: a client's params.requestState that is not a string (MCP 2026-07-28 "multi round-trip requests").
	CodeRequestState = "FRAME_REQUEST_STATE"
	// CodeInputResponses: a client's params.inputResponses that is not an object.
	CodeInputResponses = "FRAME_INPUT_RESPONSES"
	// CodeInputRequests: a result of the type "input_required" whose inputRequests are not an object of requests that have a method and, if any, params in an object;
	// or any frame of a server that makes more than DefaultMaxBatch requests, or one with params that are no object.
	CodeInputRequests = "FRAME_INPUT_REQUESTS"
	// CodeBatchUnsupported: an array where the negotiated revision has no batches.
	CodeBatchUnsupported = "FRAME_BATCH_UNSUPPORTED"
	// CodeBatchEmpty: an array of nothing.
	CodeBatchEmpty = "FRAME_BATCH_EMPTY"
	// CodeBatchTooLong: more elements than Options.MaxBatch.
	CodeBatchTooLong = "FRAME_BATCH_TOO_LONG"
	// CodeBatchNested: an array in an array.
	CodeBatchNested = "FRAME_BATCH_NESTED"
	// CodeBatchInitialize: initialize in a batch, which MCP 2025-03-26 rules out.
	CodeBatchInitialize = "FRAME_BATCH_INITIALIZE"
	// CodeBatchElement: another element of the batch is refused, so none may pass.
	CodeBatchElement = "FRAME_BATCH_ELEMENT"
)

const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
)

type problemRow struct {
	code   string
	rpc    int
	reason string
}

// problemTable gives each code its answer: what is wrong, and the mend. An array, so that nobody can grow it at run time.
var problemTable = [...]problemRow{
	{CodeTooLong, rpcInvalidRequest, "the frame is longer than the limit; send less in one frame"},
	{CodeNotUTF8, rpcParseError, "the frame is not valid UTF-8; encode it as UTF-8"},
	{CodeNUL, rpcParseError, "the frame holds a zero byte; write it as an escape inside a string"},
	{CodeBOM, rpcParseError, "the frame starts with a byte order mark; send it without"},
	{CodeRawCR, rpcInvalidRequest, "the frame holds a raw carriage return that does not end its line; send the frame on one line"},
	{CodeTooDeep, rpcInvalidRequest, "the frame nests deeper than the limit; send flatter data"},
	{CodeNotJSON, rpcParseError, "the frame is not JSON by RFC 8259; NaN, Infinity and comments are not JSON"},
	{CodeTrailingData, rpcParseError, "the line holds more than one value; send one frame to a line"},
	{CodeDuplicateName, rpcInvalidRequest, "an object of the frame has two members of one name; send each name once"},
	{CodeNotObject, rpcInvalidRequest, "the frame is neither an object nor an array; send a JSON-RPC 2.0 object"},
	{CodeNameFolds, rpcInvalidRequest, "a top-level name is a JSON-RPC name in another spelling; spell it exactly"},
	{CodeParamNameFolds, rpcInvalidRequest, "a name in params is an MCP name in another spelling; spell it exactly"},
	{CodeResultNameFolds, rpcInvalidRequest, "a name in the result is an MCP name in another spelling; spell it exactly"},
	{CodeVersion, rpcInvalidRequest, "jsonrpc is absent or not \"2.0\"; send \"jsonrpc\":\"2.0\""},
	{CodeMethodAndResult, rpcInvalidRequest, "the frame has a method and a result or error; send a request or a response"},
	{CodeResultAndError, rpcInvalidRequest, "the frame has a result and an error; send one of them"},
	{CodeNoShape, rpcInvalidRequest, "the frame has no method, result or error; send one of them"},
	{CodeMethodType, rpcInvalidRequest, "the method is not a string; send a method name"},
	{CodeMethodSurrogate, rpcInvalidRequest, "the method holds a lone surrogate; send well-formed Unicode"},
	{CodeMethodFolds, rpcInvalidRequest, "the method is a method of MCP in another spelling; spell it exactly"},
	{CodeNameNUL, rpcInvalidRequest, "the method, or what it asks for, holds the character U+0000; send the name without"},
	{CodeIDType, rpcInvalidRequest, "the id is an object, an array or a boolean; send a string or an integer"},
	{CodeIDFraction, rpcInvalidRequest, "the id is a number with a fraction, an exponent or a negative zero; send a plain integer"},
	{CodeIDNull, rpcInvalidRequest, "the id is null; send a string or an integer"},
	{CodeIDMissing, rpcInvalidRequest, "the response has no id; send the id of the request it answers"},
	{CodeParamsType, rpcInvalidRequest, "params is not an object; send an object"},
	{CodeCallWithoutID, rpcInvalidRequest, "the call has no id that could be answered; send it as a request"},
	{CodeCallName, rpcInvalidRequest, "the tools/call has no name that is a string; name the tool"},
	{CodeCallNameSurrogate, rpcInvalidRequest, "the tool name holds a lone surrogate; send well-formed Unicode"},
	{CodeCallArguments, rpcInvalidRequest, "the arguments of the tools/call are not an object; send an object or leave them out"},
	{CodeURI, rpcInvalidRequest, "the request has no uri that is a string; name the resource"},
	{CodePromptName, rpcInvalidRequest, "the prompts/get has no name that is a string; name the prompt"},
	{CodePromptArguments, rpcInvalidRequest, "the arguments of the prompts/get are not an object; send an object or leave them out"},
	{CodeCompletion, rpcInvalidRequest, "the completion/complete has no ref and argument that are objects, or members of another type in them; send them as MCP has them"},
	{CodeTaskID, rpcInvalidRequest, "the request has no taskId that is a string; name the task"},
	{CodeListen, rpcInvalidRequest, "the notifications of the subscriptions/listen are not an object, or what they name is not in arrays; send them as MCP has them"},
	{CodeTargetSurrogate, rpcInvalidRequest, "what the request asks for holds a lone surrogate; send well-formed Unicode"},
	{CodeRequestState, rpcInvalidRequest, "requestState is not a string; send the one that was given back, or leave it out"},
	{CodeInputResponses, rpcInvalidRequest, "inputResponses is not an object; send an object or leave it out"},
	{CodeInputRequests, rpcInvalidRequest, "inputRequests is not an object of requests with a method, or holds more of them than the limit; send it as MCP has it"},
	{CodeBatchUnsupported, rpcInvalidRequest, "the negotiated protocol revision has no batches; send each frame on its own line"},
	{CodeBatchEmpty, rpcInvalidRequest, "the batch is empty; send at least one frame in it"},
	{CodeBatchTooLong, rpcInvalidRequest, "the batch has more elements than the limit; send smaller batches"},
	{CodeBatchNested, rpcInvalidRequest, "the batch holds an array; send only objects in it"},
	{CodeBatchInitialize, rpcInvalidRequest, "initialize is in a batch; send it alone"},
	{CodeBatchElement, rpcInvalidRequest, "another element of the batch is refused; nothing of it was forwarded"},
}

// NewProblem returns the Problem of a code, with the code's sentence and JSON-RPC code. A code that is not in the table is answered as an invalid request.
func NewProblem(code, pointer string) *Problem {
	for i := range problemTable {
		if row := &problemTable[i]; row.code == code {
			return &Problem{Code: code, Reason: row.reason, Pointer: pointer, RPCCode: row.rpc}
		}
	}
	return &Problem{Code: code, Reason: "the frame is refused; send a JSON-RPC 2.0 frame", Pointer: pointer, RPCCode: rpcInvalidRequest}
}

// ProblemCodes returns every code that NewProblem has a sentence for, in the table's order.
func ProblemCodes() []string {
	codes := make([]string, 0, len(problemTable))
	for i := range problemTable {
		codes = append(codes, problemTable[i].code)
	}
	return codes
}
