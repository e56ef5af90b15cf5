package bundle

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"aead.dev/minisign"

	"github.com/callgate/callgate/abi"
)

// TrustSchema names the form of a trust file.
const TrustSchema = "callgate.trust/v0"

// Trust is whom the operator trusts, and with what. The zero value trusts nobody.
type Trust struct {
	Keys        map[string]Key    // by a name of the operator's choice
	Scopes      map[string]Scope  // by what they match: NAME, or SCOPE/ for all below
	MinVersions map[string]string // by the name of a plugin: no older one is taken
	Revoked     map[string]string // digest of a bundle or module, sha256:…, to why
	RefusePlain bool              // no policy serves a module that came in no bundle
	named       bool              // by [TrustOnly]: there is no file to speak of
}

// Key is a public key of minisign.
type Key struct {
	Public  minisign.PublicKey
	Expires time.Time // from then on its signatures do not count; zero: never
	Note    string
}

// Scope is who may sign the plugins of some names.
type Scope struct {
	Keys      []string // names of keys
	Threshold int      // how many different ones have to; 0 means 1
}

var (
	keyName    = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)
	digestText = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// What a trust file says of modules that came in no bundle.
const plainRefuse, plainAllow = "refuse", "allow"

// ParseTrust reads a trust file, strictly: every mistake is reported, with the line
// and column in the file of this name.
func ParseTrust(name string, data []byte) (*Trust, error) {
	s, err := readSource(name, data, MaxTrust, TrustSchema, "keys", "scopes", "min_versions", "revoked", "plain")
	if err != nil {
		return nil, err
	}
	t := &Trust{Keys: map[string]Key{}, Scopes: map[string]Scope{}, MinVersions: map[string]string{}, Revoked: map[string]string{}}
	for _, m := range s.object("/keys") {
		t.readKey(s, m.Name)
	}
	for _, m := range s.object("/scopes") {
		t.readScope(s, m.Name)
	}
	for _, m := range s.object("/min_versions") {
		at := abi.Join("/min_versions", m.Name)
		v := s.str("/min_versions", m.Name, true)
		switch {
		case !abi.IsPluginName(m.Name):
			s.add(at, "%snot the name of a plugin; want one like acme/no-exfil", label(at))
		case v != "" && !isVersion(v):
			s.add(at, "%s%q is no version; want one like 1.2.0", label(at), v)
		}
		t.MinVersions[m.Name] = v
	}
	for _, m := range s.object("/revoked") {
		if at := abi.Join("/revoked", m.Name); !digestText.MatchString(m.Name) {
			s.add(at, "%snot a digest; want sha256: and 64 hexadecimal digits in lower case", label(at))
		}
		t.Revoked[m.Name] = s.str("/revoked", m.Name, true)
	}
	if s.root.Get("plain").Exists() {
		text := s.str("", "plain", true)
		if t.RefusePlain = text != plainAllow; text != "" && t.RefusePlain && text != plainRefuse {
			s.add("/plain", "%s%q; want %s, or %s as without it", label("/plain"), text, plainRefuse, plainAllow)
		}
	}
	if err := s.err(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Trust) readKey(s *source, name string) {
	at := abi.Join("/keys", name)
	if !keyName.MatchString(name) {
		s.add(at, "%snot a name for a key; want lower-case letters, digits, '.', '_' and '-'", label(at))
		return
	}
	s.object(at)
	s.members(at, "minisign", "expires", "note")
	key := Key{Note: s.str(at, "note", false), Expires: readDay(s, at)}
	text := s.str(at, "minisign", true)
	var err error
	if key.Public, err = ParsePublicKey([]byte(text)); text != "" && (err != nil || key.Public.String() != text) {
		s.add(abi.Join(at, "minisign"), "%s%q is no public key of minisign; want the line of its file that begins with RW", label(abi.Join(at, "minisign")), text)
		return
	}
	// One key under two names would count as two.
	for other, known := range t.Keys {
		if text != "" && samePublic(known.Public, key.Public) {
			s.add(abi.Join(at, "minisign"), "%sthe same key, or the same id, as keys/%s; take one out", label(abi.Join(at, "minisign")), other)
			return
		}
	}
	t.Keys[name] = key
}

// samePublic says whether two keys are one, by id or by what they verify.
func samePublic(a, b minisign.PublicKey) bool {
	return a.ID() == b.ID() || bytes.Equal(point(a), point(b))
}

// point is a key without its kind and id, which are its first ten bytes.
func point(key minisign.PublicKey) []byte {
	raw, err := base64.StdEncoding.DecodeString(key.String())
	if err != nil || len(raw) < 10 {
		return nil
	}
	return raw[10:]
}

// readDay reads the day from whose start, in UTC, a key does not count.
func readDay(s *source, pointer string) time.Time {
	text := s.str(pointer, "expires", false)
	if !s.root.At(pointer).Get("expires").Exists() {
		return time.Time{}
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		at := abi.Join(pointer, "expires")
		s.add(at, "%s%q is no day; want one like 2028-01-31", label(at), text)
	}
	return day
}

func (t *Trust) readScope(s *source, match string) {
	at := abi.Join("/scopes", match)
	if !abi.IsPluginName(strings.TrimSuffix(match, "/")) {
		s.add(at, "%snot a scope; want acme/ for all plugins below it, or the whole name of one", label(at))
		return
	}
	s.object(at)
	s.members(at, "keys", "threshold")
	scope := Scope{Keys: s.strs(at, "keys"), Threshold: 1}
	for _, k := range scope.Keys {
		if _, ok := t.Keys[k]; !ok && !s.root.At("/keys").Get(k).Exists() {
			in := abi.Join(at, "keys")
			s.add(in, "%sno key is called %q; add it under keys", label(in), k)
		}
	}
	if v := s.root.At(at).Get("threshold"); v.Exists() {
		n, err := strconv.Atoi(v.Lexeme())
		in := abi.Join(at, "threshold")
		switch {
		case err != nil || v.Kind() != abi.Number || n < 1 || n > len(scope.Keys):
			s.add(in, "%swant how many of the keys have to sign, a number from 1 to %d", label(in), len(scope.Keys))
		case n > MaxSignatures:
			s.add(in, "%s%d; at most %d, since no more signatures of a bundle are looked at", label(in), n, MaxSignatures)
		}
		scope.Threshold = n
	}
	t.Scopes[match] = scope
}

// Text is the one trust file that says this, or what is wrong with it.
func (t *Trust) Text() ([]byte, error) {
	var keys, scopes, versions, revoked []abi.Member
	for name, k := range t.Keys {
		of := []abi.Member{{Name: "minisign", Value: abi.StringValue(k.Public.String())}}
		if !k.Expires.IsZero() {
			of = append(of, abi.Member{Name: "expires", Value: abi.StringValue(k.Expires.UTC().Format(time.DateOnly))})
		}
		if k.Note != "" {
			of = append(of, abi.Member{Name: "note", Value: abi.StringValue(k.Note)})
		}
		keys = append(keys, abi.Member{Name: name, Value: abi.ObjectValue(of...)})
	}
	for match, sc := range t.Scopes {
		var names []abi.Value
		for _, k := range slices.Sorted(slices.Values(sc.Keys)) {
			names = append(names, abi.StringValue(k))
		}
		of := abi.ObjectValue(abi.Member{Name: "keys", Value: abi.ArrayValue(names...)}, abi.Member{Name: "threshold", Value: abi.IntValue(int64(max(sc.Threshold, 1)))})
		scopes = append(scopes, abi.Member{Name: match, Value: of})
	}
	for name, v := range t.MinVersions {
		versions = append(versions, abi.Member{Name: name, Value: abi.StringValue(v)})
	}
	for digest, why := range t.Revoked {
		revoked = append(revoked, abi.Member{Name: digest, Value: abi.StringValue(why)})
	}
	all := []abi.Member{
		{Name: "schema", Value: abi.StringValue(TrustSchema)}, {Name: "keys", Value: abi.ObjectValue(keys...)},
		{Name: "scopes", Value: abi.ObjectValue(scopes...)}, {Name: "min_versions", Value: abi.ObjectValue(versions...)},
		{Name: "revoked", Value: abi.ObjectValue(revoked...)},
	}
	if t.RefusePlain {
		all = append(all, abi.Member{Name: "plain", Value: abi.StringValue(plainRefuse)})
	}
	text, err := indented(abi.ObjectValue(all...))
	if err == nil {
		_, err = ParseTrust("trust", text)
	}
	if err != nil {
		return nil, fmt.Errorf("not to be written: %w", err)
	}
	return text, nil
}
