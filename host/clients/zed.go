package clients

// zed has its servers among its settings, which are below ~/.config on a Mac too.
// See https://zed.dev/docs/ai/mcp.
func zed() Client {
	layout := Layout{JSON, [][]string{{"context_servers"}}}
	return Client{"zed", []File{
		{Base: InHome, Path: ".config/zed/settings.json", Layout: layout},
		{Base: InConfig, Path: "zed/settings.json", Layout: layout},
		{Base: InConfig, Platform: "windows", Path: "Zed/settings.json", Layout: layout},
		{Base: InProject, Path: ".zed/settings.json", Layout: layout},
	}}
}
