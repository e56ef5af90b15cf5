package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// Bounds of files with secrets.
const (
	maxSecretFile = 64 << 10 // bytes
	minToken      = 24       // characters; openssl rand -hex 16 makes 32
	maxToken      = 1024
	maxHeaders    = 64
)

// ReadToken reads the token of a client from a file that nobody but its owner
// may read or write.
func ReadToken(path string) (string, error) {
	data, err := readSecret(path, "the token")
	if err != nil {
		return "", err
	}
	token, err := ParseToken(data)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	return token, nil
}

// ParseToken reads a token: one line of at least 24 characters that RFC 6750
// section 2.1 lets stand behind "Bearer". No error shows it.
func ParseToken(data []byte) (string, error) {
	token := strings.TrimRight(string(data), "\r\n")
	if body := strings.TrimRight(token, "="); body == "" || strings.ContainsFunc(body, notToken68) {
		return "", errors.New("not a token; want one line of letters, digits and -._~+/, such as openssl rand -hex 32 makes")
	}
	if len(token) < minToken || len(token) > maxToken {
		return "", fmt.Errorf("a token of %d characters; want %d to %d, such as openssl rand -hex 32 makes", len(token), minToken, maxToken)
	}
	return token, nil
}

// notToken68 is for the characters of RFC 9110 section 11.2.
func notToken68(r rune) bool {
	return r > '~' || !alphanumeric(byte(r)) && !strings.ContainsRune("-._~+/", r)
}

// Header is one header of a request.
type Header struct{ Name, Value string }

// ReadHeaders reads the headers for a server from a file that nobody but its
// owner may read or write.
func ReadHeaders(path string) ([]Header, error) {
	data, err := readSecret(path, "the headers")
	if err != nil {
		return nil, err
	}
	list, err := ParseHeaders(data)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return list, nil
}

// ParseHeaders reads headers, one Name: value a line; empty lines mean nothing.
// The values are secrets, so no error shows a line.
func ParseHeaders(data []byte) ([]Header, error) {
	var list []Header
	first := map[string]int{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if strings.Trim(text, " \t") == "" {
			continue
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok || name == "" || strings.ContainsFunc(name, notTokenChar) {
			return nil, fmt.Errorf("line %d is no header; want Name: value", n)
		}
		value = strings.Trim(value, " \t")
		if value == "" || strings.ContainsFunc(value, notPrintable) {
			return nil, fmt.Errorf("line %d: the value of %q is empty or holds more than printable ASCII; write it without", n, name)
		}
		key := strings.ToLower(name)
		if before, ok := first[key]; ok {
			return nil, fmt.Errorf("line %d: header %q is in line %d already; keep one of the two", n, name, before)
		}
		if first[key] = n; len(list) == maxHeaders {
			return nil, fmt.Errorf("line %d: more than %d headers; leave some out", n, maxHeaders)
		}
		list = append(list, Header{name, value})
	}
	if len(list) == 0 {
		return nil, errors.New("no headers; want Name: value in each line")
	}
	return list, nil
}

// notTokenChar is for what RFC 9110 section 5.6.2 keeps out of names.
func notTokenChar(r rune) bool {
	return r > '~' || !alphanumeric(byte(r)) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func notPrintable(r rune) bool { return (r < ' ' || r > '~') && r != '\t' }

// readSecret reads a file that nobody but its owner may read or write.
func readSecret(path, what string) ([]byte, error) {
	if err := CheckSecret(path, what); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, plainPathError(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, plainPathError(err))
	}
	if len(data) > maxSecretFile {
		return nil, fmt.Errorf("%q has more than %d bytes; want a file that holds %s alone", path, maxSecretFile, what)
	}
	return data, nil
}

// CheckSecret says why a file can not hold a secret: it is no regular file, or
// others may read or write it. what names the secret, as in "the key".
func CheckSecret(path, what string) error {
	info, err := os.Stat(path) // before it is opened, which a pipe would hold up
	if err != nil {
		return fmt.Errorf("%q: %w; name a file that holds %s", path, plainPathError(err), what)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%q is no regular file; want one that holds %s", path, what)
	}
	// Windows has no such mode: there the directory says who may read.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%q has mode %#o, so others can read %s; chmod 600 it", path, info.Mode().Perm(), what)
	}
	return nil
}
