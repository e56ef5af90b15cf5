package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// Server is a server to write a policy for.
type Server struct {
	Name  string      // the operator's name for it
	Tools []abi.Value // definitions as listed
	// Unlisted says why its tools are not known, "" if they are.
	Unlisted string
}

// known is a server with what the built-in policy makes of it.
type known struct {
	Server
	tools []abi.Value    // each name once
	pack  string         // that fits exactly, "" if none
	hand  *policy.Policy // with that pack bound
	near  []policy.Binding
}

// Starter drafts a policy that only adds to the built-in one: servers are named,
// and every tool that sends has a place for the destinations that need no
// question. Strict drafts one that denies by default.
func Starter(servers []Server, o Options) ([]byte, error) { return written(servers, o, false) }

// Strict drafts a policy that grants what packs grant that fit a server exactly,
// asks about tools whose server says that they only read, and denies the rest.
// Each tool has a line of its own; what is denied stands there as a comment.
func Strict(servers []Server, o Options) ([]byte, error) { return written(servers, o, true) }

func written(servers []Server, o Options, strict bool) ([]byte, error) {
	plain, err := load(o, []byte("callgate: 1\ninclude: [starter]\n"))
	if err != nil {
		return nil, err
	}
	list := make([]known, len(servers))
	for i, s := range servers {
		list[i] = recognise(s, plain)
		if list[i].pack != "" && serverName.MatchString(s.Name) {
			bound := "callgate: 1\nservers: {" + Quote(s.Name) + ": {pack: " + list[i].pack + "}}\n"
			if list[i].hand, err = load(o, []byte(bound)); err != nil {
				return nil, err
			}
		}
	}
	w := &newWriter{plain: plain, strict: strict}
	w.head()
	w.servers(list)
	w.tools(list)
	data := []byte(w.b.String())
	if _, err := load(o, data); err != nil {
		return nil, fmt.Errorf("the drafted policy does not load: %w", err)
	}
	return data, nil
}

// recognise finds the packs that fit a server. One fits exactly if each of its
// entries has its tool and each tool its entry: then it is most likely the pack
// of this server, and not of one that borrows its names.
func recognise(s Server, plain *policy.Policy) known {
	k := known{Server: s}
	seen := map[string]bool{}
	for _, d := range s.Tools {
		if name := d.Get("name").Str(); !seen[name] {
			seen[name] = true
			k.tools = append(k.tools, d)
		}
	}
	for _, b := range plain.Bindings(s.Name, k.tools) {
		entries := map[string]bool{}
		fits := len(b.Entries) > 0
		for _, e := range b.Entries {
			fits = fits && e.Fits
			entries[e.Tool] = true
		}
		for name := range seen {
			fits = fits && entries[name]
		}
		if fits && k.pack == "" {
			k.pack = b.Pack
			continue
		}
		k.near = append(k.near, b)
	}
	return k
}

// newWriter writes a starter or strict policy.
type newWriter struct {
	plain  *policy.Policy
	strict bool
	b      strings.Builder
}

func (w *newWriter) head() {
	if w.strict {
		w.b.WriteString("# A strict policy: what no line below grants is denied.\ncallgate: 1\n\nsettings:\n  default: deny\n")
		return
	}
	w.b.WriteString("# A starter policy. The built-in one below it refuses nothing for being unknown, and\n" +
		"# follows destinations, budgets and paths; add to it here.\ncallgate: 1\ninclude: [starter]\n")
}

func (w *newWriter) servers(list []known) {
	open := false
	for _, k := range list {
		if !serverName.MatchString(k.Name) {
			w.b.WriteString("\n# No policy can name the server " + short(k.Name) + ":\n# rename it in the client's configuration, or give it another name with --server.\n")
			continue
		}
		if !open {
			w.b.WriteString("\nservers:\n")
			open = true
		}
		w.b.WriteString("  " + Quote(k.Name) + ":\n")
		if k.Unlisted != "" {
			w.b.WriteString("    # its tools are not known: " + short(k.Unlisted) + "\n")
		}
		if k.pack != "" && !w.strict {
			// Any server can list the tools of another, and a draft that is taken as it
			// is must not make it trusted.
			w.b.WriteString("    # every entry of this pack has its tool here, and every tool its entry. Take the # away if\n" +
				"    # this is the server that the pack is for: it grants the tools then, and what it says of\n" +
				"    # their results may vouch for destinations. Until then it only restricts.\n" +
				"    # pack: " + k.pack + "\n")
		}
		if k.pack != "" && w.strict {
			w.b.WriteString("    # every entry of this pack has its tool here, and every tool its entry. Bound by hand the\n" +
				"    # pack grants them, so make sure that this is the server that the pack is for.\n" +
				"    pack: " + k.pack + "\n")
		}
		for _, b := range k.near {
			fits := 0
			for _, d := range k.tools {
				if slices.ContainsFunc(b.Entries, func(e policy.BoundEntry) bool { return e.Fits && e.Tool == d.Get("name").Str() }) {
					fits++
				}
			}
			fmt.Fprintf(&w.b, "    # pack: %s  # fits %d of %s here; as long as this is a comment, it restricts and grants nothing\n", b.Pack, fits, counted(len(k.tools), "tool"))
		}
		w.b.WriteString("    outputs: untrusted\n")
	}
}

// maxBody and maxListed are how many bytes the lines of tools may take, and how
// many tools may have some, well below what a policy file may have: a server that
// lists thousands of tools costs its own lines only.
const (
	maxBody   = 512 << 10
	maxListed = 1000
)

// tools writes one line or block for each tool. The key tools: must not stand
// there without an entry. No server can crowd another out.
func (w *newWriter) tools(list []known) {
	var body strings.Builder
	entries, each := 0, share(list)
	for _, k := range list {
		if len(k.tools) == 0 || !serverName.MatchString(k.Name) {
			continue
		}
		fmt.Fprintf(&body, "  # %s, %s. Behind each, what the built-in policy says of it.\n", Quote(k.Name), counted(len(k.tools), "tool"))
		room := body.Len() + maxBody/len(list)
		for i, d := range k.tools {
			if body.Len() > room || i == each {
				fmt.Fprintf(&body, "  # … and %s more, which are too many for a draft: the default decides about them\n", counted(len(k.tools)-i, "tool"))
				break
			}
			if w.tool(&body, k, d) {
				entries++
			}
		}
	}
	if body.Len() == 0 {
		return
	}
	if entries > 0 {
		w.b.WriteString("\ntools:\n")
	} else {
		w.b.WriteString("\n# tools:\n")
	}
	w.b.WriteString(body.String())
}

// share is the most tools of one server that have lines, so that no more than
// maxListed have: what servers with few tools leave over, those with many get.
func share(list []known) int {
	for each := 1; ; each++ {
		total, longer := 0, 0
		for _, k := range list {
			total += min(len(k.tools), each+1)
			longer = max(longer, len(k.tools))
		}
		if total > maxListed || longer <= each {
			return each
		}
	}
}

// tool writes one tool, and says whether that was an entry or a comment.
func (w *newWriter) tool(b *strings.Builder, k known, definition abi.Value) bool {
	t := toolName{k.Name, definition.Get("name").Str()}
	r := w.plain.Rules(k.Name, definition)
	says := w.about(t, definition, &r)
	key, ok := toolKey(t)
	switch {
	case !ok && callable(t.tool):
		b.WriteString("  # " + short(t.tool) + ": no policy can name this tool by itself; the default decides about it\n")
		return false
	case !ok:
		b.WriteString("  # " + short(t.tool) + ": no policy can name this tool, and it can not be called\n")
		return false
	case !w.strict && r.Sink != nil:
		b.WriteString("  " + Quote(key) + ":  # " + says + "\n    sink:\n      trusted: []  # destinations that need no question, such as \"*@corp.example\"\n")
		return true
	case !w.strict:
		b.WriteString("  # " + Quote(key) + ": " + says + "\n")
		return false
	case k.hand != nil && k.hand.Rules(k.Name, definition).Grant.Set:
		grant := k.hand.Rules(k.Name, definition).Grant.Outcome.Known()
		b.WriteString("  " + Quote(key) + ": {verdict: " + grant.String() + "}  # as pack " + k.pack + " says; " + says + "\n")
		return true
	case definition.At("/annotations/readOnlyHint").True() && r.Sink == nil:
		b.WriteString("  " + Quote(key) + ": {verdict: ask}  # its server says that it only reads; " + says + "\n")
		return true
	}
	b.WriteString("  # " + Quote(key) + ": {verdict: ask}  # denied as long as this is a comment; " + says + "\n")
	return false
}

// about is what the built-in policy says of a tool, in a few words. Names that a
// server chose stand in it quoted.
func (w *newWriter) about(t toolName, definition abi.Value, r *contract.Rules) string {
	var out []string
	if s := r.Sink; s != nil && (s.All || len(s.To) == 0) {
		out = append(out, "sends: every argument is a destination")
	} else if s != nil {
		out = append(out, "destinations in "+shownNames(s.To))
	}
	// That paths of secrets ask holds for every tool.
	if slices.ContainsFunc(r.Args, func(a contract.Arg) bool { return a.Slot == "path" && a.Outcome == abi.Deny }) {
		out = append(out, "paths are judged in canonical form")
	}
	for _, budget := range w.plain.Budgets(t.server, definition) {
		out = append(out, fmt.Sprintf("at most %s a session", counted(int(budget.Max), "call")))
	}
	if r.Risk != contract.RiskUnset {
		out = append(out, r.Risk.String()+" risk")
	}
	if len(out) == 0 {
		return "nothing in particular"
	}
	return strings.Join(out, "; ")
}

func shownNames(list []string) string {
	out := make([]string, 0, len(list))
	for i, name := range list {
		if i == 8 {
			out = append(out, "…")
			break
		}
		if plainArgument.MatchString(name) {
			out = append(out, name)
		} else {
			out = append(out, short(name))
		}
	}
	return strings.Join(out, ", ")
}
