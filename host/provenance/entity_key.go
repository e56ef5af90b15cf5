package provenance

import "strings"

// keyHash is the key of an entity: a hash of what [Entity.key] says, the same in
// every process. It is FNV-1a, so whoever writes both of two entities can make
// their keys equal: a key may taint, and must never vouch.
func keyHash(e Entity) uint64 {
	kind := e.Kind
	if kind == KindHandle {
		kind = KindText
	}
	h := hashOn(hashOn(hashOn(0xcbf29ce484222325, kind), "\x00"), e.Identity)
	return max(h, 1) // 0 is an empty slot
}

// hashOn goes on with an FNV-1a hash.
func hashOn(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// keys returns the keys under which an entity is known, the exact one first. Two
// entities that have one in common may be one.
func (e Entity) keys() []uint64 {
	out := []uint64{keyHash(e)}
	if a, ok := e.alias(); ok {
		out = append(out, keyHash(a))
	}
	return out
}

// alias returns what an entity is known as besides, the same for all that go to
// one place. Mail reaches a box in whatever case it is written and whatever
// follows a + in its name, and some hosts do not see dots in it; of a URL it does
// not matter whether it is fetched with TLS. Aliases taint, and never vouch.
func (e Entity) alias() (Entity, bool) {
	a := Entity{Kind: e.Kind}
	switch e.Kind {
	case KindMail:
		local, host := strings.ToLower(e.local), e.host
		if plain, _, ok := strings.Cut(local, "+"); ok && plain != "" {
			local = plain
		}
		if host == "gmail.com" || host == "googlemail.com" {
			local, host = strings.ReplaceAll(local, ".", ""), "gmail.com"
		}
		a.Identity = e.Identity
		if local != "" && (local != e.local || host != e.host) {
			a.Identity = local + "@" + host
		}
	case KindURL:
		a.Identity = e.Identity[max(0, strings.Index(e.Identity, "//")):]
	}
	return a, a.Identity != "" && a.Identity != e.Identity
}
