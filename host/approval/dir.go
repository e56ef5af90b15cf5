package approval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// ErrUnavailable is reported where a process can not know who is at the other
// end of a socket, so that it has none.
var ErrUnavailable = errors.New("answers from a terminal are not available on " + runtime.GOOS + "; answer through the client or a webhook")

// The kernels' limits for the path of a socket are 108 bytes (Linux) and 104,
// with the zero byte at the end.
const maxPath = 103

// socketName is the name of a process's socket: its process id and chance, so
// that no name is ever used twice.
var socketName = regexp.MustCompile(`^([1-9][0-9]{0,9})-[a-z2-7]{8}\.sock$`)

// maxSocketName is the length of the longest such name.
const maxSocketName = 10 + 1 + 8 + 5

// SocketDir is the directory for the sockets of this user's processes, made if
// it is not there: callgate in $XDG_RUNTIME_DIR or, where that is not set, in
// the directory that the system would have set it to, else
// callgate-UID in /tmp. It does not follow $TMPDIR, since clients start servers
// with less of an environment than a terminal has, and both have to find the
// same one. It refuses a directory that another user owns or can look into.
func SocketDir(env func(string) string) (string, error) {
	if !available {
		return "", ErrUnavailable
	}
	for _, dir := range candidates(env) {
		parent := filepath.Dir(dir)
		if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if len(dir)+1+maxSocketName > maxPath {
			return "", fmt.Errorf("%q is too long for the path of a socket, by %d bytes; set XDG_RUNTIME_DIR to a shorter directory of your own",
				dir, len(dir)+1+maxSocketName-maxPath)
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("no directory for sockets: %w; set XDG_RUNTIME_DIR to a directory of your own", err)
		}
		return dir, checkDir(dir)
	}
	return "", errors.New("no directory for sockets: neither $XDG_RUNTIME_DIR nor /tmp is there; set XDG_RUNTIME_DIR to a directory of your own")
}

// SocketDirs lists the directories that sockets of this user's processes can
// be in: a process that its client started with another environment may have
// taken another one than SocketDir gives. Those that are not there, or not
// ours alone, are left out.
func SocketDirs(env func(string) string) []string {
	var out []string
	for _, dir := range candidates(env) {
		if available && checkDir(dir) == nil {
			out = append(out, dir)
		}
	}
	return out
}

func candidates(env func(string) string) []string {
	uid := strconv.Itoa(os.Geteuid())
	var list []string
	add := func(dir string) {
		dir = filepath.Clean(dir)
		for _, l := range list {
			if l == dir {
				return
			}
		}
		list = append(list, dir)
	}
	if dir := env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		add(filepath.Join(dir, "callgate"))
	}
	if runtime.GOOS == "linux" {
		add("/run/user/" + uid + "/callgate")
	}
	add("/tmp/callgate-" + uid)
	return list
}

// checkDir refuses a directory that is not ours alone, or that others could
// put another one in the place of.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	mend := "; remove it, or set XDG_RUNTIME_DIR to a directory of your own"
	switch {
	case !info.IsDir():
		return fmt.Errorf("%q is not a directory, or a symbolic link to one%s", dir, mend)
	case !ours(info):
		return fmt.Errorf("%q belongs to another user%s", dir, mend)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%q has mode %#o, so others can look into it; chmod 700 it%s", dir, info.Mode().Perm(), strings.TrimPrefix(mend, "; remove it"))
	}
	parent, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return err
	}
	if parent.Mode().Perm()&0o022 != 0 && parent.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("%q can be replaced by others, who may write its parent directory; set XDG_RUNTIME_DIR to a directory of your own", dir)
	}
	return nil
}

// pidOf is the process that a socket says it belongs to.
func pidOf(name string) (int, bool) {
	m := socketName.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	pid, err := strconv.Atoi(m[1])
	return pid, err == nil
}
