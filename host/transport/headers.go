package transport

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// Names of MCP's headers, as http.Header spells them.
const (
	headerVersion   = "Mcp-Protocol-Version"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerParam     = "Mcp-Param-"
	headerLastEvent = "Last-Event-Id"
)

// CheckHeaders says whether the headers of a POST agree with its body, a frame
// of the client. The body is what gets judged and run; a header that says
// something else is meant for a reader who sees only headers. So a header that
// mirrors the body must agree in every revision, whether that one knows it or
// not; and a request of MCP 2026-07-28 or later must have those that its
// revision requires ("streamable http", request metadata and server validation).
//
// schema gives the inputSchema of a tool, an absent value for a tool it has not
// seen; it may be nil. Mcp-Param-* headers of a tool without a known schema, and
// those that no annotation of it declares, mirror nothing and pass.
//
// Refusals have status 400 and the id of the request: code -32020, or -32602 for
// a header that announces a revision which the body does not claim, or what
// the frame itself was refused for.
func CheckHeaders(h http.Header, f wire.Frame, schema func(tool string) abi.Value) *Refusal {
	bad := checkFrame(f)
	for _, check := range []func(http.Header, wire.Frame) *Refusal{checkShape, checkVersion, checkMethod, checkName} {
		if bad == nil {
			bad = check(h, f)
		}
	}
	if bad == nil && schema != nil && f.Call != nil {
		bad = checkParams(h, f, schema(f.Call.Name))
	}
	if bad != nil && f.Kind == wire.Request {
		return bad.For(f.ID)
	}
	return bad
}

// checkFrame refuses what is no frame at all, so that no body passes for want of something to compare.
func checkFrame(f wire.Frame) *Refusal {
	switch {
	case f.Problem != nil:
		bad := Refuse(http.StatusBadRequest, f.Problem.RPCCode, f.Problem.Reason)
		if len(f.Problem.IDs) == 1 {
			return bad.For(f.Problem.IDs[0])
		}
		return bad
	case f.Kind == wire.Refused || f.Kind == wire.Blank || f.Kind == wire.Noise:
		return Refuse(http.StatusBadRequest, CodeInvalidRequest, "the body holds no frame; send a JSON-RPC 2.0 object")
	}
	return nil
}

// checkShape refuses two lines of one header, of which one reader takes the
// first and another the last, and values that a header can not carry.
func checkShape(h http.Header, _ wire.Frame) *Refusal {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if !strings.HasPrefix(name, "Mcp-") && name != headerLastEvent {
			continue
		}
		if n := len(h[name]); n != 1 {
			return mismatch("the request has %d %s headers; send one", n, short(name))
		}
		if !plainValue(h[name][0]) {
			return mismatch("the %s header holds characters that no header value may have; encode it as =?base64?...?=", short(name))
		}
	}
	return nil
}

// plainValue says whether a header value is visible ASCII, spaces and tabs.
func plainValue(value string) bool {
	return !strings.ContainsFunc(value, func(c rune) bool { return (c < ' ' || c > '~') && c != '\t' })
}

// one returns the value of a header of which checkShape has seen one line.
func one(h http.Header, name string) (value string, present bool) {
	values := h[name]
	if len(values) == 0 {
		return "", false
	}
	return strings.Trim(values[0], " \t"), true
}

func mismatch(format string, args ...any) *Refusal {
	return Refuse(http.StatusBadRequest, CodeHeaderMismatch, "header mismatch: "+fmt.Sprintf(format, args...))
}

func checkVersion(h http.Header, f wire.Frame) *Refusal {
	value, present := one(h, headerVersion)
	if f.Kind == wire.Batch {
		return checkBatchVersion(value, present, f)
	}
	// On a response, Version is part of its result and claims nothing.
	claims := f.Method != "" && f.Version != ""
	switch {
	case claims && !present && f.Modern && f.Kind == wire.Request:
		return mismatch("the request claims revision %q and has no MCP-Protocol-Version header; send it", short(f.Version))
	case claims && present && value != f.Version:
		return mismatch("MCP-Protocol-Version is %q and the body claims revision %q; send the same", short(value), short(f.Version))
	case claims || !present:
		return nil
	case !isModern(value):
		// Which revision is in force, initialize is there to find out.
		if f.Method != "initialize" && !isLegacy(value) {
			return Refuse(http.StatusBadRequest, CodeInvalidRequest, fmt.Sprintf("protocol version %q is not supported; send the one that initialize agreed on", short(value)))
		}
		return nil
	case f.Method == "initialize":
		return mismatch("MCP-Protocol-Version is %q, a revision without initialize; leave the header out", short(value))
	case f.Kind == wire.Request:
		return Refuse(http.StatusBadRequest, CodeInvalidParams, fmt.Sprintf("MCP-Protocol-Version is %q and params._meta claims no revision; send %q in it", short(value), "io.modelcontextprotocol/protocolVersion"))
	case f.Method == "":
		return Refuse(http.StatusBadRequest, CodeInvalidRequest, fmt.Sprintf("MCP-Protocol-Version is %q, a revision in which clients send no responses; retry the request with the answer in it", short(value)))
	}
	return nil
}

func checkBatchVersion(value string, present bool, f wire.Frame) *Refusal {
	for _, element := range f.Elements {
		if element.Method != "" && element.Version != "" && present && element.Version != value {
			return mismatch("MCP-Protocol-Version is %q and an element of the batch claims revision %q; send the same", short(value), short(element.Version))
		}
		if element.Modern {
			return Refuse(http.StatusBadRequest, CodeInvalidRequest, "the batch holds a request of a revision without batches; send each frame in its own POST")
		}
	}
	switch {
	case !present || isLegacy(value):
		return nil
	case isModern(value):
		return mismatch("MCP-Protocol-Version is %q, a revision without batches; send each frame in its own POST", short(value))
	}
	return Refuse(http.StatusBadRequest, CodeInvalidRequest, fmt.Sprintf("protocol version %q is not supported; send the one that initialize agreed on", short(value)))
}

// isLegacy says whether a revision is one that is agreed on by initialize.
func isLegacy(version string) bool {
	switch version {
	case "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25":
		return true
	}
	return false
}

// isModern says whether a header names 2026-07-28 or a revision that came later, which is relayed under the same rules.
func isModern(version string) bool {
	if len(version) < len(wire.ModernVersion) || version < wire.ModernVersion {
		return false
	}
	for i, c := range []byte(version[:len(wire.ModernVersion)]) {
		if dash := i == 4 || i == 7; dash != (c == '-') || !dash && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func checkMethod(h http.Header, f wire.Frame) *Refusal {
	value, present := one(h, headerMethod)
	switch {
	case !present && f.Modern && f.Kind == wire.Request:
		return mismatch("the request has no Mcp-Method header; send the method in it")
	case !present:
		return nil
	case f.Kind == wire.Batch:
		return mismatch("Mcp-Method is %q and the body is a batch; send each frame in its own POST", short(value))
	case value != f.Method:
		return mismatch("Mcp-Method is %q and the method of the body is %q; send the same", short(value), short(f.Method))
	}
	return nil
}

func checkName(h http.Header, f wire.Frame) *Refusal {
	value, present := one(h, headerName)
	switch {
	case !present && f.Modern && f.Kind == wire.Request && f.HasTarget && needsName(f.Method):
		return mismatch("the %s has no Mcp-Name header; send what it names in it", f.Method)
	case !present:
		return nil
	case f.Kind == wire.Batch || f.Method == "":
		return mismatch("Mcp-Name is %q and the body is no single request; leave the header out", short(value))
	case !f.HasTarget && namesNothing(f.Method):
		return mismatch("Mcp-Name is %q and a %s names nothing; leave the header out", short(value), f.Method)
	case !f.HasTarget:
		// What a method of an extension mirrors, only its server knows.
		return nil
	}
	decoded, ok := DecodeHeaderValue(value)
	switch {
	case !ok:
		return mismatch("Mcp-Name is %q, which is no valid =?base64?...?= value; encode UTF-8 with padding", short(value))
	case decoded != f.Target:
		return mismatch("Mcp-Name is %q and the body names %q; send the same", short(decoded), short(f.Target))
	}
	return nil
}

// needsName lists the methods whose Mcp-Name is required (MCP 2026-07-28
// "standard request headers"; the tasks extension, "streamable http binding").
func needsName(method string) bool {
	switch method {
	case "tools/call", "resources/read", "prompts/get", "tasks/get", "tasks/update", "tasks/cancel":
		return true
	}
	return false
}

// namesNothing lists the methods of MCP without a name, uri or task of their own.
func namesNothing(method string) bool {
	switch method {
	case "initialize", "ping", "server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list",
		"completion/complete", "logging/setLevel", "subscriptions/listen", "tasks/list":
		return true
	}
	return strings.HasPrefix(method, "notifications/")
}
