package oci

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

// Loaded is a plugin out of a file, which nobody has verified.
type Loaded struct {
	Name     string
	Ref      bundle.Ref // what it is called in a policy; of kind NoRef if it came from a file
	Artifact *Artifact
}

var (
	blobName  = regexp.MustCompile(`^` + blobsDir + `[0-9a-f]{64}$`)
	errLayout = errors.New("cut off, or no tar file; get the whole file again")
)

// Load reads a file of [Save], whoever made it. Anything in it that Save would not
// write is an error.
func Load(raw []byte) ([]Loaded, error) {
	if len(raw) > MaxLayout {
		return nil, fmt.Errorf("%d bytes; at most %d", len(raw), MaxLayout)
	}
	files, err := readLayout(raw)
	if err != nil {
		return nil, err
	}
	if string(files[layoutFile]) != layoutText {
		return nil, fmt.Errorf("%s: %s; want %s: make the file with callgate plugin save", layoutFile, quoted(string(files[layoutFile])), layoutText)
	}
	l := &layout{blobs: map[string][]byte{}, used: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		hex, ok := strings.CutPrefix(name, blobsDir)
		if got := digest.FromBytes(data); ok && got.Encoded() != hex {
			return nil, fmt.Errorf("%q: it is %s; get the file again", name, got)
		} else if ok {
			l.blobs[got.String()] = data
		}
	}
	return l.read(files[indexFile])
}

// readLayout is the files of a tar, which has to be the one that [Save] makes of them,
// to the byte.
func readLayout(raw []byte) (map[string][]byte, error) {
	files, seen := map[string][]byte{}, map[string]bool{}
	under := bytes.NewReader(raw)
	for r := tar.NewReader(under); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errLayout
		case err != nil:
			return nil, fmt.Errorf("not a tar file: %w; make it with callgate plugin save", err)
		case h.Typeflag != tar.TypeReg || h.Linkname != "" || h.Format != tar.FormatUSTAR || len(h.PAXRecords) > 0:
			return nil, fmt.Errorf("%s: not a plain file, but of kind %q; make the file with callgate plugin save", quoted(h.Name), h.Typeflag)
		case h.Name != layoutFile && h.Name != indexFile && !blobName.MatchString(h.Name):
			return nil, fmt.Errorf("%s: no such name in a file of plugins; make it with callgate plugin save", quoted(h.Name))
		case seen[h.Name]:
			return nil, fmt.Errorf("%q: is there twice; make the file with callgate plugin save", h.Name)
		case h.Name == indexFile && h.Size > MaxManifest:
			return nil, fmt.Errorf("%s: %d bytes; at most %d", indexFile, h.Size, MaxManifest)
		case h.Size < 0 || h.Size > int64(under.Len()): // it is no size to allocate
			return nil, errLayout
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, errLayout
		}
		files[h.Name], seen[h.Name] = data, true
	}
	same := &comparer{rest: raw}
	if err := writeLayout(same, files); err != nil || len(same.rest) > 0 {
		return nil, errors.New("the archive is not as callgate plugin save writes it, to the byte; make it with that")
	}
	return files, nil
}

// comparer takes what it is written if it is as expected.
type comparer struct{ rest []byte }

var errDiffers = errors.New("differs")

func (c *comparer) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(c.rest, p) {
		return 0, errDiffers
	}
	c.rest = c.rest[len(p):]
	return len(p), nil
}

// layout is the blobs of a file, by digest.
type layout struct {
	blobs map[string][]byte
	used  map[string]bool
}

// read takes apart what index.json lists: first plugins, then what refers to them.
func (l *layout) read(index []byte) ([]Loaded, error) {
	v, err := abi.Parse(index)
	if err != nil {
		return nil, fmt.Errorf("%s: not JSON: %s", indexFile, quoted(err.Error()))
	}
	manifests := v.Get("manifests")
	if v.Get("mediaType").Str() != indexType || manifests.Kind() != abi.Array {
		return nil, fmt.Errorf("%s: want a list of manifests, of media type %s", indexFile, indexType)
	}
	var list []Loaded
	names := map[string]bool{}
	of := map[string][]*Artifact{} // by the digest of the manifest
	for i, one := range manifests.Items() {
		p, err := parsePart("manifest", one, manifestMediaType, MaxManifest)
		if err != nil {
			return nil, fmt.Errorf("%s: manifest %d: %w", indexFile, i+1, err)
		}
		name := one.Get("annotations").Get(ocispec.AnnotationRefName)
		if !name.Exists() {
			if err := l.signature(p, of); err != nil {
				return nil, fmt.Errorf("signature %s: %w", shortDigest(p.digest), err)
			}
			continue
		}
		if names[name.Str()] || len(list) == MaxPlugins {
			return nil, fmt.Errorf("%s: %s is there twice, or there are more than %d plugins", indexFile, quoted(name.Str()), MaxPlugins)
		}
		names[name.Str()] = true
		got, err := l.plugin(name.Str(), p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quoted(name.Str()), err)
		}
		list = append(list, *got)
		of[p.digest] = append(of[p.digest], got.Artifact)
	}
	if len(list) == 0 {
		return nil, errors.New("no plugin in it; make the file with callgate plugin save")
	}
	for _, name := range slices.Sorted(maps.Keys(l.blobs)) {
		if !l.used[name] {
			return nil, fmt.Errorf("%s: it belongs to no plugin; make the file with callgate plugin save", name)
		}
	}
	return list, nil
}

// blob is the content of a part.
func (l *layout) blob(p part) ([]byte, error) {
	data, ok := l.blobs[p.digest]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s is not in the file; get the whole file again", p.digest)
	case int64(len(data)) != p.size:
		return nil, fmt.Errorf("%s has %d bytes, and not %d; make the file with callgate plugin save", p.digest, len(data), p.size)
	}
	l.used[p.digest] = true
	return data, nil
}

func (l *layout) plugin(name string, p part) (*Loaded, error) {
	data, err := l.blob(p)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data, PluginType, ConfigMediaType, BundleMediaType, bundle.MaxCompressed)
	if err != nil {
		return nil, err
	}
	got := &Loaded{Name: name, Artifact: &Artifact{Manifest: p.digest}}
	if got.Artifact.Config, err = l.blob(m.config); err != nil {
		return nil, err
	}
	if got.Artifact.Data, err = l.blob(m.layer); err != nil {
		return nil, err
	}
	// What is no reference is the name of a plugin that came from a file.
	if ref, err := bundle.ParseRef("oci://" + name); err == nil {
		if ref.Digest != "" && ref.Digest != p.digest {
			return nil, fmt.Errorf("it is %s, and named as something else; get the file again", p.digest)
		}
		got.Ref = ref
	}
	return got, nil
}

// signature adds one to the plugins that it is of.
func (l *layout) signature(p part, of map[string][]*Artifact) error {
	if p.size > maxSignatureManifest {
		return fmt.Errorf("its manifest has %d bytes; at most %d", p.size, maxSignatureManifest)
	}
	data, err := l.blob(p)
	if err != nil {
		return err
	}
	m, err := parseManifest(data, SignatureType, ocispec.MediaTypeEmptyJSON, SignatureType, bundle.MaxSignature)
	if err != nil {
		return err
	}
	if m.subject == nil || len(of[m.subject.digest]) == 0 {
		return errors.New("it refers to no plugin in the file; make the file with callgate plugin save")
	}
	if _, err := l.blob(m.config); err != nil {
		return err
	}
	text, err := l.blob(m.layer)
	if err != nil {
		return err
	}
	for _, a := range of[m.subject.digest] {
		if len(a.Signatures) == MaxReferrers {
			return fmt.Errorf("more than %d signatures of one plugin", MaxReferrers)
		}
		a.add("signature "+shortDigest(p.digest), text)
	}
	return nil
}
