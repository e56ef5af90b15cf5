package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// PackSDK returns the sources of the Go SDK in a directory as one text, without
// tests, by name: what [New] copies into a plugin.
func PackSDK(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, err
	}
	var a txtar.Archive
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: data})
	}
	if len(a.Files) == 0 {
		return nil, errors.New(dir + ": no Go files")
	}
	return txtar.Format(&a), nil
}
