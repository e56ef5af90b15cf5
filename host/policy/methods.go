package policy

// What to write instead of a known method under methods:.
const (
	mendTools     = "write a rule of the tool under tools:, or verdict: at the server"
	mendResources = "write it under resources:, such as resources: {verdict: deny}"
	mendPlain     = "it is always relayed, so remove it"
)

// knownMethods are the methods of MCP that a rule under methods: never judges,
// and the mend of one that is written there.
var knownMethods = map[string]string{
	"tools/call":             mendTools,
	"resources/read":         mendResources,
	"resources/subscribe":    mendResources,
	"subscriptions/listen":   mendResources,
	"prompts/get":            "write it under prompts:, such as prompts: {verdict: deny}",
	"completion/complete":    "write it under completions:, such as completions: {verdict: deny}",
	"sampling/createMessage": "write it under requests:, such as requests: {sampling: deny}",
	"elicitation/create":     "write it under requests:, such as requests: {elicitation: deny}",
	"roots/list":             "write it under requests:, such as requests: {roots: deny}",

	"initialize": mendPlain, "ping": mendPlain, "server/discover": mendPlain, "logging/setLevel": mendPlain,
	"tools/list":     "to keep a tool out of lists, write hide: true at it under tools:",
	"resources/list": mendPlain, "resources/templates/list": mendPlain, "resources/unsubscribe": mendPlain, "prompts/list": mendPlain,
	"tasks/get": mendPlain, "tasks/result": mendPlain, "tasks/list": mendPlain, "tasks/cancel": mendPlain, "tasks/update": mendPlain,
	"notifications/initialized": mendPlain, "notifications/progress": mendPlain, "notifications/cancelled": mendPlain,
	"notifications/roots/list_changed": mendPlain, "notifications/tasks/status": mendPlain, "notifications/elicitation/complete": mendPlain,
}

// KnownMethods lists the methods that methods: refuses to name, for tests of
// those that give calls their kind.
func KnownMethods() []string { return sortedKeys(knownMethods) }
