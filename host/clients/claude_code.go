package clients

// claudeCode has its user's servers at the top of a file that also keeps what it
// remembers of each project, and a project's servers in a file of the project.
// See https://code.claude.com/docs/en/mcp, "MCP installation scopes".
func claudeCode() Client {
	return Client{"claude-code", []File{
		{Base: InHome, Path: ".claude.json", Layout: Layout{JSON, [][]string{{"mcpServers"}, {"projects", "*", "mcpServers"}}}},
		{Base: InProject, Path: ".mcp.json", Layout: mcpServers()},
		// They enable and disable servers.
		{Base: InHome, Path: ".claude/settings.json", Layout: none()},
		{Base: InHome, Path: ".claude/settings.local.json", Layout: none()},
	}}
}
