package plugin

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callgate/callgate/sdk"
)

// sdkFolders is where the SDK of a language lies in a plugin's folder. WAT has none.
var sdkFolders = map[string]string{
	"go":             "vendor/github.com/callgate/callgate/sdk/go/",
	"rust":           "vendor/callgate/",
	"assemblyscript": "vendor/callgate/",
	"c":              "vendor/callgate/",
}

// copyEnds is in a file of which a copy has only what stands before it.
var copyEnds = []byte("\n# ---- What callgate plugin new copies ends here")

// sdkOf returns the SDK of a language as a plugin's folder has it, with its license.
func sdkOf(lang string, license []byte) ([]File, error) {
	dir, ok := sdkFolders[lang]
	if !ok {
		return nil, nil
	}
	files := []File{{dir + "LICENSE", license}}
	if lang == "go" {
		archive, err := templateFiles("sdk_go")
		for _, f := range archive {
			files = append(files, File{dir + f.Name, f.Data})
		}
		return files, err
	}
	err := fs.WalkDir(sdk.Files, lang, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := sdk.Files.ReadFile(name)
		text, _, _ = bytes.Cut(text, copyEnds)
		files = append(files, File{path.Join(dir, strings.TrimPrefix(name, lang+"/")), text})
		return err
	})
	return files, err
}

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
