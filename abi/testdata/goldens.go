// Package testdata embeds the goldens of the plugin ABI: guests as binaries, what
// they are handed, and what they answer, of each version for ever. The folders
// hold their sources; build.sh builds them again.
package testdata

import "embed"

// Goldens has a folder for each version of the ABI, with goldens.json in it.
//
//go:embed 0.1/goldens.json 0.1/*/*.wasm
var Goldens embed.FS
