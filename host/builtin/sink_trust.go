package builtin

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/provenance"
)

// sinkEntry is one entry of `trusted`: a domain pattern, or an exact identity.
type sinkEntry struct {
	domain     string // lower-case A-labels, "" for an exact entry
	mail       bool   // *@…: mail addresses; otherwise hosts and URLs
	below      bool   // *.domain: the domain and what is below it
	kind       string
	identity   string
	restricted bool   // an exact entry compares its kind too
	host       string // of an exact mail address, URL or host
}

// newSinkEntry reads *@domain, *@*.domain, *.domain or an exact destination.
func newSinkEntry(text string) (sinkEntry, error) {
	pattern, mail := strings.CutPrefix(text, "*@")
	pattern, below := strings.CutPrefix(pattern, "*.")
	if mail || below {
		entities, _ := provenance.Canonicalise("x@" + pattern)
		if len(entities) != 1 || entities[0].Kind != provenance.KindMail || strings.Contains(pattern, "*") || entities[0].Spoiled != "" {
			return sinkEntry{}, fmt.Errorf("trusted %q: the domain is not one; write *@domain, *@*.domain or *.domain", text)
		}
		return sinkEntry{domain: entities[0].Host(), mail: mail, below: below}, nil
	}
	entities, cut := provenance.Canonicalise(text)
	if wholeName(text, entities) {
		entities = entities[:1]
	}
	switch {
	case strings.TrimSpace(text) == "":
		return sinkEntry{}, fmt.Errorf("trusted %q is empty: write a destination", text)
	case len(entities) != 1 || cut:
		return sinkEntry{}, fmt.Errorf("trusted %q names several destinations: write one entry for each", text)
	case entities[0].Spoiled != "":
		return sinkEntry{}, fmt.Errorf("trusted %q holds %s: write the destination in its plain spelling", text, entities[0].Spoiled)
	case strings.Contains(text, "*"):
		return sinkEntry{}, fmt.Errorf("trusted %q: a pattern is *@domain, *@*.domain or *.domain", text)
	}
	e := entities[0]
	return sinkEntry{kind: e.Kind, identity: e.Identity, restricted: !opaque(e.Kind), host: e.Host()}, nil
}

// wholeName says whether a text is one name in which an address can be read
// besides, as git@host:team/x.git is one: it is trusted as a whole, and what is read
// out of it only with it.
func wholeName(text string, entities []provenance.Entity) bool {
	return len(entities) > 1 && opaque(entities[0].Kind) && entities[0].Value == text && !strings.ContainsAny(text, " \t,;<>")
}

// opaque says whether a kind is a name without a grammar: a channel is the same
// with and without its sigil.
func opaque(kind string) bool {
	return kind == provenance.KindText || kind == provenance.KindHandle
}

// trusts says whether an entry names exactly this destination.
func (s *sink) trusts(f *abi.Finding) bool {
	if f.Spoiled != "" {
		return false
	}
	for _, e := range s.trusted {
		if e.names(f) {
			return true
		}
	}
	return false
}

// names says whether an entry is about exactly this destination.
func (e sinkEntry) names(f *abi.Finding) bool {
	switch {
	case e.domain != "":
		return e.covers(f)
	case f.Identity != e.identity:
		return false
	}
	return e.restricted && f.Kind == e.kind || !e.restricted && opaque(f.Kind)
}

// judged returns the findings of a destination that count. Who trusts a name or a
// path as a whole trusts what could be read out of it besides: docker.io/org/image
// is no link then.
func (s *sink) judged(snap *abi.Snapshot, d sinkScalar, all []*abi.Finding) []*abi.Finding {
	if len(all) < 2 || !opaque(all[0].Kind) && all[0].Kind != provenance.KindPath || !s.trusts(all[0]) {
		return all
	}
	text := snap.Call.Arguments.At(d.at).Str()
	if d.key {
		tokens, _ := abi.Tokens(d.at)
		text = tokens[len(tokens)-1]
	}
	if all[0].Value != strings.TrimSpace(text) {
		return all // one part of a list
	}
	return all[:1]
}

// covers says whether a domain pattern covers a destination.
func (e sinkEntry) covers(f *abi.Finding) bool {
	switch f.Kind {
	case provenance.KindMail:
		if !e.mail {
			return false
		}
	case provenance.KindURL, provenance.KindHost:
		if e.mail {
			return false
		}
	default:
		return false
	}
	entities, _ := provenance.Canonicalise(f.Identity)
	if len(entities) != 1 || entities[0].Kind != f.Kind || entities[0].Spoiled != "" || entities[0].Identity != f.Identity {
		return false
	}
	host := entities[0].Host()
	return host == e.domain || e.below && strings.HasSuffix(host, "."+e.domain)
}

// masked is a piece of evidence as it may be told a model: names inside a
// server's data are not shown, places that MCP defines are.
func masked(e abi.Evidence) abi.Evidence {
	tokens, _ := abi.Tokens(e.Pointer)
	out := ""
	for _, t := range tokens {
		if !protocolName(t) && (t == "" || strings.Trim(t, "0123456789") != "") {
			t = "*"
		}
		out = abi.Join(out, t)
	}
	e.Pointer = out
	return e
}

// protocolName says whether MCP itself defines a member of this name.
func protocolName(t string) bool {
	switch t {
	case "content", "contents", "structuredContent", "text", "resource", "uri", "name", "title", "description", "error", "message",
		"messages", "data", "tools", "annotations", "inputSchema", "outputSchema", "properties", "instructions", "_meta", "params":
		return true
	}
	return false
}

// from names the call that evidence points at.
func from(e abi.Evidence) string {
	s := e.Server
	if e.Tool != "" {
		s += "/" + e.Tool
	}
	if e.Call != "" {
		s += ", call " + e.Call
	}
	return s
}
