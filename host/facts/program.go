package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Program returns the path of a program as it is started in a directory, "" for
// that of this process: a name is looked for in PATH, a relative path starts in the
// directory. The error is that of the system, without the name.
func Program(name, dir string) (string, error) {
	if filepath.Base(name) != name {
		name = seenFrom(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		var e *exec.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return "", err
	}
	return filepath.Abs(path)
}

// seenFrom is a path as a process in a directory takes it.
func seenFrom(dir, name string) string {
	if dir == "" || filepath.IsAbs(name) {
		return name // joined to nothing, ./server would become a name to look for in PATH
	}
	return filepath.Join(dir, name)
}

// variable returns the value that a variable has in an environment, the last one
// that it names; "" for none.
func variable(env []string, name string) (value string) {
	for _, kv := range env {
		n, v, _ := strings.Cut(kv, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			value = v
		}
	}
	return value
}

// inPath looks for a program as env does for the server: in the PATH that the server
// gets.
func inPath(name string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if filepath.Base(name) != name {
		return "", fmt.Errorf("env is given the relative path %q; name the interpreter itself", name)
	}
	path := variable(env, "PATH")
	if path == "" {
		return "", fmt.Errorf("the server gets no PATH in which env could look for %q; list PATH under env: of the server, or name the interpreter itself", name)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("PATH has the relative directory %q, so that %q may be another program elsewhere; remove it", dir, name)
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", exec.ErrNotFound
}

// ours is the environment of this process, for a server that gets all of it.
func ours(env []string) []string {
	if env == nil {
		return os.Environ()
	}
	return env
}
