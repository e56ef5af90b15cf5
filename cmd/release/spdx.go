package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// modulePath is what go install builds.
const modulePath = "github.com/callgate/callgate"

// spdx 2.3, https://spdx.github.io/spdx-spec/v2.3/: what is compiled into the
// binaries of the release, those of any target.
type (
	spdxDocument struct {
		Version       string         `json:"spdxVersion"`
		License       string         `json:"dataLicense"`
		ID            string         `json:"SPDXID"`
		Name          string         `json:"name"`
		Namespace     string         `json:"documentNamespace"`
		Creation      spdxCreation   `json:"creationInfo"`
		Packages      []spdxPackage  `json:"packages"`
		Relationships []spdxRelation `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		Name     string    `json:"name"`
		ID       string    `json:"SPDXID"`
		Version  string    `json:"versionInfo"`
		From     string    `json:"downloadLocation"`
		Analyzed bool      `json:"filesAnalyzed"`
		Source   string    `json:"sourceInfo,omitempty"`
		Refs     []spdxRef `json:"externalRefs"`
	}
	spdxRef struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelation struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

// notOfID is what the id of an element may not have.
var notOfID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func spdxOf(path, version, from, source string) spdxPackage {
	return spdxPackage{
		Name: path, ID: "SPDXRef-" + notOfID.ReplaceAllString(path, "-"), Version: version, From: from, Source: source,
		Refs: []spdxRef{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + version}},
	}
}

// spdx is the list of modules. Its only time is the commit's.
func (r *release) spdx() ([]byte, error) {
	own := spdxOf(modulePath, r.tag(), fmt.Sprintf("git+https://%s@%s", modulePath, r.commit), "commit "+r.commit)
	d := spdxDocument{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: r.prefix(),
		Namespace: fmt.Sprintf("https://%s/spdx/%s-%s", modulePath, r.version, r.commit),
		Creation:  spdxCreation{r.date.Format(time.RFC3339), []string{"Tool: " + product + "-release-" + r.version}},
		Packages:  []spdxPackage{own},
		Relationships: []spdxRelation{
			{"SPDXRef-DOCUMENT", "DESCRIBES", own.ID},
		},
	}
	add := func(p spdxPackage) {
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, spdxRelation{own.ID, "DEPENDS_ON", p.ID})
	}
	add(spdxOf("stdlib", strings.TrimPrefix(runtime.Version(), "go"), "https://go.dev/dl/", "the standard library of Go"))
	for _, m := range r.modules {
		from := "NOASSERTION"
		if escaped, err := module.EscapePath(m.path); err == nil {
			from = "https://proxy.golang.org/" + escaped + "/@v/" + m.version + ".zip"
		}
		add(spdxOf(m.path, m.version, from, "go.sum "+m.sum))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return b.Bytes(), err
}
