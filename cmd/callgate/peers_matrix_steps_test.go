package main_test

import (
	"path/filepath"
	"testing"
)

// kinds are what peers do with each other, in the order of the matrix.
var kinds = []string{
	"connect", "list", "call", "deny", "ask accepted", "ask declined", "progress", "cancellation", "sampling", "elicitation",
	"roots", "resources", "subscription", "prompts", "completion", "tasks",
}

func of(kind, what string, value any) object { return object{"kind": kind, what: value} }

func calls(kind, tool string, arguments object) object {
	return of(kind, "call", object{"name": tool, "arguments": arguments})
}

func requests(kind, method string, params object) object {
	return of(kind, "request", object{"method": method, "params": params})
}

// with adds members to a step.
func with(step object, member string, value any) object {
	step[member] = value
	return step
}

func awaits(kind, method, matching string) object {
	return of(kind, "until", object{"method": method, "matching": matching})
}

// judged are a server's tools that a policy denies or asks about, with their
// arguments; one that is asked about is accepted and one declined.
type judged struct {
	deny, accept, decline string
	arguments             map[string]object
}

func (j judged) steps() []object {
	return []object{
		calls("deny", j.deny, j.arguments[j.deny]),
		calls("ask accepted", j.accept, j.arguments[j.accept]),
		calls("ask declined", j.decline, j.arguments[j.decline]),
	}
}

// policy denies and asks, and lets everything else pass.
func (j judged) policy(server string) string {
	policy := allowEverything + "tools:\n"
	for _, rule := range [][2]string{{j.deny, "deny"}, {j.accept, "ask"}, {j.decline, "ask"}} {
		policy += "  " + server + "/" + rule[0] + ": {verdict: " + rule[1] + "}\n"
	}
	return policy
}

// matrixServer is a server of the matrix. Where http is nil, it has stdio only.
type matrixServer struct {
	name  string
	stdio func(t *testing.T, p peers) (command, env []string)
	http  func(t *testing.T, p peers) (command, env []string)
	judged
	steps  func(modern bool) []object
	modern bool // it has 2026-07-28
	python bool
}

// words is a command that needs nothing prepared.
func words(command func(p peers) []string, env ...string) func(*testing.T, peers) ([]string, []string) {
	return func(_ *testing.T, p peers) ([]string, []string) { return command(p), env }
}

func everythingServer() matrixServer {
	features := object{"uri": "demo://resource/static/document/features.md"}
	return matrixServer{
		name:  "everything",
		stdio: words(func(p peers) []string { return p.server("everything", "stdio") }),
		http: func(t *testing.T, p peers) ([]string, []string) {
			return p.server("everything", "streamableHttp"), []string{"PORT=" + freePort(t)}
		},
		judged: judged{"get-env", "get-sum", "get-tiny-image", map[string]object{"get-env": {}, "get-sum": {"a": 2, "b": 3}, "get-tiny-image": {}}},
		steps: func(bool) []object {
			return []object{
				awaits("roots", "roots/list", ""),
				requests("list", "tools/list", object{}),
				calls("call", "echo", object{"message": "\u2028 <b> \U0001f600"}),
				with(calls("progress", "trigger-long-running-operation", object{"duration": 0.3, "steps": 3}), "progress", true),
				with(calls("cancellation", "trigger-long-running-operation", object{"duration": 1, "steps": 10}), "abortAfter", 1),
				calls("sampling", "trigger-sampling-request", object{"prompt": "hello"}),
				calls("elicitation", "trigger-elicitation-request", object{}),
				calls("roots", "get-roots-list", object{}),
				requests("resources", "resources/list", object{}),
				requests("resources", "resources/templates/list", object{}),
				requests("resources", "resources/read", features),
				requests("resources", "resources/read", object{"uri": "demo://no-such-resource"}),
				requests("subscription", "resources/subscribe", features),
				requests("subscription", "resources/unsubscribe", features),
				requests("prompts", "prompts/list", object{}),
				requests("prompts", "prompts/get", object{"name": "args-prompt", "arguments": object{"city": "Paris"}}),
				requests("completion", "completion/complete", object{
					"ref": object{"type": "ref/prompt", "name": "completable-prompt"}, "argument": object{"name": "department", "value": "E"},
				}),
				of("tasks", "task", object{"name": "simulate-research-query", "arguments": object{"topic": "gates"}}),
			}
		},
	}
}

func filesystemServer() matrixServer {
	return matrixServer{
		name: "filesystem",
		// It is told where it may look by the roots of its client, which are the same.
		stdio: words(func(p peers) []string { return p.server("filesystem", p.dir) }),
		judged: judged{"list_directory", "list_allowed_directories", "get_file_info", map[string]object{
			"list_directory": {"path": "."}, "list_allowed_directories": {}, "get_file_info": {"path": "package.json"},
		}},
		steps: func(bool) []object {
			return []object{
				awaits("roots", "roots/list", ""),
				requests("list", "tools/list", object{}),
				calls("call", "read_text_file", object{"path": "package.json"}),
				calls("call", "read_text_file", object{"path": "/no/such/place"}),
			}
		},
	}
}

func memoryServer() matrixServer {
	entity := object{"entities": []object{{"name": "Ada", "entityType": "person", "observations": []string{"wrote notes"}}}}
	return matrixServer{
		name: "memory",
		stdio: func(t *testing.T, p peers) ([]string, []string) {
			return p.server("memory"), []string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "graph.json")}
		},
		judged: judged{"delete_entities", "search_nodes", "open_nodes", map[string]object{
			"delete_entities": {"entityNames": []string{"Grace"}}, "search_nodes": {"query": "ada"}, "open_nodes": {"names": []string{"Ada"}},
		}},
		steps: func(bool) []object {
			return []object{
				requests("list", "tools/list", object{}),
				calls("call", "create_entities", entity),
				calls("call", "read_graph", object{}),
			}
		},
	}
}

func fixturesServer() matrixServer {
	watched := object{"uri": "test://watched-resource"}
	serve := func(p peers) []string { return []string{p.node, filepath.Join(p.dir, "conformance-server.mjs")} }
	return matrixServer{
		name:   "SDK v2 server",
		modern: true,
		stdio:  words(func(p peers) []string { return append(serve(p), "stdio") }),
		http:   words(func(p peers) []string { return append(serve(p), "0") }),
		judged: judged{"test_image_content", "test_simple_text", "test_audio_content", map[string]object{
			"test_image_content": {}, "test_simple_text": {}, "test_audio_content": {},
		}},
		steps: func(modern bool) []object {
			steps := []object{
				requests("list", "tools/list", object{}),
				calls("call", "test_multiple_content_types", object{}),
				calls("call", "test_error_handling", object{}),
				calls("call", "test_mirrored_header", object{"region": " caf\u00e9 "}),
				with(calls("progress", "test_tool_with_progress", object{}), "progress", true),
				with(calls("cancellation", "test_until_cancelled", object{}), "abortAfter", 2),
				calls("cancellation", "test_cancelled", object{}),
				calls("sampling", "test_input_required_result_sampling", object{}),
				calls("elicitation", "test_input_required_result_multi_round", object{}),
				calls("elicitation", "test_input_required_result_multiple_inputs", object{}),
				calls("roots", "test_input_required_result_list_roots", object{}),
				requests("resources", "resources/list", object{}),
				requests("resources", "resources/templates/list", object{}),
				requests("resources", "resources/read", object{"uri": "test://static-binary"}),
				requests("resources", "resources/read", object{"uri": "test://template/7/data"}),
				requests("resources", "resources/read", object{"uri": "test://no-such-resource"}),
				requests("prompts", "prompts/list", object{}),
				requests("prompts", "prompts/get", object{"name": "test_prompt_with_arguments", "arguments": object{"arg1": "a", "arg2": "b"}}),
				requests("prompts", "prompts/get", object{"name": "test_input_required_result_prompt"}),
				requests("completion", "completion/complete", object{
					"ref": object{"type": "ref/prompt", "name": "test_prompt_with_arguments"}, "argument": object{"name": "arg1", "value": "pa"},
				}),
			}
			if modern {
				steps = append(steps, of("subscription", "listen", object{"toolsListChanged": true, "resourceSubscriptions": []any{watched["uri"]}}))
			} else {
				steps = append(steps, requests("subscription", "resources/subscribe", watched))
			}
			return append(steps,
				calls("subscription", "test_trigger_resource_update", object{}),
				awaits("subscription", "notifications/resources/updated", "watched"),
				calls("subscription", "test_trigger_tool_change", object{}),
				awaits("subscription", "notifications/tools/list_changed", ""))
		},
	}
}

func mcpGoServer() matrixServer {
	over := func(addr string) func(*testing.T, peers) ([]string, []string) {
		return func(t *testing.T, p peers) ([]string, []string) {
			return []string{p.fixture(t)}, []string{"CONFORMANCE_ADDR=" + addr}
		}
	}
	return matrixServer{
		name:   "mcp-go server",
		modern: true,
		stdio:  over("stdio"),
		http:   over("127.0.0.1:0"),
		judged: judged{"test_image_content", "test_simple_text", "test_audio_content", map[string]object{
			"test_image_content": {}, "test_simple_text": {}, "test_audio_content": {},
		}},
		steps: func(modern bool) []object {
			steps := []object{
				requests("list", "tools/list", object{}),
				calls("call", "test_multiple_content_types", object{}),
				calls("call", "test_error_handling", object{}),
				requests("resources", "resources/list", object{}),
				requests("resources", "resources/read", object{"uri": "test://static-text"}),
				requests("resources", "resources/read", object{"uri": "test://template/7/data"}),
				requests("prompts", "prompts/list", object{}),
				requests("prompts", "prompts/get", object{"name": "test_prompt_with_arguments", "arguments": object{"arg1": "a", "arg2": "b"}}),
				requests("completion", "completion/complete", object{
					"ref": object{"type": "ref/prompt", "name": "test_prompt_with_arguments"}, "argument": object{"name": "arg1", "value": "t"},
				}),
			}
			if !modern { // it has these as requests of its own only
				steps = append(steps,
					calls("sampling", "test_sampling", object{"prompt": "hello"}),
					calls("elicitation", "test_elicitation", object{"message": "who"}))
			}
			return steps
		},
	}
}
