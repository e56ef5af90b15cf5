package bundle_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle"
)

// The keys of the trust files below. Nobody has their secret halves any more.
const (
	keyA = "RWQ1Z19KIq77g7BZXdry2/5JFO4ckYdSv43eK8bwcQXNe8DXbFDDKF2s"
	keyB = "RWQAAQIDBAUGB9NyjvmhAPUCj4XH+rRBPN4VMG2TGiaeYEPk9zNYG463"
)

const digestA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// trustText is a trust file with everything in it, one member a line.
const trustText = `{
  "schema": "callgate.trust/v0",
  "keys": {
    "acme-2026": {"minisign": "` + keyA + `", "expires": "2028-01-31", "note": "from their site"},
    "core": {"minisign": "` + keyB + `"}
  },
  "scopes": {
    "acme/": {"keys": ["acme-2026"]},
    "core/": {"keys": ["acme-2026", "core"], "threshold": 2}
  },
  "min_versions": {"acme/no-exfil": "1.1.0"},
  "revoked": {"` + digestA + `": "leaks arguments in its log"}
}
`

func TestATrustFileIsRead(t *testing.T) {
	tr, err := bundle.ParseTrust("trust.json", []byte(trustText))
	if err != nil {
		t.Fatal(err)
	}
	k := tr.Keys["acme-2026"]
	if len(tr.Keys) != 2 || k.Public.String() != keyA || !k.Expires.Equal(time.Date(2028, 1, 31, 0, 0, 0, 0, time.UTC)) || k.Note != "from their site" {
		t.Errorf("keys: %+v", tr.Keys)
	}
	if len(tr.Scopes) != 2 || tr.Scopes["acme/"].Threshold != 1 || tr.Scopes["core/"].Threshold != 2 || len(tr.Scopes["core/"].Keys) != 2 {
		t.Errorf("scopes: %+v", tr.Scopes)
	}
	if tr.MinVersions["acme/no-exfil"] != "1.1.0" || tr.Revoked[digestA] != "leaks arguments in its log" {
		t.Errorf("%v, %v", tr.MinVersions, tr.Revoked)
	}
}

func TestATrustFileIsWrittenInOneWay(t *testing.T) {
	tr, err := bundle.ParseTrust("trust.json", []byte(trustText))
	if err != nil {
		t.Fatal(err)
	}
	text, err := tr.Text()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "trust.json")
	if *update {
		write(t, golden, text)
	}
	if want := read(t, golden); !bytes.Equal(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	again, err := bundle.ParseTrust("trust.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := again.Text(); err != nil || !bytes.Equal(twice, text) {
		t.Errorf("read and written again: %v\n%s", err, twice)
	}
	tr.Scopes["else/"] = bundle.Scope{Keys: []string{"nobody"}}
	if text, err := tr.Text(); err == nil || text != nil {
		t.Error("what can not be read is written")
	}
}

func TestMistakesOfTrustFiles(t *testing.T) {
	table := []struct {
		name, from, to, want string
	}{
		{"as it is", "", "", ""},
		{"no schema", `"schema": "callgate.trust/v0",`, "", `trust.json:1:1: schema: none; want "callgate.trust/v0"`},
		{"another schema", "trust/v0", "trust/v1", `trust.json:2:3: schema: "callgate.trust/v1"; want "callgate.trust/v0"`},
		{"a schema that is no text", `"callgate.trust/v0"`, "0", `trust.json:2:3: schema: not a string`},
		{"an unknown key", "min_versions", "min_version", `trust.json:11:3: unknown key "min_version"; want schema, keys, scopes, min_versions, revoked, plain`},
		{"a key in another case", `"revoked"`, `"Revoked"`, `unknown key "Revoked"`},
		{"a key twice", `"scopes"`, `"keys"`, "trust.json:7:3: not JSON: a key that is there twice"},
		{"a key of a key", `"note"`, `"notes"`, `trust.json:4:116: keys/acme-2026: unknown key "notes"; want minisign, expires, note`},
		{"a name of a key", `"acme-2026": {`, `"Acme 2026": {`, `trust.json:4:5: keys/Acme 2026: not a name for a key`},
		{"a key that is none", keyA, "RWQ1", `trust.json:4:19: keys/acme-2026/minisign: "RWQ1" is no public key`},
		{"a key with its comment", `"` + keyA, `"untrusted comment: x\n` + keyA, "control characters"},
		{"a key with a space", keyA, keyA + " ", "is no public key"},
		{"no key", `{"minisign": "` + keyB + `"}`, `{}`, "trust.json:5:5: keys/core: no minisign; state it"},
		{"a number for a key", `{"minisign": "` + keyB + `"}`, `7`, "trust.json:5:5: keys/core: want an object"},
		{"one key as two", keyB, keyA, "trust.json:5:14: keys/core/minisign: the same key, or the same id, as keys/acme-2026"},
		{"one key as two, with another id", keyB, keyA[:5] + "A" + keyA[6:], "the same key, or the same id"},
		{"a month that there is not", "2028-01-31", "2028-13-31", `trust.json:4:91: keys/acme-2026/expires: "2028-13-31" is no day`},
		{"a day that there is not", "2028-01-31", "2027-02-29", "is no day"},
		{"a leap day", "2028-01-31", "2028-02-29", ""},
		{"an hour", "2028-01-31", "2028-01-31T00:00:00Z", "is no day"},
		{"no day", `"2028-01-31"`, `""`, "is no day"},
		{"a null day", `"2028-01-31"`, `null`, "is no day"},
		{"a scope of everything", `"acme/"`, `"/"`, "trust.json:8:5: scopes//: not a scope"},
		{"a scope of nothing", `"acme/"`, `""`, "not a scope"},
		{"a scope of a star", `"acme/"`, `"*/"`, "not a scope"},
		{"a scope in capitals", `"acme/"`, `"Acme/"`, "not a scope"},
		{"a scope of other letters", `"acme/"`, `"аcme/"`, "not a scope"},
		{"a scope with dots", `"acme/"`, `"a/../b/"`, "not a scope"},
		{"a scope with two slashes", `"acme/"`, `"acme//"`, "not a scope"},
		{"a whole name", `"acme/"`, `"acme/no-exfil"`, ""},
		{"a scope without keys", `{"keys": ["acme-2026"]}`, `{}`, "trust.json:8:5: scopes/acme/: no keys; list one or more"},
		{"a scope with no keys", `["acme-2026"]`, `[]`, "trust.json:8:15: scopes/acme//keys: want a list of one or more strings"},
		{"an unknown key of a scope", `["acme-2026"]`, `["acme-2027"]`, `no key is called "acme-2027"; add it under keys`},
		{"a key of a scope twice", `["acme-2026", "core"]`, `["core", "core"]`, `"core" is there twice`},
		{"a number of keys", `["acme-2026"]`, `[1]`, "want a string"},
		{"no threshold", `"threshold": 2`, `"threshold": 0`, "trust.json:9:46: scopes/core//threshold: want how many of the keys have to sign, a number from 1 to 2"},
		{"less than no threshold", `"threshold": 2`, `"threshold": -1`, "how many of the keys have to sign, a number from 1 to 2"},
		{"a threshold out of reach", `"threshold": 2`, `"threshold": 3`, "how many of the keys have to sign, a number from 1 to 2"},
		{"half a threshold", `"threshold": 2`, `"threshold": 1.5`, "how many of the keys have to sign, a number from 1 to 2"},
		{"a threshold in words", `"threshold": 2`, `"threshold": "2"`, "how many of the keys have to sign, a number from 1 to 2"},
		{"a word for plain modules", `"min_versions"`, `"plain": "yes", "min_versions"`, `"yes"; want refuse, or allow as without it`},
		{"a version that is none", `"1.1.0"`, `"1.1"`, `trust.json:11:20: min_versions/acme/no-exfil: "1.1" is no version`},
		{"a version with a v", `"1.1.0"`, `"v1.1.0"`, "is no version"},
		{"a version that is a number", `"1.1.0"`, `1.1`, "want a string"},
		{"a least version of a scope", `"acme/no-exfil"`, `"acme/"`, "not the name of a plugin"},
		{"half a digest", digestA, digestA[:20], "trust.json:12:15: revoked/sha256:aaaaaaaaaaaaa: not a digest"},
		{"a digest in capitals", digestA, "sha256:" + strings.Repeat("A", 64), "not a digest"},
		{"another digest", digestA, "sha512:" + digestA[7:], "not a digest"},
		{"no reason", `"leaks arguments in its log"`, `""`, "want a string"},
		{"a control character", "leaks arguments", `leaks \u001b[2J`, "control characters"},
		{"a comment", `"keys"`, "// whom we know\n  \"keys\"", "trust.json:3:3: not JSON"},
		{"a comma at the end", `"leaks arguments in its log"}`, `"leaks arguments in its log"},`, "trust.json:12:119: not JSON"},
		{"a list", trustText, "[]", "trust.json:1:1: want an object"},
		{"nothing", trustText, "", "trust.json:1:1: not JSON: empty file"},
		{"two files", trustText, trustText + trustText, "trust.json:14:1: more than one value"},
		{"half a file", trustText, trustText[:200], "not JSON"},
		{"not UTF-8", "from their site", "from \xff", "not JSON"},
		{"too large", trustText, trustText + strings.Repeat(" ", bundle.MaxTrust), "at most 1048576"},
		{"empty", trustText, `{"schema":"callgate.trust/v0"}`, ""},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(trustText, c.from, c.to, 1)
			if c.from != "" && text == trustText {
				t.Fatal("nothing is changed")
			}
			tr, err := bundle.ParseTrust("trust.json", []byte(text))
			if err := says(err, c.want); err != nil || c.want != "" && tr != nil {
				t.Error(err)
			}
		})
	}
}

func TestEveryMistakeIsReportedInOrder(t *testing.T) {
	text := strings.NewReplacer("1.1.0", "1.1", "2028-01-31", "soon", `"threshold": 2`, `"threshold": 9`).Replace(trustText)
	_, err := bundle.ParseTrust("trust.json", []byte(text))
	if err == nil {
		t.Fatal("no mistake")
	}
	var lines []string
	for _, line := range strings.Split(err.Error(), "\n") {
		lines = append(lines, strings.Join(strings.SplitN(line, ":", 3)[:2], ":"))
	}
	if got := strings.Join(lines, " "); got != "trust.json:4 trust.json:9 trust.json:11" {
		t.Errorf("%s\n%v", got, err)
	}
}
