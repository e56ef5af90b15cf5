//go:build !windows

package facts

import (
	"errors"
	"io/fs"
	"os"
)

// system looks at this machine.
func system(p string) (string, kind) {
	info, err := os.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", missing
	case err != nil:
		return "", unknown
	case info.IsDir():
		return "", isNode
	case info.Mode()&fs.ModeSymlink == 0:
		return "", isFile
	}
	target, err := os.Readlink(p)
	if err != nil {
		return "", unknown
	}
	return target, isLink
}
