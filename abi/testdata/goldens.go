// Package testdata embeds the goldens of the plugin ABI: guests as binaries, what
// they are handed, and what they answer, of each version for ever. The folders
// hold their sources; build.sh compares the two.
package testdata

import "embed"

// Goldens has a folder for each version of the ABI, with goldens.json in it.
//
//go:embed */goldens.json */*/*.wasm
var Goldens embed.FS
