package provenance

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// maxEvidence bounds the evidence of a finding. Of every position that was
// found at least the oldest place stays.
const maxEvidence = 8

// maxPlaces bounds the places that are looked at for one destination. More
// leave the evidence saturated.
const maxPlaces = 1 << 17

// ViewCut is the view of saturated evidence that says that the argument itself
// holds more than is read of it; without it, what was read stands in more places
// than are looked at.
const ViewCut = "cut"

// ViewOpaque is the view of evicted evidence of a text that is there, and holds
// more encoded text than is decoded.
const ViewOpaque = "opaque"

// Explain implements [Index].
func (x *index) Explain(arguments abi.Value, wanted []abi.Wanted) []abi.Finding {
	defer x.readings.trim() // a large one is kept for the other destinations of a call
	x.spent = spent{}
	var out []abi.Finding
	for _, w := range wanted {
		value, ok := wantedText(arguments, w)
		if !ok || x.marker(value) {
			out = append(out, abi.Finding{At: w.At, Key: w.Key, Kind: KindText, Origin: abi.OriginUnproven})
			continue
		}
		entities, cut := Canonicalise(value)
		found := make([]abi.Finding, 0, len(entities))
		for _, e := range entities {
			found = append(found, x.explain(e, w.Trusted))
		}
		// Who says a text as a whole says what it conceals.
		if found[0].Origin < abi.OriginClient || found[0].Value != strings.Trim(value, " \t") {
			more, deep := concealed(value, entities)
			for _, e := range more {
				found = append(found, x.explain(e, w.Trusted))
			}
			cut = cut || deep
		}
		for i, f := range found {
			f.At, f.Key, f.Part = w.At, w.Key, i
			if cut && i == 0 {
				f.Evidence = append(f.Evidence, abi.Evidence{Position: abi.Saturated, View: ViewCut})
			}
			out = append(out, f)
		}
	}
	return out
}

// wantedText returns the text of a wanted scalar.
func wantedText(arguments abi.Value, w abi.Wanted) (string, bool) {
	v := arguments.At(w.At)
	if !v.Exists() {
		return "", false
	}
	if w.Key {
		tokens, _ := abi.Tokens(w.At)
		if len(tokens) == 0 {
			return "", false
		}
		return tokens[len(tokens)-1], true
	}
	if v.Kind() == abi.Bool {
		return v.Lexeme(), true
	}
	return scalarText(v)
}

// explain grades one destination.
func (x *index) explain(e Entity, trusted []string) abi.Finding {
	q := query{
		x: x, entity: e, forms: e.forms(), distinctive: e.distinctive(),
		best: map[class]int{}, raw: map[stringAt]bool{}, seen: map[hit]bool{},
	}
	q.search()
	q.echo()
	if looksLike(e, trusted) {
		q.found = append(q.found, found{record: -1, evidence: abi.Evidence{Position: abi.Lookalike}})
	}
	if q.cut {
		q.found = append(q.found, found{record: len(x.records), evidence: abi.Evidence{Position: abi.Saturated}})
	}
	q.evicted()
	f := abi.Finding{Kind: e.Kind, Identity: e.Identity, Value: e.Value, Spoiled: e.Spoiled, Evidence: q.evidence()}
	f.Origin = x.origin(e, q.found)
	return f
}

// origin classes a destination: what vouches counts before what taints, unless
// the value is spoiled.
func (x *index) origin(e Entity, all []found) abi.Origin {
	origin := abi.OriginUnproven
	for _, f := range all {
		switch f.evidence.Position {
		case abi.Saturated, abi.Evicted:
			continue
		}
		if f.evidence.Label == abi.OriginTrusted && e.Spoiled == "" {
			return abi.OriginTrusted
		}
		origin = abi.OriginTainted
	}
	if e.Spoiled == "" && x.saidByUser(e) {
		return abi.OriginClient
	}
	return origin
}

// saidByUser says whether the user named exactly this destination.
func (x *index) saidByUser(e Entity) bool {
	if x.said[e.key()] {
		return true
	}
	id := e.Identity
	switch e.Kind {
	case KindText, KindHandle, KindPath:
	case KindIBAN, KindPhone:
		id = e.Value
	default:
		return false
	}
	if len(id) < 3 {
		return false
	}
	for _, s := range x.user {
		for at := 0; ; {
			i := strings.Index(s[at:], id)
			if i < 0 {
				break
			}
			at += i
			if wholeToken(s, at, at+len(id)) {
				return true
			}
			at++
		}
	}
	return false
}

// looksLike says whether a destination imitates an entry of the trusted list:
// the same to the eye, another identity, and not a mere change of case.
func looksLike(e Entity, trusted []string) bool {
	odd := e.Spoiled == SpoiledForm || e.Spoiled == SpoiledInvisible
	for _, entry := range trusted {
		if domain, ok := patternDomain(entry); ok {
			if e.host != "" && (odd && e.host == domain || imitates(unicodeHost(e.host), unicodeHost(domain))) {
				return true
			}
			continue
		}
		entities, _ := Canonicalise(entry)
		if len(entities) != 1 {
			continue
		}
		if entities[0].key() == e.key() {
			if odd {
				return true
			}
			continue
		}
		t := entities[0]
		if t.host != "" && e.host != "" && e.host != t.host && imitates(unicodeHost(e.host), unicodeHost(t.host)) {
			return true
		}
		if imitates(e.spoken(), t.spoken()) || imitates(e.Value, t.Value) {
			return true
		}
	}
	return false
}

// patternDomain returns the domain of a *@domain, *@*.domain or *.domain entry
// in canonical form.
func patternDomain(entry string) (string, bool) {
	domain, ok := strings.CutPrefix(entry, "*@")
	if !ok {
		if domain, ok = strings.CutPrefix(entry, "*."); !ok {
			return "", false
		}
	}
	domain = strings.TrimPrefix(domain, "*.")
	host, ok := canonicalHost(domain)
	return host, ok
}

// imitates says whether two different texts look the same.
func imitates(a, b string) bool {
	return !strings.EqualFold(a, b) && Fold(a) == Fold(b)
}

// evicted adds evidence for records that may hold the value and whose text is
// gone: what a policy says of other evidence must not hide them.
func (q *query) evicted() {
	seen := map[*origin]bool{}
	for i, list := range [][]uint32{q.lost, q.x.gone, q.x.opaque} {
		for _, n := range list {
			r := &q.x.records[n]
			if seen[r.origin] || r.quiet {
				continue
			}
			seen[r.origin] = true
			e := abi.Evidence{Seq: r.seq, Call: r.call, Server: r.server, Tool: r.tool, Position: abi.Evicted}
			if i == 2 {
				e.View = ViewOpaque
			}
			q.found = append(q.found, found{record: int(n), evidence: e})
			if len(seen) == maxEvidence {
				return
			}
		}
	}
}

// echo regrades evidence when the client named the destination in a call before
// any server did.
func (q *query) echo() {
	first, said := q.x.echoed[q.entity.key()]
	if !said {
		return
	}
	for _, f := range q.found {
		if f.evidence.Position != abi.Part && q.x.precedes(f.record, first) {
			return
		}
	}
	for i := range q.found {
		if e := &q.found[i].evidence; e.Position != abi.Part && e.Label != abi.OriginTrusted {
			e.Position = abi.Echo
		}
	}
}

// precedes says whether a record may be older than what a call said. Of one by
// another writer nobody knows, so it may.
func (x *index) precedes(n int, said echo) bool {
	if n < 0 || n < said.after || n >= len(x.records) {
		return n < said.after
	}
	w := x.records[n].writer
	return w != said.writer && w != "" && said.writer != ""
}

// evidence sorts what was found, strongest first, then by age, and caps it.
func (q *query) evidence() []abi.Evidence {
	slices.SortStableFunc(q.found, func(a, b found) int {
		if c := rank(a.evidence.Position) - rank(b.evidence.Position); c != 0 {
			return c
		}
		return a.record - b.record
	})
	first := map[class]bool{}
	var out, more []abi.Evidence
	for _, f := range q.found {
		c := classOf(f.evidence)
		if !first[c] {
			first[c] = true
			out = append(out, f.evidence)
		} else if len(more) < maxEvidence {
			more = append(more, f.evidence)
		}
	}
	if room := maxEvidence - len(out); room > 0 {
		out = append(out, more[:min(room, len(more))]...)
	}
	slices.SortStableFunc(out, func(a, b abi.Evidence) int { return rank(a.Position) - rank(b.Position) })
	return out
}

// rank is the place of a position in the order of strength, 0 the strongest.
func rank(p abi.Position) int {
	if i := slices.Index(abi.Positions, p); i >= 0 {
		return i
	}
	return 0
}
