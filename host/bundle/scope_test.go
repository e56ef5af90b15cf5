package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle"
)

// A scope that could be taken for one that is there is pointed out, as a whole and by
// the first part in which they differ; each beside one that is not.
func TestScopesThatLookAlikeArePointedOut(t *testing.T) {
	k, other := newKey(t), newKey(t)
	for _, c := range []struct {
		have, add string
		alike     bool
	}{
		{"acme/", "acrne/", true}, {"acme/", "ac-me/", true}, {"acme/", "acm3/", true}, {"acme/", "amce/", true}, {"acme/", "acmee/", true}, {"acme/", "cme/", false},
		{"google/", "goog1e/", true}, {"google/", "gogle/", true}, {"google/", "g00gle/", true}, {"acme/", "acme-labs/", false}, {"acme/", "apex/", false},
		{"abc/", "abd/", false}, {"acme/tools/", "acme/too1s/", true}, {"acme/tools/", "acme/", false}, {"acme/x1", "acme/x2", false}, {"acme/mail", "acme/mai1", true},
		{"acme/", "acme", false},
		// By segments, whatever follows them.
		{"acme/no-exfil", "acrne/x", true}, {"acme/no-exfil", "apex/x", false}, {"acme/no-exfil", "acme/x", false},
		{"acme/no-exfil", "acrne/no-exfil", true}, {"acme/no-exfil", "other/no-exfil", false},
		{"acme/", "acrne/x", true}, {"acme/", "acme-labs/x", false},
		{"acme/", "acrne/tools/x", true}, {"acme/", "acme/tools/x", false},
		{"acme/tools/", "acrne/", true}, {"acme/tools/", "apex/", false},
		{"acme/tools/", "acrne/x", true}, {"acme/tools/", "acme/x", false},
		{"acme/tools/mail", "acme/too1s/post", true}, {"acme/tools/mail", "acme/desk/post", false},
		{"acme/tools/mail", "acme/tool/post", true}, {"acme/tools/mail", "acme/tools/maul", false},
		{"acme/tools/", "acme-tools/", true}, {"acme/tools/", "acme-desk/", false},
		{"acme/tools/", "acme/too1s", true}, {"acme/tools/", "acme/tools2", true}, {"acme/tools/", "acme/desk", false},
		{"acme", "acrne/x", true}, {"acme", "apex/x", false}, {"acme", "acme/x", false},
	} {
		var trust bundle.Trust
		granted(t, &trust, "one", k, c.have)
		notes := strings.Join(granted(t, &trust, "two", other, c.add), "\n")
		if got := strings.Contains(notes, fmt.Sprintf("looks like %q", c.have)); got != c.alike {
			t.Errorf("%s beside %s: %q; want that they look alike: %t", c.add, c.have, notes, c.alike)
		}
	}
}

// Letters of other alphabets are shown as what they are.
func TestLettersOfOtherAlphabetsAreShown(t *testing.T) {
	k := newKey(t)
	public, err := bundle.ParsePublicKey([]byte(k.public))
	if err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]string{
		"acme/":       "",
		"\u0430cme/":  `scope "\u0430cme/": not one; want acme/ for all plugins below it, or the whole name of one, in letters from a to z`,
		"acme/\u03bf": `scope "acme/\u03bf": not one`,
		"ACME/":       `scope "ACME/": not one`,
	} {
		var trust bundle.Trust
		_, err := trust.Grant(bundle.Grant{Name: "one", Public: public, Scopes: []string{scope}})
		if err := says(err, want); err != nil {
			t.Error(err)
		}
	}
	var trust bundle.Trust
	_, err = trust.Require("acme/\u03bf", "1.0.0", false)
	if err := says(err, `"acme/\u03bf" is not the name of a plugin`); err != nil {
		t.Error(err)
	}
}

// How many have to sign is never more than can.
func TestThresholds(t *testing.T) {
	day := time.Date(2028, 1, 31, 0, 0, 0, 0, time.UTC)
	keys := make([]key, bundle.MaxSignatures+1)
	for i := range keys {
		keys[i] = newKey(t)
	}
	for _, c := range []struct {
		keys, threshold int
		expired         int // of the keys
		want            string
		unmet           string
	}{
		{2, 2, 0, "", ""},
		{2, 3, 0, "3 of its keys can not sign, since it has 2", ""},
		{16, 16, 0, "", ""},
		{17, 16, 0, "", ""},
		{17, 17, 0, `scope "acme/": 17 keys can not sign, since no more than 16 signatures of a bundle are looked at; state fewer`, ""},
		{3, 2, 1, "", ""},
		{3, 2, 2, "", `scope "acme/": nothing of it can pass: it wants signatures by 2 of key-0, key-1, key-2, and but for key-2 they have expired; add a key`},
		{1, 1, 1, "", "wants signatures by 1 of key-0, and all of them have expired"},
	} {
		t.Run(fmt.Sprintf("%d of %d, %d expired", c.threshold, c.keys, c.expired), func(t *testing.T) {
			var trust bundle.Trust
			var err error
			for i, k := range keys[:c.keys] {
				public, perr := bundle.ParsePublicKey([]byte(k.public))
				if perr != nil {
					t.Fatal(perr)
				}
				g := bundle.Grant{Name: fmt.Sprintf("key-%d", i), Public: public, Scopes: []string{"acme/"}}
				if i < c.expired {
					g.Expires = &day
				}
				if i == c.keys-1 {
					g.Threshold = c.threshold
				}
				if _, err = trust.Grant(g); err != nil {
					break
				}
			}
			if err := says(err, c.want); err != nil {
				t.Fatal(err)
			}
			if c.want != "" {
				return
			}
			if _, err := trust.Text(); err != nil {
				t.Errorf("not to be written: %v", err)
			}
			if got := trust.Unmet("acme/", day); !strings.Contains(got, c.unmet) || (got == "") != (c.unmet == "") {
				t.Errorf("unmet: %q; want %q", got, c.unmet)
			}
			if got := trust.Unmet("acme/", day.Add(-time.Second)); got != "" {
				t.Errorf("the moment before: %q", got)
			}
		})
	}
}
