package abi

// Verdict is what a contract says of a call, and, for the call as a whole, the
// headline with every other reason beside it. The ledger, `callgate eval` and
// the command line all show this struct; a client gets its [Projection].
type Verdict struct {
	ID       string     // the call's id, unique in a group
	Outcome  Outcome    // zero denies
	Contract string     // name of the contract that said so
	Code     string     // ^[A-Z][A-Z0-9_]{0,63}$
	Rule     string     // file:line: path of the rule, or the setting
	Reason   string     // for the operator and, made of host words, for the model
	At       []string   // pointers into the snapshot that caused it
	Witness  []Evidence // where the values came from
	Mend     string     // what a person can do about it
	Risk     string     // of the tool, if the policy states one
	Override bool       // an ask that stands in for a deny: not every channel may answer it
	Observed bool       // decided, but not enforced: mode observe
	Missing  bool       // text it needed is gone: the verdict cannot be replayed

	List        *ListOf // the verdict is about a list of the server; nil: it is not
	Obligations Obligations
	Plugin      *PluginReceipt // of a plugin's verdict, abstaining ones too
	Skipped     []string       // plugins that were not asked, since the call was denied without them
	Also        []Verdict      // every other verdict that was not abstain or has a receipt, in table order
}

// ListOf names a page of a list that a server answered, see [ListKinds].
type ListOf struct {
	Server string
	Kind   string
	All    bool // none of the page's items is shown
}

// The kinds of lists that plugins judge before the client is shown them.
const (
	ListTools     = "tools"
	ListResources = "resources"
	ListTemplates = "resource_templates"
	ListPrompts   = "prompts"
)

// ListKinds are the kinds of lists, by the methods that ask for them.
var ListKinds = map[string]string{
	"tools/list": ListTools, "resources/list": ListResources, "resources/templates/list": ListTemplates, "prompts/list": ListPrompts,
}

// ListMember is the member of a result that holds the items of a list.
func ListMember(kind string) string {
	if kind == ListTemplates {
		return "resourceTemplates"
	}
	return kind
}

// ItemName is the name of an item of a list, by which it is hidden: the URI of a
// resource, the template of a template. false: it has none.
func ItemName(kind string, item Value) (string, bool) {
	name := map[string]string{ListResources: "uri", ListTemplates: "uriTemplate"}[kind]
	if name == "" {
		name = "name"
	}
	v := item.Get(name)
	return v.Str(), v.IsString()
}

// Obligations is what happens together with an outcome. Obligations only
// tighten.
type Obligations struct {
	CallLabels    []string // added to the data of this call
	SessionLabels []string // added to the session
	Redact        []string // pointers into the result to replace by a marker
	Hide          []string // items of a list to hide
	Capabilities  []string // shown by the call, and new to the session, sorted
	Files         []FileLabels
	// Calls is how many calls of this tool a plugin leaves the session, counted
	// from the one that was judged; nil: as many as before.
	Calls *int64
}

// Empty says that there is nothing to do.
func (o Obligations) Empty() bool {
	return len(o.Capabilities)+len(o.CallLabels)+len(o.SessionLabels)+len(o.Redact)+len(o.Hide)+len(o.Files) == 0 && o.Calls == nil
}

// Enforced returns the outcome that is acted on.
func (v Verdict) Enforced() Outcome {
	if v.Observed {
		return Allow
	}
	return v.Outcome.Final()
}
