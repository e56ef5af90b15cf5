//go:build unix

package clients

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner refuses a file of another user: the new one would be ours, and its
// owner might not read it.
func checkOwner(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%q: the system does not tell its owner", path)
	}
	if uid := os.Geteuid(); int(st.Uid) != uid {
		return fmt.Errorf("%q belongs to user %d, and user %d runs callgate; run it as the owner", path, st.Uid, uid)
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
