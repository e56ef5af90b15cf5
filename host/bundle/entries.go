package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/callgate/callgate/host/plural"
)

// entries reads an archive, which has to be the one that [Pack] makes of what is in
// it, to the byte.
func entries(raw []byte) ([]File, error) {
	var list []File
	var s names
	under := bytes.NewReader(raw)
	r := tar.NewReader(under)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errShort
		}
		if err != nil {
			return nil, fmt.Errorf("file %d: %w; pack it again with callgate plugin pack", len(list)+1, err)
		}
		if err := plainEntry(h); err != nil {
			return nil, err
		}
		if err := s.admit(h.Name, h.Size); err != nil {
			return nil, err
		}
		// What the header says is no size to allocate: it may lie.
		if h.Size > int64(under.Len()) {
			return nil, fmt.Errorf("%q: cut off; its header says %d bytes", h.Name, h.Size)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", h.Name, err)
		}
		list = append(list, File{h.Name, data})
	}
	same, err := archive(list)
	switch {
	case err != nil:
		return nil, err
	case bytes.Equal(same, raw):
		return list, nil
	case bytes.HasPrefix(same, raw):
		return nil, errShort
	case bytes.HasPrefix(raw, same):
		return nil, fmt.Errorf("%s too many behind the end of the archive; pack it again with callgate plugin pack", plural.Of(len(raw)-len(same), "byte"))
	}
	return nil, errors.New("the archive is not as callgate plugin pack writes it: order, dates, owners, modes and padding are fixed; pack it again with that")
}

// kinds of entries that are not files, for messages.
var kinds = map[byte]string{
	tar.TypeLink: "a hard link", tar.TypeSymlink: "a symbolic link", tar.TypeChar: "a device", tar.TypeBlock: "a device",
	tar.TypeDir: "a directory", tar.TypeFifo: "a pipe", tar.TypeXGlobalHeader: "a header for all that follows", tar.TypeCont: "a reserved kind of file",
	tar.TypeGNUSparse: "a file with holes",
}

// plainEntry admits regular files of the plain old format.
func plainEntry(h *tar.Header) error {
	kind, other := kinds[h.Typeflag]
	switch {
	case other:
		return fmt.Errorf("%q: %s; a bundle holds regular files only", h.Name, kind)
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%q: an entry of kind %q; a bundle holds regular files only", h.Name, h.Typeflag)
	case h.Linkname != "":
		return fmt.Errorf("%q: a file that names a link to %q; a bundle holds regular files only", h.Name, h.Linkname)
	case strings.HasPrefix(h.Name, "/") || strings.Contains(h.Name, ":") || strings.Contains(h.Name, `\`):
		return fmt.Errorf("%q: an absolute or foreign path; the names in a bundle are relative, with '/'", h.Name)
	case strings.HasPrefix(h.Name, "./") || strings.Contains(h.Name, ".."):
		return fmt.Errorf("%q: a path with dots; the names in a bundle are plain", h.Name)
	case len(h.PAXRecords) > 0 || h.Format != tar.FormatUSTAR:
		return fmt.Errorf("%q: extended headers, which readers take for different things; pack it again with callgate plugin pack", h.Name)
	}
	return nil
}
