package clients

// cline keeps its servers in the storage that the editor gives its extension.
// See https://docs.cline.bot/mcp/adding-and-configuring-servers.
func cline() Client {
	const file = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
	return Client{"cline", []File{
		{Base: InConfig, Path: "Code/User/" + file, Layout: mcpServers()},
		{Base: InConfig, Path: "Code - Insiders/User/" + file, Layout: mcpServers()},
		{Base: InConfig, Path: "Cursor/User/" + file, Layout: mcpServers()},
		{Base: InHome, Path: ".cline/data/settings/cline_mcp_settings.json", Layout: mcpServers()},
	}}
}
