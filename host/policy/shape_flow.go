package policy

// The types of labels:, flows:, chains: and when:. See shape.go for the tags.

type labelEntry struct {
	Name     string              `key:"name" is:"name" doc:"Unique in the policy. Required."`
	From     []string            `key:"from" is:"tool" doc:"An allowed call of one of these gives the label to its data and to the session: server/tool, both halves globs. Required."`
	Where    map[string][]string `key:"where" keys:"argument" is:"where" one:"list" doc:"Only calls whose arguments match: by class of arguments (path, url, repo and so on), argument name or JSON Pointer, a pattern or a list of them. Every member must match."`
	Audience []string            `key:"audience" is:"trusted" doc:"Who may have the data: a call whose every destination is one of these is let through by flows. Exact, *@domain or *.domain."`
}

type flow struct {
	Name    string              `key:"name" is:"name" doc:"Unique in the policy. Required."`
	Label   string              `key:"label" is:"label" doc:"The label that may not flow. Required."`
	To      []string            `key:"to" is:"tool" doc:"Where it may not flow: server/tool, both halves globs. Required."`
	Scope   *string             `key:"scope" enum:"session|value" doc:"session: while the session holds the label. value: only if the arguments hold data of the label. Absent: session."`
	Verdict *string             `key:"verdict" enum:"deny|ask" doc:"Absent: deny."`
	When    *held               `key:"when" doc:"Only while the session holds these labels too."`
	Where   map[string][]string `key:"where" keys:"argument" is:"where" one:"list" doc:"Only calls whose arguments match, as under labels:."`
}

type chain struct {
	Name    string   `key:"name" is:"name" doc:"Unique in the policy. Required."`
	From    []string `key:"from" is:"tool" doc:"The call that comes first: server/tool, both halves globs. Required."`
	To      []string `key:"to" is:"tool" doc:"The call that must not follow. Required."`
	Within  *int64   `key:"within" is:"count" doc:"Among how many of the last allowed calls the first one counts. Absent: all of the session."`
	Verdict *string  `key:"verdict" enum:"deny|ask" doc:"Absent: deny."`
}

// held is a condition on the session.
type held struct {
	Labels []string `key:"labels" is:"label" doc:"The session must hold all of them. Required."`
}
