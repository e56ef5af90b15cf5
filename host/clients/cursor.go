package clients

// cursor has a file of the user and one of the project.
// See https://docs.cursor.com/context/model-context-protocol.
func cursor() Client {
	return Client{"cursor", []File{
		{Base: InHome, Path: ".cursor/mcp.json", Layout: mcpServers()},
		{Base: InProject, Path: ".cursor/mcp.json", Layout: mcpServers()},
		{Base: InConfig, Path: "Cursor/User/settings.json", Layout: none()},
	}}
}
