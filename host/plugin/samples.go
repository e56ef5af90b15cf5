package plugin

import (
	"time"

	"github.com/callgate/callgate/abi"
)

// Sample is a snapshot that a plugin could be asked about.
type Sample struct {
	Name     string // phase, or phase and kind
	Snapshot *abi.Snapshot
}

// View is what the plugin sees of a sample, with its settings.
func (s *Sample) View(m *abi.Manifest, settings abi.Value) abi.Value {
	with := *s.Snapshot
	with.Settings = settings
	return with.View(m)
}

// must is a value of the text below.
func must(text string) abi.Value {
	v, err := abi.Parse([]byte(text))
	if err != nil {
		panic(err) // a constant
	}
	return v
}

// sampleCalls have one ordinary call of each kind.
func sampleCalls() map[abi.CallKind]abi.Call {
	return map[abi.CallKind]abi.Call{
		abi.KindTool:        {Server: "mail", Tool: "send_email", Arguments: must(`{"to":"ada@example.org","subject":"notes","body":"the notes of Monday","copies":2,"draft":false,"tags":["a","b"]}`)},
		abi.KindResource:    {Server: "docs", URI: "file:///srv/docs/notes.md", Action: "read"},
		abi.KindPrompt:      {Server: "docs", Name: "summarise", Arguments: must(`{"style":"short"}`)},
		abi.KindCompletion:  {Server: "docs", Ref: must(`{"type":"ref/prompt","name":"summarise"}`), Argument: must(`{"name":"style","value":"s"}`)},
		abi.KindSampling:    {Server: "docs", Params: must(`{"maxTokens":100,"messages":[{"role":"user","content":{"type":"text","text":"Write one line."}}]}`)},
		abi.KindElicitation: {Server: "docs", Params: must(`{"message":"Which folder?","requestedSchema":{"type":"object","properties":{"folder":{"type":"string"}}}}`)},
		abi.KindRoots:       {Server: "docs"},
		abi.KindMethod:      {Server: "lab", Method: "lab/measure", Params: must(`{"sample":3}`)},
	}
}

// sampleResults are ordinary results, by kind.
func sampleResults() map[abi.CallKind]abi.Value {
	return map[abi.CallKind]abi.Value{
		abi.KindTool:       must(`{"isError":false,"content":[{"type":"text","text":"sent"}],"structuredContent":{"id":"m-1"}}`),
		abi.KindResource:   must(`{"contents":[{"uri":"file:///srv/docs/notes.md","mimeType":"text/markdown","text":"# Notes\n"}]}`),
		abi.KindPrompt:     must(`{"messages":[{"role":"user","content":{"type":"text","text":"Summarise this."}}]}`),
		abi.KindCompletion: must(`{"completion":{"values":["short"],"hasMore":false}}`),
		abi.KindMethod:     must(`{"value":1.5}`),
	}
}

// sampleSession is a session that has done something.
func sampleSession() abi.Session {
	return abi.Session{
		ID: "s-sample", Principal: abi.Principal{Identity: "local", Subject: "ada"}, Labels: []string{"saw_untrusted"}, Calls: 2, Denied: 1, ThisTool: 1,
		Recent: []abi.Recent{{ID: "a41f09-3", Server: "web", Tool: "fetch", Outcome: abi.Allow}, {ID: "a41f09-9", Server: "mail", Tool: "send_email", Outcome: abi.Deny}},
	}
}

// sampleTaint says where the first argument of a tool came from.
func sampleTaint() []abi.Finding {
	return []abi.Finding{{At: "/to", Kind: "mail", Origin: abi.OriginTainted, Evidence: []abi.Evidence{{
		Call: "a41f09-3", Server: "web", Tool: "fetch", Pointer: "/content/0/text", Offset: 118, Length: 15, Position: abi.Prose,
	}}}}
}

// Samples are ordinary snapshots of each phase and kind that the plugin judges.
func Samples(m *abi.Manifest) []Sample {
	var list []Sample
	calls, results := sampleCalls(), sampleResults()
	base := abi.Snapshot{
		Time: time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC), Session: sampleSession(),
		Definition: abi.Definition{State: abi.PinOK, Pin: abi.DigestBytes(nil), Annotations: must(`{"destructiveHint":false}`), Schema: must(`{"type":"object","properties":{"to":{"type":"string"}}}`)},
	}
	for _, phase := range m.Phases {
		if phase == abi.PhaseList {
			list = append(list, sampleLists(base)...)
			continue
		}
		for _, kind := range abi.Kinds {
			result := results[kind]
			if !m.Judges(kind) || phase == abi.PhaseResult && !result.Exists() {
				continue
			}
			s := base
			s.Phase, s.Call = phase, calls[kind]
			s.Call.Kind, s.Call.Seq, s.Call.ID = kind, 12, "a41f09-12"
			if v, _ := s.Call.Values(); v.Exists() {
				s.Call.Digest = v.Digest()
			}
			if kind == abi.KindTool {
				s.Taint = sampleTaint()
			} else {
				s.Definition = abi.Definition{}
			}
			if phase == abi.PhaseResult {
				s.Result = result
			}
			list = append(list, Sample{string(phase) + " " + string(kind), &s})
		}
	}
	return list
}

// sampleLists are lists of each kind.
func sampleLists(base abi.Snapshot) (list []Sample) {
	for _, l := range []struct {
		kind  string
		calls abi.CallKind
		items string
	}{
		{abi.ListTools, abi.KindTool, `[{"name":"send_email","description":"Send a mail.","inputSchema":{"type":"object","properties":{"to":{"type":"string"}}}},{"name":"read_inbox","inputSchema":{"type":"object"}}]`},
		{abi.ListResources, abi.KindResource, `[{"uri":"file:///srv/docs/notes.md","name":"notes"}]`},
		{abi.ListTemplates, abi.KindResource, `[{"uriTemplate":"file:///srv/docs/{name}.md","name":"a note"}]`},
		{abi.ListPrompts, abi.KindPrompt, `[{"name":"summarise","arguments":[{"name":"style"}]}]`},
	} {
		s := base
		s.Phase, s.Definition = abi.PhaseList, abi.Definition{}
		s.Call = abi.Call{Kind: l.calls, Server: "mail", Seq: 4, ID: "a41f09-4"}
		s.List = must(`{"kind":"` + l.kind + `","items":` + l.items + `}`)
		list = append(list, Sample{"list " + l.kind, &s})
	}
	return list
}
