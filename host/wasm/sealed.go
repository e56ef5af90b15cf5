package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
)

// Native code is sealed by its digest, and loaded under a name that nobody else
// knows: the engine checks a part of its files only, and compiles here, where
// nothing stops it, whatever it does not find.

const sealFile = "sha256" // in an entry with code: of its only other file

// seal writes the digest of the code that a child left, which has to be code for
// the engine of this process.
func seal(dir string) error {
	if err := folderOf(dir); err != nil {
		return err
	}
	code, err := theCode(dir)
	if err != nil {
		return fmt.Errorf("the process that compiles left %w; if callgate was replaced, start it again", err)
	}
	sum, err := digest(code)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sealFile), []byte(sum), 0o600)
}

// folderOf makes the folder that the engine of this process looks for code in.
func folderOf(dir string) error {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	return cache.Close(context.Background())
}

// theCode is the only file of code in a directory, in its only folder.
func theCode(dir string) (string, error) {
	var files []string
	folders := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			folders++
		case name != filepath.Join(dir, sealFile):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if len(files) != 1 || folders != 2 || filepath.Dir(filepath.Dir(files[0])) != dir {
		return "", fmt.Errorf("%d files in %d folders, and no code", len(files), folders-1)
	}
	return files[0], nil
}

// digest is of a file of code, and of its name, which says what module it is of.
func digest(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", filepath.Base(name))
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// borrow gives the code of an entry a second name in a new directory, where it
// stays whoever prunes, and sees that it is what was sealed.
func borrow(from string) (*entry, error) {
	code, err := theCode(from)
	if err != nil {
		return nil, err
	}
	want, err := os.ReadFile(filepath.Join(from, sealFile))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(from), freshPrefix)
	if err != nil {
		if dir, err = os.MkdirTemp("", freshPrefix); err != nil {
			return nil, err
		}
	}
	e := &entry{dir: dir, code: dir, from: from}
	mine := filepath.Join(dir, filepath.Base(filepath.Dir(code)), filepath.Base(code))
	if err = folderOf(dir); err == nil && os.Link(code, mine) != nil {
		err = copyFile(mine, code) // another file system, or one without links
	}
	if err == nil {
		var sum string
		if sum, err = digest(mine); err == nil && sum != string(want) {
			err = errors.New("the code is not what was sealed")
		}
	}
	if err != nil {
		return nil, errors.Join(err, e.remove())
	}
	return e, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
