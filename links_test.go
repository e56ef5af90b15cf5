package callgate_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	linkTo   = regexp.MustCompile(`\]\(([^()\s#]*)(#[^()\s]*)?\)`)
	codeText = regexp.MustCompile("(?s)```.*?\n```|`[^`\n]*`")
	heading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// links finds links of documents that lead to no file of the tree, or to no heading
// of a document.
func links(t tree) (found []string) {
	for _, name := range t.names() {
		if path.Ext(name) != ".md" {
			continue
		}
		plain := codeText.ReplaceAllStringFunc(t[name], func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
		for _, at := range linkTo.FindAllStringSubmatchIndex(plain, -1) {
			to := plain[at[2]:at[3]]
			if strings.Contains(to, ":") {
				continue // elsewhere
			}
			file := name
			if to != "" {
				file = path.Join(path.Dir(name), to)
			}
			line := 1 + strings.Count(plain[:at[0]], "\n")
			switch anchor := strings.TrimPrefix(plain[max(at[4], 0):max(at[5], 0)], "#"); {
			case !t.has(file):
				found = append(found, fmt.Sprintf("%s:%d: %s: there is no such file; mend the link", name, line, to))
			case anchor != "" && path.Ext(file) == ".md" && !headed(t[file], anchor):
				found = append(found, fmt.Sprintf("%s:%d: %s#%s: there is no such heading; mend the link", name, line, to, anchor))
			}
		}
	}
	return found
}

// has says whether there is a file, or a folder with one.
func (t tree) has(name string) bool {
	if _, ok := t[name]; ok {
		return true
	}
	for file := range t {
		if within(file, name) {
			return true
		}
	}
	return false
}

// headed says whether a document has a heading of which GitHub makes an anchor.
func headed(text, anchor string) bool {
	for _, h := range heading.FindAllStringSubmatch(codeText.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "```") {
			return ""
		}
		return s
	}), -1) {
		if strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(h[1])), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	of := func(text string) tree {
		return tree{"docs/a.md": "# A page, `x` of it\n\n" + text + "\n", "docs/b.md": "## Two\n\n```sh\n# no heading\n```\n", "sdk/c/x.h": "", "README.md": "see [a](docs/a.md)\n"}
	}
	verify(t, links, []plant{
		{"a file that is not there", of("[b](../b.md)"), "docs/a.md:3: ../b.md: there is no such file"},
		{"a folder that is not there", of("[b](../sdk/d)"), "../sdk/d: there is no such file"},
		{"a heading that is not there", of("[b](b.md#three)"), "b.md#three: there is no such heading"},
		{"a heading of its own that is not there", of("[b](#two)"), "#two: there is no such heading"},
		{"a comment of a sample", of("[b](b.md#no-heading)"), "#no-heading: there is no such heading"},
		{"files, folders and headings", of("[b](b.md), [b](b.md#two), [c](../sdk/c), [x](../sdk/c/x.h), [a](#a-page-x-of-it), [r](../README.md)"), ""},
		{"elsewhere", of("[e](https://example.org/x#y), [m](mailto:x@example.org)"), ""},
		{"code", of("`[b](c.md)`\n\n```text\n[b](c.md)\n```"), ""},
	})
}
