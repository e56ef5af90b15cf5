package gate

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// maxHidden is how many items plugins can hide of one list. Of more, all of it is
// hidden.
const maxHidden = 1 << 14

// hiding says who hides an item.
type hiding struct{ by, rule string }

// hidden are the items of lists that plugins hide, by server and kind. They outlive
// a session: only a later list shows them again.
type hidden map[abi.ListOf]*hiddenItems

// hiddenItems are those of one list.
type hiddenItems struct {
	names     map[string]hiding // by their keys
	templates map[string]hiding // of URIs, as they are
	all       hiding            // more than are kept; by "": not
}

// hiddenKey is what an item is hidden by. One resource can be spelled in several
// ways, so its URI is compared without escapes and letter case.
func hiddenKey(kind, name string) string {
	if strings.HasPrefix(name, "sha256:") && len(name) == 71 {
		return name // of the ledger
	}
	if kind == abi.ListResources {
		name = plainURI(name)
	}
	return abi.DigestBytes([]byte(name))
}

// plainURI is a URI without escapes and letter case.
func plainURI(s string) string {
	for range 8 {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == s {
			break
		}
		s = plain
	}
	return strings.ToLower(s)
}

// hide adds items.
func (h hidden) hide(of abi.ListOf, by map[string]hiding) {
	if len(by) == 0 {
		return
	}
	of.All = false
	items := h[of]
	if items == nil {
		items = &hiddenItems{names: map[string]hiding{}, templates: map[string]hiding{}}
		h[of] = items
	}
	for _, name := range sortedNames(by) {
		if len(items.names) >= maxHidden {
			items.all = by[name]
			return
		}
		items.names[hiddenKey(of.Kind, name)] = by[name]
		if of.Kind == abi.ListTemplates {
			items.templates[name] = by[name]
		}
	}
}

// shown takes back what a list says anew.
func (h hidden) shown(of abi.ListOf, names []string) {
	of.All = false
	items := h[of]
	if items == nil {
		return
	}
	for _, name := range names {
		delete(items.names, hiddenKey(of.Kind, name))
		delete(items.templates, name)
	}
	if len(items.names) == 0 && items.all.by == "" {
		delete(h, of)
	}
}

// find says who hides an item.
func (h hidden) find(of abi.ListOf, name string) (hiding, bool) {
	items := h[of]
	if items == nil {
		return hiding{}, false
	}
	if by, ok := items.names[hiddenKey(of.Kind, name)]; ok {
		return by, true
	}
	return items.all, items.all.by != ""
}

// from says who hides what a call is about, and what that is.
func (h hidden) from(c *abi.Call) (by hiding, what string, ok bool) {
	if len(h) == 0 {
		return hiding{}, "", false
	}
	in := func(kind, name string) bool {
		by, ok = h.find(abi.ListOf{Server: c.Server, Kind: kind}, name)
		return ok
	}
	switch c.Kind {
	case abi.KindTool, "":
		return by, "tool", in(abi.ListTools, c.Tool)
	case abi.KindPrompt:
		return by, "prompt", in(abi.ListPrompts, c.Name)
	case abi.KindResource:
		for _, uri := range append([]string{c.URI}, c.URIs...) {
			if uri != "" && (in(abi.ListResources, uri) || h.expands(c.Server, uri, &by)) {
				return by, "resource", true
			}
		}
	case abi.KindCompletion:
		uri, name := c.Ref.Get("uri"), c.Ref.Get("name")
		if uri.IsString() && (in(abi.ListTemplates, uri.Str()) || in(abi.ListResources, uri.Str())) {
			return by, "resource", true
		}
		return by, "prompt", name.IsString() && in(abi.ListPrompts, name.Str())
	}
	return hiding{}, "", false
}

// expands says whether a URI can be made of a template that is hidden.
func (h hidden) expands(server, uri string, by *hiding) bool {
	items := h[abi.ListOf{Server: server, Kind: abi.ListTemplates}]
	if items == nil {
		return false
	}
	if items.all.by != "" {
		*by = items.all
		return true
	}
	plain := plainURI(uri)
	for _, template := range sortedNames(items.templates) {
		if fitsTemplate(template, plain) {
			*by = items.templates[template]
			return true
		}
	}
	return false
}

// fitsTemplate says whether a plain URI can be made of a template (RFC 6570): it has
// what stands between the expressions, in order. One that is made of another
// template, too, fits all the same.
func fitsTemplate(template, uri string) bool {
	var fixed []string
	for {
		text, rest, found := strings.Cut(template, "{")
		fixed = append(fixed, plainURI(text))
		if !found {
			break
		}
		if _, template, found = strings.Cut(rest, "}"); !found {
			return true // it is none that can be read
		}
	}
	last := fixed[len(fixed)-1]
	if len(fixed) == 1 {
		return uri == last
	}
	rest, ok := strings.CutPrefix(uri, fixed[0])
	if !ok {
		return false
	}
	for _, text := range fixed[1 : len(fixed)-1] {
		_, after, found := strings.Cut(rest, text)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, last)
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
