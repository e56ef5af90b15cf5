package policy

import "gopkg.in/yaml.v3"

// visorFiles, visorSecrets and visorOutputs are what MCP Visor guards where a
// file does not say otherwise.
var visorFiles = []string{
	"**/.env", "**/.env.*", "**/credentials", "**/secrets", "**/.aws/credentials", "**/.ssh/**", "**/.docker/config.json",
	"**/kubeconfig", "**/.npmrc", "**/*.pem", "**/*.key",
}

type visorPattern struct{ name, pattern string }

var visorSecrets = []visorPattern{
	{"openai-key", `sk-[a-zA-Z0-9_-]{20,}`},
	{"github-token", `ghp_[a-zA-Z0-9]{36}`},
	{"slack-token", `xox[baprs]-[a-zA-Z0-9-]+`},
	{"aws-key", `AKIA[0-9A-Z]{16}`},
	{"jwt", `eyJ[a-zA-Z0-9_-]+\.eyJ[a-zA-Z0-9_-]+\.[a-zA-Z0-9_-]+`},
	{"private-key", `-----BEGIN (RSA|EC|DSA|OPENSSH) PRIVATE KEY-----`},
	{"connection-string", `(mongodb|postgresql|mysql|redis|jdbc)://[^:]+:[^@]+@[^\s]+`},
	{"internal-address", `(10\.\d{1,3}\.\d{1,3}\.\d{1,3}|172\.(1[6-9]|2\d|3[01])\.\d{1,3}\.\d{1,3}|192\.168\.\d{1,3}\.\d{1,3})`},
}

var visorOutputs = []visorPattern{
	{"named-secret", `(password|secret|token|key|credential)\s*[:=]\s*["']?([^"'\s]+)["']?`},
}

func builtinPatterns(root *yaml.Node, patterns []visorPattern, in ...string) []*yaml.Node {
	var out []*yaml.Node
	for _, p := range patterns {
		out = append(out, mapAt(root,
			"name", textAt(root, "visor-"+p.name), "pattern", textAt(root, p.pattern), "with", textAt(root, "[redacted: "+p.name+"]"), "in", textsAt(root, in...), "except", listAt(root)))
	}
	return out
}
