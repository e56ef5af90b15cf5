// Package packs holds the curated policies for known servers, one file each.
package packs

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names lists the packs, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}

// Source returns the policy file of a pack, and whether there is such a pack.
func Source(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".yaml")
	return data, err == nil
}
