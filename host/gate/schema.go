package gate

import "github.com/callgate/callgate/abi"

// Schema returns the input schema that a tool is judged by, absent if it has
// none.
func (s *State) Schema(server, tool string) abi.Value {
	return s.definition(server, tool).Get("inputSchema")
}

// PolicyDigest returns the digest of the policy in force.
func (s *State) PolicyDigest() string { return s.digest }
