package clients

// windsurf has one file, and its plugin for JetBrains another.
// See https://docs.windsurf.com/windsurf/cascade/mcp.
func windsurf() Client {
	return Client{"windsurf", []File{
		{Base: InHome, Path: ".codeium/windsurf/mcp_config.json", Layout: mcpServers()},
		{Base: InHome, Path: ".codeium/mcp_config.json", Layout: mcpServers()},
	}}
}
