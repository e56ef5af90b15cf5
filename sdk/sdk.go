// Package sdk holds the sources that a new plugin gets a copy of, in languages
// other than Go: those of sdk/go are another module's, of which nothing can be
// embedded.
package sdk

import "embed"

// Files are the sources, by their path below sdk.
//
//go:embed assemblyscript/assembly/*.ts assemblyscript/package.json assemblyscript/tests/host.mjs
//go:embed c/callgate.h
//go:embed rust/Cargo.toml rust/src/*.rs
var Files embed.FS
