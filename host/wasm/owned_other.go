//go:build !unix

package wasm

import (
	"fmt"
	"os"
)

// owned says that a file or directory is no link. Who may write to it is a matter
// of the folder that it is in: a user's own, by default.
func owned(name string) error {
	info, err := os.Lstat(name)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("%q is not a file or directory", name)
	}
	return err
}
