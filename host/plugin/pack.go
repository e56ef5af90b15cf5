package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/regular"
)

// Bundled is where the folder's bundle goes: beside its module.
func (f *Folder) Bundled() string {
	return filepath.Join(f.Dir, f.Name()+"-"+f.Manifest.Version+bundle.BundleSuffix)
}

// texts are the files that a stranger asks for first, and what belongs in them.
var texts = []struct{ name, mend string }{
	{bundle.ReadmeFile, "say there what the plugin is for, and which settings it takes"},
	{bundle.LicenseFile, "put the text of the license there that others may use it under"},
}

// Nobody says whether a license names its holder as the template does: not at all.
func Nobody(license []byte) bool { return bytes.Contains(license, []byte("YEAR THE AUTHORS OF ")) }

// Parts is what a bundle of the folder is made of: a module and cases that were read
// from it, and the texts beside them. Everything in it is a file of the folder: a
// link could bring in what nobody means to publish.
func (f *Folder) Parts(m *Module, cases []CasesFile) (bundle.Files, error) {
	parts := bundle.Files{Manifest: []byte(f.Manifest.Text), Module: m.Data}
	errs := []error{f.own(ManifestFile), f.own(filepath.Base(m.Path)), f.own(CasesDir)}
	for _, c := range cases {
		name := CasesDir + "/" + filepath.Base(c.Path)
		errs = append(errs, f.own(name))
		parts.Cases = append(parts.Cases, bundle.File{Name: name, Data: c.Text})
	}
	for _, t := range texts {
		path := filepath.Join(f.Dir, t.name)
		data, err := regular.ReadFile(path, bundle.MaxText)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = fmt.Errorf("%s: no such file; %s", path, t.mend)
		case err == nil && len(data) == 0:
			err = fmt.Errorf("%s: empty; %s", path, t.mend)
		case err == nil:
			err = f.own(t.name)
		}
		errs = append(errs, err)
		if t.name == bundle.ReadmeFile {
			parts.Readme = data
		} else {
			parts.License = data
		}
	}
	return parts, errors.Join(errs...)
}

// own refuses a link in the folder.
func (f *Folder) own(name string) error {
	path := filepath.Join(f.Dir, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s: a symbolic link; put a copy of what it leads to there, so that it is plain what is published", path)
	}
	return err
}
