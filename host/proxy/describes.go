package proxy

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// CodeUnsureAnswer: a list of tools, or what a server says of itself, under an id
// for which not every client is waiting.
const CodeUnsureAnswer = "FRAME_UNSURE_ANSWER"

// describing are the members that pins are taken of in the answers to methods, and
// that plugins judge, and those of the objects in them: of each item of a list, and
// of the server itself.
var describing = map[string]struct{ names, inner []string }{
	"tools/list":               {[]string{"tools", "nextCursor"}, toolNames},
	"resources/list":           {[]string{"resources", "nextCursor"}, itemNames},
	"prompts/list":             {[]string{"prompts", "nextCursor"}, itemNames},
	"initialize":               {[]string{"serverInfo", "instructions", "protocolVersion", "_meta"}, infoNames},
	"resources/templates/list": {[]string{"resourceTemplates", "nextCursor"}, itemNames},
	"server/discover":          {[]string{"serverInfo", "instructions", "supportedVersions", "_meta"}, infoNames},
}

var (
	toolNames = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
	itemNames = []string{"uri", "uriTemplate", "name", "title", "description"}
	infoNames = []string{"name", "title", "version", "description"}
)

// describes says why an answer by which a server describes itself or its tools
// is not relayed: what one client takes for the description has to be what every
// other does, and what is pinned. Nil: it may be, or it is another answer.
func describes(f wire.Frame, r *request) *wire.Problem {
	if r == nil || f.Kind != wire.Response {
		return nil
	}
	of, ok := describing[r.method]
	if !ok {
		return nil
	}
	kind := abi.ListKinds[r.method]
	pinned := kind == "" || kind == abi.ListTools
	if pinned && (r.cancelled || r.id.Key() != f.ID.Key()) {
		return &wire.Problem{Code: CodeUnsureAnswer, Reason: "the answer has not the id of a request that is waited for", RPCCode: -32600}
	}
	result, err := abi.Parse(f.Result.In(f.Raw))
	if err != nil {
		return nil // it is text, and refused as such
	}
	at := folded("/result", result, of.names)
	for i, d := range result.Get(abi.ListMember(kind)).Items() {
		if at == "" && kind != "" {
			at = folded(abi.JoinIndex("/result/"+abi.ListMember(kind), i), d, of.inner)
		}
	}
	info, where := result.Get("serverInfo"), "/result/serverInfo"
	if !info.Exists() {
		info, where = result.Get("_meta").Get(serverInfoMeta), abi.Join("/result/_meta", serverInfoMeta)
	}
	if at == "" && kind == "" {
		at = folded(where, info, of.inner)
	}
	if at == "" {
		return nil
	}
	return wire.NewProblem(wire.CodeResultNameFolds, at)
}

// serverInfoMeta is where revision 2026-07-28 has the server's Implementation.
const serverInfoMeta = "io.modelcontextprotocol/serverInfo"

// folded returns the pointer of the first member that some client takes for
// another one of these names.
func folded(at string, object abi.Value, names []string) string {
	for _, m := range object.Members() {
		if wire.Folds(m.Name, names...) {
			return abi.Join(at, m.Name)
		}
	}
	return ""
}
