package builtin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// resourceSink judges where a read of a resource goes. A URI names a place that
// the server fetches from, and carries text to it: one that stood in an output
// asks. What the server itself listed or linked to is the server's own.
type resourceSink struct{}

// Wanted implements [contract.Explainer]: every URI that names a place on a
// network.
func (resourceSink) Wanted(snap *abi.Snapshot) []abi.Wanted {
	if snap.Phase != abi.PhaseCall {
		return nil
	}
	var out []abi.Wanted
	for _, at := range resourcesOf(&snap.Call) {
		out = append(out, abi.Wanted{At: at})
	}
	return out
}

// resourcesOf returns the pointers of the URIs of a call that name a place on a
// network.
func resourcesOf(c *abi.Call) []string {
	var out []string
	add := func(at string, uri abi.Value) {
		if onNetwork(uri.Str()) {
			out = append(out, at)
		}
	}
	v, _ := c.Values()
	uri := v.Get("uri")
	add("/uri", uri)
	for i, item := range uri.Items() {
		add(abi.JoinIndex("/uri", i), item)
	}
	return out
}

// onNetwork says whether a server that is asked for a URI may go to another
// machine for it. Names of a server's own (note://today) lead nowhere else.
func onNetwork(uri string) bool {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(uri), ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "ftp", "ftps":
		return ok
	case "file":
		return onShare(rest)
	}
	// Of any other scheme it is a host that makes it one. Servers take apart what
	// is no URI in their own ways, so what looks like a host anywhere counts.
	authority, _, _ := strings.Cut(strings.TrimLeft(rest, "/\\"), "/")
	return ok && strings.ContainsAny(authority, ".:[%")
}

// onShare says whether a file: URI without its scheme names another machine:
// Windows asks it for the file.
func onShare(rest string) bool {
	path := strings.TrimLeft(rest, `/\`)
	host := path
	if i := strings.IndexAny(path, `/\`); i >= 0 {
		host = path[:i]
	}
	switch len(rest) - len(path) {
	case 0, 1, 3:
		return false
	}
	drive := len(host) == 2 && (host[1] == ':' || host[1] == '|')
	return host != "" && !drive && !strings.EqualFold(host, "localhost")
}

// Judge implements [contract.Contract].
func (resourceSink) Judge(snap *abi.Snapshot) abi.Verdict {
	if snap.Phase != abi.PhaseCall {
		return contract.Abstain
	}
	var all []objection
	for _, at := range resourcesOf(&snap.Call) {
		o := objection{outcome: abi.Deny, code: "SINK_UNEXPLAINED", at: sinkScalar{at: at}, reason: "the URI of the resource was not looked up"}
		for i := range snap.Taint {
			f := &snap.Taint[i]
			if f.At != at || f.Key {
				continue
			}
			o.outcome = max(o.outcome, abi.Abstain)
			if e := carried(snap, f); e != nil {
				all = append(all, objection{
					outcome: abi.Ask, code: "SINK_TAINTED", at: o.at, reason: "the URI of the resource " + masked(*e).String(), witness: f.Evidence,
				})
			}
		}
		all = append(all, o)
	}
	s := sink{base: abi.KindResource.Base()}
	v := s.verdict(all)
	if v.Code == "SINK_TAINTED" {
		v.Mend = "approve the call when it asks, or name a resource that its server lists"
	}
	return v
}

// carried returns the evidence that a URI came out of an output, nil for one
// that may be read without a question.
func carried(snap *abi.Snapshot, f *abi.Finding) *abi.Evidence {
	if f.Origin >= abi.OriginClient || approved(snap, f) {
		return nil
	}
	ownHost := false
	for i := range f.Evidence {
		e := &f.Evidence[i]
		if e.Server != snap.Call.Server || !namesResource(e.Pointer) {
			continue
		}
		if e.Position == abi.Field {
			return nil
		}
		ownHost = ownHost || e.Position == abi.Part
	}
	for i := range f.Evidence {
		switch e := &f.Evidence[i]; e.Position {
		case abi.Prose, abi.Encoded, abi.Field, abi.Lookalike, abi.Saturated, abi.Evicted:
			return e
		case abi.Part:
			if !ownHost {
				return e
			}
		}
	}
	return nil
}

// resourcePlaces are where MCP has a server name its resources: in its lists, in
// links and embedded resources, in what it returns for a read, in updates.
var resourcePlaces = []string{
	"/resources/*/uri", "/resourceTemplates/*/uriTemplate", "/contents/*/uri", "/uri",
	"/content/*/uri", "/content/*/resource/uri",
	"/messages/*/content/uri", "/messages/*/content/resource/uri", "/messages/*/content/*/uri", "/messages/*/content/*/resource/uri",
}

// namesResource says whether a pointer into a message of a server is a place
// where it names a resource.
func namesResource(pointer string) bool {
	return slices.ContainsFunc(resourcePlaces, func(place string) bool { return provenance.MatchPointer(place, pointer) })
}
