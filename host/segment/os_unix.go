//go:build unix

package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from following a last link, from hanging on a named
// pipe, and from leaking into a child.
const openFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

// syncDir makes the names in a directory durable. One that is gone has none.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("directory %q: sync: %w", dir, err)
	}
	return nil
}
