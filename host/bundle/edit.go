package bundle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"aead.dev/minisign"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plural"
)

// Grant is what [Trust.Grant] adds: a key, and what it may sign.
type Grant struct {
	Name      string
	Public    minisign.PublicKey
	Scopes    []string
	Threshold int        // of the scopes; 0: as it is, 1 for a new one
	Expires   *time.Time // nil: as it is, never for a new key
	Note      *string    // nil: as it is, none for a new key
}

// ErrUnchanged is what an edit returns if the trust file says just that already.
var ErrUnchanged = errors.New("nothing to change")

// Grant adds a key to scopes, and says what that means besides. A key that is known
// under the name gets more scopes, another day to expire or another note; what
// would change nothing is [ErrUnchanged].
func (t *Trust) Grant(g Grant) (notes []string, err error) {
	t.filled()
	if !keyName.MatchString(g.Name) {
		return nil, fmt.Errorf("%q is no name for a key; want lower-case letters, digits, '.', '_' and '-'", g.Name)
	}
	id := KeyID(g.Public.ID())
	old, known := t.Keys[g.Name]
	if known && old.Public.String() != g.Public.String() {
		return nil, fmt.Errorf("%q is the name of another key, %s; choose another name, or take that out with callgate plugin trust rm %s", g.Name, KeyID(old.Public.ID()), g.Name)
	}
	for _, other := range slices.Sorted(maps.Keys(t.Keys)) {
		if other != g.Name && samePublic(t.Keys[other].Public, g.Public) {
			return nil, fmt.Errorf("key %s is there already, as %q; one key under two names would count as two", id, other)
		}
	}
	if !known && len(g.Scopes) == 0 {
		return nil, errors.New("no scope; say with --scope what the key may sign: acme/ for all plugins below it, or the whole name of one")
	}
	key := Key{Public: g.Public, Expires: old.Expires, Note: old.Note}
	if g.Expires != nil {
		key.Expires = *g.Expires
	}
	if g.Note != nil {
		key.Note = *g.Note
	}
	changed := !known || !key.Expires.Equal(old.Expires) || key.Note != old.Note
	t.Keys[g.Name] = key
	for _, match := range g.Scopes {
		more, did, err := t.widen(match, g.Name, g.Threshold)
		if err != nil {
			return nil, err
		}
		changed = changed || did
		notes = append(notes, more...)
	}
	if !changed {
		return nil, ErrUnchanged
	}
	return notes, nil
}

// widen lets a key sign a scope as well.
func (t *Trust) widen(match, key string, threshold int) (notes []string, changed bool, err error) {
	if !isScope(match) {
		return nil, false, fmt.Errorf("scope %s: not one; want acme/ for all plugins below it, or the whole name of one, in letters from a to z", strconv.QuoteToASCII(match))
	}
	scope, known := t.Scopes[match]
	if !known {
		notes = t.novel(match)
	}
	next := Scope{slices.Clone(scope.Keys), max(scope.Threshold, 1)}
	if !slices.Contains(next.Keys, key) {
		next.Keys = append(next.Keys, key)
		slices.Sort(next.Keys)
		changed = true
	}
	if threshold != 0 && threshold != next.Threshold {
		if known && threshold < next.Threshold {
			notes = append(notes, fmt.Sprintf("scope %q wanted %s before, and wants %d now", match, plural.Of(next.Threshold, "signature"), threshold))
		}
		next.Threshold, changed = threshold, true
	}
	if next.Threshold > MaxSignatures {
		return nil, false, fmt.Errorf("scope %q: %d keys can not sign, since no more than %d signatures of a bundle are looked at; state fewer", match, next.Threshold, MaxSignatures)
	}
	if next.Threshold < 1 || next.Threshold > len(next.Keys) {
		return nil, false, fmt.Errorf("scope %q: %d of its keys can not sign, since it has %d: %s; add the others first", match, next.Threshold, len(next.Keys), strings.Join(next.Keys, ", "))
	}
	t.Scopes[match] = next
	return notes, changed, nil
}

// Unmet says why nothing of a scope can pass at a time, "" if it can: too few of its
// keys have not expired.
func (t *Trust) Unmet(match string, now time.Time) string {
	scope := t.Scopes[match]
	var live []string
	for _, name := range slices.Sorted(slices.Values(scope.Keys)) {
		if k, ok := t.Keys[name]; ok && (k.Expires.IsZero() || now.Before(k.Expires)) {
			live = append(live, name)
		}
	}
	want := max(scope.Threshold, 1)
	if len(live) >= want {
		return ""
	}
	rest := "all of them have expired"
	if len(live) > 0 {
		rest = "but for " + strings.Join(live, ", ") + " they have expired"
	}
	return fmt.Sprintf("scope %q: nothing of it can pass: it wants signatures by %d of %s, and %s; add a key with callgate plugin trust add, or another day to one with --expires", match, want, strings.Join(slices.Sorted(slices.Values(scope.Keys)), ", "), rest)
}

func isScope(match string) bool {
	return abi.IsPluginName(strings.TrimSuffix(match, "/"))
}

// novel is what an operator should know of a scope that is not there yet.
func (t *Trust) novel(match string) (notes []string) {
	if outer, scope, ok := t.scope(match); ok {
		notes = append(notes, fmt.Sprintf("scope %q stood under %q before: signatures by %s alone do not count there any more", match, outer, strings.Join(scope.Keys, ", ")))
	}
	if like := t.like(match); like != "" {
		notes = append(notes, fmt.Sprintf("scope %q looks like %q, which is another; make sure that it is what you mean", match, like))
	}
	if !strings.Contains(match, "/") {
		notes = append(notes, fmt.Sprintf("scope %q is the one plugin of that name; %q would be all below it", match, match+"/"))
	}
	return notes
}

// Drop takes keys out. It refuses where a scope would be left with fewer of them
// than have to sign, unless the scopes are to go as well; it says what follows then.
func (t *Trust) Drop(names []string, scopes bool) (notes []string, err error) {
	t.filled()
	for _, name := range names {
		if _, ok := t.Keys[name]; !ok {
			return nil, fmt.Errorf("no key is called %q; callgate plugin trust ls lists them", name)
		}
	}
	var stuck, gone []string
	for _, match := range slices.Sorted(maps.Keys(t.Scopes)) {
		scope := t.Scopes[match]
		left := slices.DeleteFunc(slices.Clone(scope.Keys), func(k string) bool { return slices.Contains(names, k) })
		switch want := max(scope.Threshold, 1); {
		case len(left) >= want:
			t.Scopes[match] = Scope{left, want}
		case scopes:
			delete(t.Scopes, match)
			gone = append(gone, match)
		default:
			stuck = append(stuck, fmt.Sprintf("%q, signed by %d of %s", match, want, strings.Join(scope.Keys, ", ")))
		}
	}
	if len(stuck) > 0 {
		return nil, fmt.Errorf("scopes would be left with too few keys: %s; give them another key first with callgate plugin trust add, or take them out as well with --drop-scopes", strings.Join(stuck, "; "))
	}
	for _, name := range names {
		delete(t.Keys, name)
	}
	for _, match := range gone {
		notes = append(notes, t.uncovered(match))
	}
	return notes, nil
}

// Forget takes a scope out, and says what follows. Its keys stay.
func (t *Trust) Forget(match string) (note string, err error) {
	if _, ok := t.Scopes[match]; !ok {
		return "", fmt.Errorf("no scope is %q; callgate plugin trust ls lists them", match)
	}
	delete(t.Scopes, match)
	return t.uncovered(match), nil
}

// uncovered says who signs the plugins of a scope that is gone.
func (t *Trust) uncovered(match string) string {
	outer, scope, ok := t.scope(match)
	if !ok {
		return fmt.Sprintf("scope %q is gone: nobody may sign its plugins", match)
	}
	return fmt.Sprintf("scope %q is gone: its plugins now stand under %q, and are signed by %d of %s", match, outer, max(scope.Threshold, 1), strings.Join(scope.Keys, ", "))
}

// Revoke takes a digest, of a bundle or of a module, out of what may be used. One that
// is revoked already for the same reason is [ErrUnchanged].
func (t *Trust) Revoke(digest, why string) error {
	t.filled()
	switch old, again := t.Revoked[digest]; {
	case !digestText.MatchString(digest):
		return fmt.Errorf("%q is no digest; want sha256: and 64 hexadecimal digits in lower case, as callgate plugin verify prints it", digest)
	case why == "":
		return errors.New("no reason; state one with --why, for those who meet the bundle")
	case again && why == old:
		return ErrUnchanged
	case again:
		return fmt.Errorf("%s is revoked already: %q; to state another reason, take that back with callgate plugin trust rm %[1]s", digest, old)
	}
	t.Revoked[digest] = why
	return nil
}

// Unrevoke takes that back.
func (t *Trust) Unrevoke(digest string) error {
	if _, ok := t.Revoked[digest]; !ok {
		return fmt.Errorf("%q is not revoked; callgate plugin trust ls lists what is", digest)
	}
	delete(t.Revoked, digest)
	return nil
}

// Require states the oldest version of a plugin that may be used, and returns what
// was stated before, "" for nothing. An older one than that has to be wanted, and the
// same one is [ErrUnchanged].
func (t *Trust) Require(name, version string, lower bool) (before string, err error) {
	t.filled()
	before = t.MinVersions[name]
	switch {
	case !abi.IsPluginName(name):
		return "", fmt.Errorf("%s is not the name of a plugin; want one like acme/no-exfil, in letters from a to z", strconv.QuoteToASCII(name))
	case !isVersion(version):
		return "", fmt.Errorf("%q is no version; want one like 1.2.0", version)
	case before == version:
		return before, ErrUnchanged
	case before != "" && compareVersions(version, before) < 0 && !lower:
		return "", fmt.Errorf("%s %s is asked for already, and %s is older; say --lower if older ones are to be taken again", name, before, version)
	}
	t.MinVersions[name] = version
	return before, nil
}

// Plain says whether policies may serve modules that came in no bundle. What is so
// already is [ErrUnchanged].
func (t *Trust) Plain(refuse bool) error {
	if t.filled().RefusePlain == refuse {
		return ErrUnchanged
	}
	t.RefusePlain = refuse
	return nil
}

// filled is the trust with all of its maps.
func (t *Trust) filled() *Trust {
	if t.Keys == nil {
		t.Keys = map[string]Key{}
	}
	if t.Scopes == nil {
		t.Scopes = map[string]Scope{}
	}
	if t.MinVersions == nil {
		t.MinVersions = map[string]string{}
	}
	if t.Revoked == nil {
		t.Revoked = map[string]string{}
	}
	return t
}
