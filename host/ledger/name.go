package ledger

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// nameTime is the UTC time in a file name; its nine fixed digits make the
	// order of names the order of times.
	nameTime = "20060102T150405.000000000Z"
	// shortID is how many digits of a ledger's id its file name carries.
	shortID = 12
	// maxEncoded keeps every name we make under the 255 bytes of common file systems.
	maxEncoded = 190
	fileSuffix = ".jsonl"
)

// File is one ledger file of a group directory, as its name and its directory
// entry describe it; nothing of its content has been read.
type File struct {
	Path     string
	Server   string    // server name, decoded
	ID       string    // first 12 hex digits of the ledger's id
	Time     time.Time // UTC, from the name; later files of a server have later times
	Modified time.Time // last write
	Size     int64     // bytes
}

// Group lists the ledger files of a group directory in the order of their
// times. Other entries are ignored; an entry named like a ledger file that is
// not a regular file is an error. A directory that does not exist is empty.
func Group(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("group directory %q: %w", dir, err)
	}
	var files []File
	for _, e := range entries {
		f, ok := parseName(e.Name())
		if !ok {
			continue
		}
		f.Path = filepath.Join(dir, e.Name())
		info, err := e.Info()
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("ledger file %q: %w", f.Path, err)
		}
		if !info.Mode().IsRegular() {
			return nil, notRegular(f.Path, info.Mode())
		}
		f.Modified, f.Size = info.ModTime(), info.Size()
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int {
		return strings.Compare(filepath.Base(a.Path), filepath.Base(b.Path))
	})
	return files, nil
}

// ofServer keeps the files of one server, in their order.
func ofServer(files []File, server string) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Server != server })
}

// notRegular is the error for a path that must be a plain file and is not.
func notRegular(path string, mode fs.FileMode) error {
	what := "not a regular file"
	switch {
	case mode&fs.ModeSymlink != 0:
		what = "a symbolic link"
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	}
	return fmt.Errorf("%q is %s; want a regular file, which Callgate opens without following links: move it away", path, what)
}

// fileName makes the name of a ledger file.
func fileName(at time.Time, server, id string) string {
	return at.UTC().Format(nameTime) + "." + encode(server) + "." + id[:shortID] + fileSuffix
}

// parseName takes a file name apart; false means that it is none of ours.
func parseName(name string) (File, bool) {
	rest, ok := strings.CutSuffix(name, fileSuffix)
	if !ok || len(rest) < len(nameTime) {
		return File{}, false
	}
	at, err := time.Parse(nameTime, rest[:len(nameTime)])
	if err != nil || at.Format(nameTime) != rest[:len(nameTime)] {
		return File{}, false
	}
	parts := strings.Split(rest[len(nameTime):], ".")
	if len(parts) != 3 || parts[0] != "" || !isLowerHex(parts[2], shortID) {
		return File{}, false
	}
	server, ok := decode(parts[1])
	if !ok {
		return File{}, false
	}
	return File{Server: server, ID: parts[2], Time: at}, true
}

// checkServer refuses server names that no file name can carry.
func checkServer(server string) error {
	if server == "" {
		return fmt.Errorf("ledger: the server name is empty; give one with --server")
	}
	if n := len(encode(server)); n > maxEncoded {
		return fmt.Errorf("ledger: the server name %s takes %d bytes in a file name; want at most %d: give a shorter one with --server",
			quoted([]byte(server)), n, maxEncoded)
	}
	return nil
}

// isLowerHex reports whether s is n lower-case hex digits.
func isLowerHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// plain reports whether c stands for itself in a name.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// encode writes s with every byte outside [A-Za-z0-9_-] as % and two hex digits.
func encode(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// decode is the inverse of encode; it accepts nothing that encode does not write.
func decode(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		hi, lo := strings.IndexByte("0123456789ABCDEF", s[i+1]), strings.IndexByte("0123456789ABCDEF", s[i+2])
		if hi < 0 || lo < 0 {
			return "", false
		}
		b.WriteByte(byte(hi<<4 | lo))
		i += 2
	}
	text := b.String()
	return text, text != "" && encode(text) == s
}
