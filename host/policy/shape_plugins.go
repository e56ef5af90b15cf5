package policy

import "github.com/callgate/callgate/abi"

// The types of plugins:. See shape.go for the tags.

type plugin struct {
	Name   string    `key:"name" is:"name" doc:"Unique in the policy. Verdicts show it as the contract, and labels that the plugin gives start with it. Required."`
	Use    string    `key:"use" is:"use" doc:"A module (.wasm) or a bundle (.cgp), relative to this file, or a bundle in a registry: oci://registry/repository:tag. callgate.lock beside this file pins bundles. Required."`
	Digest string    `key:"digest" is:"digest" doc:"sha256: and the digest of the module's file. Absent: whatever the file holds when the policy is loaded."`
	On     *pluginOn `key:"on" doc:"What it is asked about, as far as its manifest says that it judges that. Required."`
	With   abi.Value `key:"with" is:"settings" doc:"Its settings, as its manifest describes them."`
	Mode   *string   `key:"mode" enum:"enforce|observe" doc:"observe: what it says is recorded and not enforced. Absent: enforce."`
}

type pluginOn struct {
	Tools       []string `key:"tools" is:"tool" doc:"Calls of tools and their results: server/tool, both halves globs."`
	Resources   []string `key:"resources" is:"half" doc:"Reads of resources and what comes back, by server, a glob."`
	Prompts     []string `key:"prompts" is:"half" doc:"Prompts and what comes back, by server."`
	Completions []string `key:"completions" is:"half" doc:"Completions, by server."`
	Sampling    []string `key:"sampling" is:"half" doc:"Requests of the server to have the client's model write."`
	Elicitation []string `key:"elicitation" is:"half" doc:"Requests of the server to ask the user."`
	Roots       []string `key:"roots" is:"half" doc:"Requests of the server to see the client's directories."`
	Methods     []string `key:"methods" is:"half" doc:"Methods that Callgate does not know, by server."`
	Lists       []string `key:"lists" is:"half" doc:"Lists of tools, resources and prompts before the client is shown them, by server."`
}
