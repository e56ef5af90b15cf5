package approval

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// maxKeyFile is how large the file of a key may be, in bytes.
const maxKeyFile = 4 << 10

// ParseKey reads the key of a webhook: "whsec_" and base64 as Standard Webhooks
// writes it, or any other text, whose bytes are the key. It is one line of at
// least 24 bytes of key.
func ParseKey(data []byte) ([]byte, error) {
	line := bytes.TrimRight(data, "\r\n")
	if bytes.ContainsAny(line, "\r\n\x00") {
		return nil, errors.New("a key of several lines; want one line")
	}
	key := bytes.Clone(line)
	if encoded, ok := bytes.CutPrefix(line, []byte("whsec_")); ok {
		var err error
		if key, err = base64.StdEncoding.Strict().AppendDecode(nil, encoded); err != nil {
			return nil, errors.New(`a key that begins with "whsec_" and does not go on in base64; copy it anew`)
		}
	}
	if len(key) < minKey {
		return nil, fmt.Errorf("a key of %d bytes; want %d at least, such as openssl rand -base64 32 makes", len(key), minKey)
	}
	return key, nil
}

// ReadKey reads the key of a webhook from a file, which nobody but its owner
// may read or write.
func ReadKey(path string) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened, which a pipe would hold up
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is no regular file; want one that holds the key of the webhook", path)
	}
	// Windows has no such mode: there the directory says who may read.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%q has mode %#o, so others can read the key of the webhook; chmod 600 it", path, info.Mode().Perm())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxKeyFile {
		return nil, fmt.Errorf("%q has more than %d bytes; want one line that is the key of the webhook", path, maxKeyFile)
	}
	key, err := ParseKey(data)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return key, nil
}
