package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"
)

// StateDir returns the directory that keeps Callgate's state, absolute and not
// created: $XDG_STATE_HOME/callgate where that is set to an absolute path (the
// XDG Base Directory Specification says to ignore a relative one), else
// ~/.local/state/callgate; ~/Library/Application Support/callgate on macOS,
// %LocalAppData%\callgate on Windows. env is os.Getenv or a stand-in.
func StateDir(env func(string) string) (string, error) {
	return stateDir(runtime.GOOS, env)
}

// StateDirs lists the directories that can keep the state of this user's
// processes: that of StateDir first. A client that starts servers with less of
// an environment than a terminal has leads them to the one without
// $XDG_STATE_HOME.
func StateDirs(env func(string) string) ([]string, error) {
	first, err := StateDir(env)
	if err != nil {
		return nil, err
	}
	other, err := StateDir(func(name string) string {
		if name == "XDG_STATE_HOME" {
			return ""
		}
		return env(name)
	})
	if err != nil || other == first {
		return []string{first}, nil // whoever has no home has no other directory
	}
	return []string{first, other}, nil
}

func stateDir(goos string, env func(string) string) (string, error) {
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "callgate"), nil
	}
	home, under := "HOME", []string{".local", "state", "callgate"}
	switch goos {
	case "windows":
		home, under = "LocalAppData", []string{"callgate"}
	case "darwin", "ios":
		under = []string{"Library", "Application Support", "callgate"}
	}
	dir := env(home)
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("state directory: %s is %q; want an absolute path: set it, or set XDG_STATE_HOME, or give --ledger DIR", home, dir)
	}
	return filepath.Join(append([]string{dir}, under...)...), nil
}

// GroupDir returns the directory of a group under the state directory. Groups
// with different names have different directories (where the file system tells
// upper from lower case): bytes outside [A-Za-z0-9_-] are percent-encoded, and
// a name that is empty or too long becomes a digest that no encoding can spell.
func GroupDir(state, group string) string {
	name := encode(group)
	if name == "" || len(name) > maxEncoded {
		sum := sha256.Sum256([]byte(group))
		name = "%sha256-" + hex.EncodeToString(sum[:])
	}
	return filepath.Join(state, "groups", name)
}

// GroupID returns the group of a run without --group: 32 hex digits of the
// SHA-256 over the server name and the command line. Every field is preceded by
// its length, so no two different inputs are hashed as the same bytes.
func GroupID(server string, command []string) string {
	buf := []byte("callgate group 1\n")
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(command)))
	for _, field := range append([]string{server}, command...) {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(field)))
		buf = append(buf, field...)
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:16])
}
