package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/regular"
	"github.com/callgate/callgate/host/wasm/scan"
)

// The names of the files in a plugin's folder.
const (
	ManifestFile = "plugin.json"
	CasesDir     = "cases"
)

// Module is the file of a module.
type Module struct {
	Path     string
	Data     []byte
	Manifest *abi.Manifest // nil: see Why
	Why      error         // that there is no manifest
	File     string        // digest of the file, which a policy states
	Digest   string        // digest of the module without its manifest, "" if it can not be read
}

// ReadModule reads the file of a module. One that is broken is read all the same.
func ReadModule(path string) (*Module, error) {
	data, err := regular.ReadFile(path, scan.MaxModuleBytes)
	if err != nil {
		return nil, err
	}
	m := &Module{Path: path, Data: data, File: abi.DigestBytes(data)}
	m.Manifest, m.Digest, m.Why = abi.ReadModule(data)
	if m.Why != nil {
		if bare, err := scan.Strip(data); err == nil {
			m.Digest = abi.DigestBytes(bare)
		}
	}
	return m, nil
}

// Folder is a plugin's source folder.
type Folder struct {
	Dir      string
	Manifest *abi.Manifest
}

// ReadFolder reads the manifest of a plugin's folder.
func ReadFolder(dir string) (*Folder, error) {
	name := filepath.Join(dir, ManifestFile)
	data, err := regular.ReadFile(name, abi.MaxManifest)
	if err != nil {
		return nil, err
	}
	m, err := abi.ParseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Folder{dir, m}, nil
}

// Name is the last segment of the plugin's name, which its files are called by.
func (f *Folder) Name() string { return lastSegment(f.Manifest.Name) }

func lastSegment(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// Built is where the folder's module is, once it is built.
func (f *Folder) Built() string { return filepath.Join(f.Dir, f.Name()+".wasm") }

// Module reads the folder's module, which has to carry the folder's manifest.
func (f *Folder) Module() (*Module, error) {
	m, err := ReadModule(f.Built())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file; build it with callgate plugin build", f.Built())
	case err != nil:
		return nil, err
	case m.Why != nil:
		return nil, fmt.Errorf("%s: %w", m.Path, m.Why)
	case m.Manifest.Text != f.Manifest.Text:
		return nil, fmt.Errorf("%s: built with another %s than the one that is here; build it again with callgate plugin build", m.Path, ManifestFile)
	}
	return m, nil
}

// maxCases is how large a cases file may be: bytes.
const maxCases = 4 << 20

// CasesFile is a cases file of a folder.
type CasesFile struct {
	Path string
	Text []byte
	File *cases.PluginFile
}

// Cases reads the cases of the folder, by file name. Every mistake is an error
// with file and line.
func (f *Folder) Cases() ([]CasesFile, error) {
	names, err := filepath.Glob(filepath.Join(quoteGlob(f.Dir), CasesDir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var list []CasesFile
	var errs []error
	for _, name := range names {
		text, err := regular.ReadFile(name, maxCases)
		if err != nil {
			return nil, err
		}
		file, err := cases.LoadPlugin(name, text, f.Manifest)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, CasesFile{name, text, file})
	}
	return list, errors.Join(errs...)
}

// quoteGlob is a path as a pattern that matches it alone.
func quoteGlob(path string) string {
	if os.PathSeparator == '\\' {
		return path // there is no way to quote, and no name with * or ?
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Target is what a command line names: a folder, a module, or a bundle. Folder is
// nil for a bundle, and for a module whose folder is not there.
type Target struct {
	Folder *Folder
	Module *Module
	Bundle *bundle.Bundle // nil: none
	path   string         // of the bundle
}

// ReadTarget reads a folder with its module, or a module. A module that lies in
// its own folder is read with it.
func ReadTarget(path string) (*Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		f, err := ReadFolder(path)
		if err != nil {
			return nil, err
		}
		m, err := f.Module()
		return &Target{Folder: f, Module: m}, err
	}
	m, err := ReadModule(path)
	if err != nil || m.Manifest == nil {
		return &Target{Module: m}, err
	}
	f, err := ReadFolder(filepath.Dir(path))
	if err != nil || f.Manifest.Text != m.Manifest.Text {
		f = nil
	}
	return &Target{Folder: f, Module: m}, nil
}

// Cases are those of the target's folder or bundle, none without one.
func (t *Target) Cases() ([]CasesFile, error) {
	switch {
	case t.Bundle != nil:
		return t.bundledCases()
	case t.Folder == nil:
		return nil, nil
	}
	return t.Folder.Cases()
}
