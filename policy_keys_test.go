package callgate_test

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// policyPage is where users read what a key of a policy does.
const policyPage = "docs/policy.md"

// policyKeys lists the keys of a policy file as editors know them, with where
// each stands in the schema.
func policyKeys() (map[string]string, error) {
	schema, err := abi.Parse(policy.Schema())
	keys := map[string]string{}
	schema.Walk("", func(at string, _ abi.Value, name bool) {
		if above, key := path.Split(at); name && strings.HasSuffix(above, "/properties/") {
			keys[key] = at
		}
	})
	return keys, err
}

// sampledKeys finds the keys that no sample of the page has.
func sampledKeys(t tree) (found []string) {
	keys, err := policyKeys()
	if err != nil {
		return []string{err.Error()}
	}
	if len(keys) < 100 {
		return []string{fmt.Sprintf("the schema has %d keys; want 100 or more", len(keys))}
	}
	list, _ := samples(t)
	var text strings.Builder
	for _, s := range list {
		if s.doc == policyPage && s.info == "yaml" {
			text.WriteString(s.text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !regexp.MustCompile(`(^|[\s{,])` + key + `:(\s|$)`).MatchString(text.String()) {
			found = append(found, policyPage+": no sample has the key "+key+" ("+keys[key]+"); add one that shows it")
		}
	}
	return found
}

func TestEveryKeyOfAPolicyHasASample(t *testing.T) {
	page := readTree(t)[policyPage]
	verify(t, sampledKeys, []plant{
		{"the page", tree{policyPage: page}, ""},
		{"the key in prose only", tree{policyPage: strings.ReplaceAll(page, " fold: true", "")}, "the key fold"},
		{"the key at the end of another", tree{policyPage: strings.ReplaceAll(page, " also: true", " xalso: true")}, "the key also"},
	})
}
