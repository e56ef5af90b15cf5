package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
)

func (r *release) prefix() string { return product + "_" + r.version }

// folder is what an archive unpacks to.
func (r *release) folder(t target) string { return r.prefix() + "_" + t.os + "_" + t.arch }

func (r *release) archiveName(t target) string {
	if t.os == "windows" {
		return r.folder(t) + ".zip"
	}
	return r.folder(t) + ".tar.gz"
}

// archive writes a binary and what goes along: sorted, of one time, of nobody.
func (r *release) archive(name string, t target, binary string, common []file) error {
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	files := append(slices.Clone(common), file{t.binary(), data, 0o755})
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	write := r.tarball
	if t.os == "windows" {
		write = r.zip
	}
	return errors.Join(write(out, r.folder(t)+"/", files), out.Close())
}

func (r *release) tarball(w io.Writer, folder string, files []file) error {
	// The header of gzip has no name and no time unless they are set.
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(packed)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: r.date, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), packed.Close())
}

func (r *release) zip(w io.Writer, folder string, files []file) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + f.name, Method: zip.Deflate, Modified: r.date}
		h.SetMode(fs.FileMode(f.mode))
		in, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := in.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
