package clients

// gemini has its servers among its settings.
// See https://geminicli.com/docs/tools/mcp-server.
func gemini() Client {
	return Client{"gemini", []File{
		{Base: InHome, Path: ".gemini/settings.json", Layout: mcpServers()},
		{Base: InProject, Path: ".gemini/settings.json", Layout: mcpServers()},
	}}
}
