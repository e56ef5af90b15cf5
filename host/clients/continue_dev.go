package clients

// continueDev has a list of servers in its configuration, and one file for each
// server, or several, beside it.
// See https://docs.continue.dev/customize/deep-dives/mcp.
func continueDev() Client {
	layout := Layout{YAML, [][]string{{"mcpServers"}}}
	out := Client{"continue", []File{
		{Base: InHome, Path: ".continue/config.yaml", Layout: layout},
		// It was read before there was a config.yaml.
		{Base: InHome, Path: ".continue/config.json", Layout: none()},
	}}
	for _, base := range []Base{InHome, InProject} {
		out.Files = append(out.Files,
			File{Base: base, Path: ".continue/mcpServers/*.yaml", Layout: layout},
			File{Base: base, Path: ".continue/mcpServers/*.yml", Layout: layout},
			File{Base: base, Path: ".continue/mcpServers/*.json", Layout: mcpServers()},
		)
	}
	return out
}
