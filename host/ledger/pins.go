package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	pinsSuffix = ".pins.jsonl"
	// maxPins bounds a pins file: four tool lists of the largest frame.
	maxPins = 256 << 20
)

// PinsPath returns the path of a server's stored pins in a group directory.
func PinsPath(groupDir, server string) string {
	return filepath.Join(groupDir, encode(server)+pinsSuffix)
}

// Pinned lists the servers whose pins a group directory keeps, by name. A
// directory that does not exist keeps none.
func Pinned(groupDir string) ([]string, error) {
	entries, err := os.ReadDir(groupDir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("group directory %q: %w", groupDir, err)
	}
	var out []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), pinsSuffix)
		if !ok {
			continue
		}
		if server, ok := decode(name); ok {
			out = append(out, server)
		}
	}
	slices.Sort(out)
	return out, nil
}

// ReadPins returns the canonical pins that WritePins stored, in its order. It returns nil without an error when none were ever stored, and an
// empty slice when an empty list was. A file that was cut or changed by hand,
// that is not a regular file or that is another server's is an error.
func ReadPins(groupDir, server string) ([][]byte, error) {
	if err := checkServer(server); err != nil {
		return nil, err
	}
	path := PinsPath(groupDir, server)
	f, err := openRegular(path, os.O_RDONLY)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pins of server %q: %w", server, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPins+1))
	if err != nil {
		return nil, fmt.Errorf("pins of server %q: %w", server, err)
	}
	definitions, err := parsePins(data, server)
	if err != nil {
		return nil, fmt.Errorf("pins file %q: %w: delete the file to pin the server's tools anew", path, err)
	}
	return definitions, nil
}

// parsePins takes a pins file apart. Its first line is built again from what
// follows and compared, so there is one accepted spelling and nothing to parse.
func parsePins(data []byte, server string) ([][]byte, error) {
	if len(data) > maxPins {
		return nil, fmt.Errorf("more than %d bytes; want fewer", maxPins)
	}
	head, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok {
		return nil, fmt.Errorf("the first line has no end: %s", quoted(head))
	}
	count := bytes.Count(body, []byte("\n"))
	want, err := pinsHead(server, count, body)
	if err != nil {
		return nil, err
	}
	if string(head) != string(want) {
		return nil, fmt.Errorf("the first line is %s; want %s, which the lines below it and the server's name make", quoted(head), want)
	}
	definitions := make([][]byte, 0, count)
	check := checker{}
	for len(body) > 0 {
		line, rest, ok := bytes.Cut(body, []byte("\n"))
		if !ok {
			return nil, fmt.Errorf("the last line has no end: %s", quoted(line))
		}
		if _, err := check.object(line); err != nil {
			return nil, fmt.Errorf("line %d: %w; want one strict JSON object", len(definitions)+2, err)
		}
		definitions, body = append(definitions, line[:len(line):len(line)]), rest
	}
	return definitions, nil
}

// pinsHead makes the first line of a pins file, without its LF.
func pinsHead(server string, count int, body []byte) ([]byte, error) {
	name, err := jsontext.AppendQuote(nil, encode(server))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	head := []byte(`{"callgate":"pins","v":1,"count":`)
	head = strconv.AppendInt(head, int64(count), 10)
	head = append(append(head, `,"server":`...), name...)
	head = append(append(head, `,"sha256":"`...), hex.EncodeToString(sum[:])...)
	return append(head, `"}`...), nil
}

// WritePins stores a server's pins in canonical form, each one JSON object
// without LF, in place of those stored before: after a crash the file holds the
// one list or the other. The group directory is created if it is missing.
func WritePins(groupDir, server string, definitions [][]byte) error {
	if err := checkServer(server); err != nil {
		return err
	}
	data, err := pinsFile(server, definitions)
	if err != nil {
		return fmt.Errorf("pins of server %q: %w", server, err)
	}
	groupDir = filepath.Clean(groupDir)
	if err := ensureDir(groupDir); err != nil {
		return fmt.Errorf("pins of server %q: %w", server, err)
	}
	if err := replaceFile(PinsPath(groupDir, server), data); err != nil {
		return fmt.Errorf("pins of server %q: %w", server, err)
	}
	return nil
}

// pinsFile makes the content of a pins file.
func pinsFile(server string, definitions [][]byte) ([]byte, error) {
	var body []byte
	check := checker{}
	for i, d := range definitions {
		if _, err := check.object(d); err != nil {
			return nil, fmt.Errorf("definition %d %s: %w; want one strict JSON object", i, quoted(d), err)
		}
		body = append(append(body, d...), '\n')
	}
	head, err := pinsHead(server, len(definitions), body)
	if err != nil {
		return nil, err
	}
	data := append(append(head, '\n'), body...)
	if len(data) > maxPins {
		return nil, fmt.Errorf("%d bytes; want at most %d", len(data), maxPins)
	}
	return data, nil
}

// replaceFile puts a file with data at path in one step, mode 0600. It refuses
// to take the place of anything that is not a regular file.
func replaceFile(path string, data []byte) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return notRegular(path, info.Mode())
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".pins-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
