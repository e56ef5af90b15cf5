package clients

// vscode has a file for servers in each profile and workspace; before version
// 1.102 they were among the settings.
// See https://code.visualstudio.com/docs/copilot/customization/mcp-servers.
func vscode() Client {
	own := Layout{JSON, [][]string{{"servers"}}}
	settings := Layout{JSON, [][]string{{"mcp", "servers"}}}
	out := Client{"vscode", nil}
	for _, edition := range []string{"Code", "Code - Insiders"} {
		out.Files = append(out.Files,
			File{Base: InConfig, Path: edition + "/User/mcp.json", Layout: own},
			File{Base: InConfig, Path: edition + "/User/profiles/*/mcp.json", Layout: own},
			File{Base: InConfig, Path: edition + "/User/settings.json", Layout: settings},
		)
	}
	out.Files = append(out.Files,
		File{Base: InProject, Path: ".vscode/mcp.json", Layout: own},
		File{Base: InProject, Path: ".vscode/settings.json", Layout: settings},
	)
	return out
}
