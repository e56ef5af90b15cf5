package plugin

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callgate/callgate/abi"
)

//go:generate go run ./embed

// sdkGo is the Go SDK, as `go generate` copies it from sdk/go.
//
//go:embed template/sdk_go.txtar
var sdkGo []byte

// templateGo is what a new plugin in Go begins with. NAME stands for its name, and
// SHORT for the last segment of it.
//
//go:embed template/go.txtar
var templateGo []byte

// vendored is where the SDK lies in a plugin's folder.
const vendored = "vendor/github.com/callgate/callgate/sdk/go/"

// Langs are the languages that [New] knows.
var Langs = []string{"go"}

// File is a file of a new plugin.
type File struct {
	Name string // slash-separated
	Text []byte
}

// New returns the files of a new plugin. Its folder builds without the network,
// and its cases pass.
func New(lang, name string) ([]File, error) {
	if !slices.Contains(Langs, lang) {
		return nil, fmt.Errorf("%q: no template for it; want one of %s", lang, strings.Join(Langs, ", "))
	}
	if !abi.IsPluginName(name) {
		return nil, fmt.Errorf("%q: want NAME or SCOPE/NAME of lower-case letters, digits, '.', '_' and '-'", name)
	}
	var files []File
	with := strings.NewReplacer("{{NAME}}", name, "{{SHORT}}", lastSegment(name))
	for _, f := range txtar.Parse(templateGo).Files {
		files = append(files, File{f.Name, []byte(with.Replace(string(f.Data)))})
	}
	for _, f := range txtar.Parse(sdkGo).Files {
		files = append(files, File{vendored + f.Name, f.Data})
	}
	return files, nil
}

// Create writes the files of a new plugin into a directory, which must not be
// there.
func Create(dir string, files []File) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: it is there already; choose another name, or another --dir", dir)
		}
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
