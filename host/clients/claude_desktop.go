package clients

// claudeDesktop has one file. The app of the Windows Store has a copy of its own,
// since Windows redirects what a packaged app writes to %AppData%.
// See https://modelcontextprotocol.io/docs/develop/connect-local-servers.
func claudeDesktop() Client {
	const file = "Claude/claude_desktop_config.json"
	return Client{"claude-desktop", []File{
		{Base: InConfig, Path: file, Layout: mcpServers()},
		{Base: InLocal, Platform: "windows", Path: "Packages/Claude_*/LocalCache/Roaming/" + file, Layout: mcpServers()},
	}}
}
