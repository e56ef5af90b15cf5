package clients

// codex has a table [mcp_servers.NAME] for each server.
// See https://developers.openai.com/codex/mcp.
func codex() Client {
	layout := Layout{TOML, [][]string{{"mcp_servers"}}}
	return Client{"codex", []File{
		{Base: InHome, Path: ".codex/config.toml", Layout: layout},
		{Base: InProject, Path: ".codex/config.toml", Layout: layout},
	}}
}
