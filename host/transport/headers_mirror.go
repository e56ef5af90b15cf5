package transport

import (
	"net/http"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// MirrorHeaders returns request headers as they have to be for a frame that says
// something else than the one they came with. What no longer can be told is left
// out: a header must not say what the body was kept from saying.
func MirrorHeaders(h http.Header, f wire.Frame, schema func(tool string) abi.Value) http.Header {
	out := h.Clone()
	if _, named := out[headerName]; named && f.HasTarget {
		out.Set(headerName, EncodeHeaderValue(f.Target))
	}
	said := map[string]string{}
	if f.Call != nil {
		arguments, _ := abi.Parse(f.Call.Arguments.In(f.Raw))
		params, _ := HeaderParams(schema(f.Call.Name))
		for _, p := range params {
			if text, ok := p.Text(p.In(arguments)); ok {
				said[p.Header()] = EncodeHeaderValue(text)
			}
		}
	}
	for name := range out {
		if !strings.HasPrefix(name, headerParam) {
			continue
		}
		if value, ok := said[name]; ok {
			out.Set(name, value)
			continue
		}
		out.Del(name)
	}
	return out
}
