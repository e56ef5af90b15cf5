//go:build unix

package wasm

import (
	"fmt"
	"os"
	"syscall"
)

// owned says that a file or directory belongs to this user, and that nobody else
// can read or write it. A link is neither.
func owned(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir() && !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a file or directory", name)
	case !ok || int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%q belongs to someone else", name)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%q has the mode %#o; want %#o", name, info.Mode().Perm(), info.Mode().Perm()&0o700)
	}
	return nil
}
