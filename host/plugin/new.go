package plugin

import (
	"embed"
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

// templates are LANG.txtar of each language and common.txtar of all, which
// [New] makes the files of a new plugin of.
//
//go:embed template/*.txtar
var templates embed.FS

// Langs are the languages that [New] knows.
var Langs = []string{"go", "rust", "assemblyscript", "c", "wat"}

// parts is where a template has what stands in files of others: {{X}} is the text
// of parts/X.
const parts = "parts/"

// licensePart is Callgate's license, which goes along with copies of its SDKs.
const licensePart = parts + "LICENSE"

// File is a file of a new plugin.
type File struct {
	Name string // slash-separated
	Text []byte
}

// New returns the files of a new plugin. It is the same plugin in every language,
// with the same cases, which pass. Its folder builds without the network, but for
// the compiler of AssemblyScript.
func New(lang, name string) ([]File, error) {
	if !slices.Contains(Langs, lang) {
		return nil, fmt.Errorf("%q: no template for it; want one of %s", lang, strings.Join(Langs, ", "))
	}
	if !abi.IsPluginName(name) {
		return nil, fmt.Errorf("%q: want %s", name, abi.PluginNameForm)
	}
	own, err := templateFiles(lang)
	if err != nil {
		return nil, err
	}
	common, err := templateFiles("common")
	if err != nil {
		return nil, err
	}
	all := append(own, common...)
	words := []string{"{{NAME}}", name, "{{SHORT}}", lastSegment(name), "{{LANG}}", lang, "{{ABI}}", abi.Version, "{{MARKER}}", abi.MarkerExport}
	for _, f := range all {
		if part, ok := strings.CutPrefix(f.Name, parts); ok && f.Name != licensePart {
			words = append(words, "{{"+part+"}}", strings.TrimSuffix(string(f.Data), "\n"))
		}
	}
	with := strings.NewReplacer(words...)
	var files []File
	var license []byte
	for _, f := range all {
		switch {
		case f.Name == licensePart:
			license = f.Data
		case !strings.HasPrefix(f.Name, parts):
			files = append(files, File{f.Name, []byte(with.Replace(string(f.Data)))})
		}
	}
	vendored, err := sdkOf(lang, license)
	return append(files, vendored...), err
}

// templateFiles reads one of the templates.
func templateFiles(name string) ([]txtar.File, error) {
	text, err := templates.ReadFile("template/" + name + ".txtar")
	return txtar.Parse(text).Files, err
}

// Create writes the files of a new plugin into a directory, which must not be
// there. They are written beside it, and it is there once they all are.
func Create(to string, files []File) (err error) {
	to = filepath.Clean(to)
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s: it is there already; choose another name, or another --dir", to)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), ".callgate-new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := os.Chmod(dir, 0o755); err != nil {
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
	return os.Rename(dir, to)
}
