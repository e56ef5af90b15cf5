// Package packs holds the curated policies for known servers, one file each.
package packs

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.yaml compiled/*.json
var files embed.FS

// Names lists the packs, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Source returns the policy file of a pack, and whether there is such a pack.
func Source(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".yaml")
	return data, err == nil
}

// Compiled returns a pack as policies read it: canonical JSON, the item that
// stands for it in a policy's value. go generate ./... makes it of the source.
// It says whether there is such a pack.
func Compiled(name string) ([]byte, bool) {
	data, err := files.ReadFile("compiled/" + name + ".json")
	return data, err == nil
}

// forAll are the packs that are about every server.
var forAll = []string{"secrets", "sensitive-files"}

// ForAll says whether a pack is about every server, whatever its tools. Such a
// pack counts only where a file names it in the list under packs:.
func ForAll(name string) bool { return slices.Contains(forAll, name) }
