package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// dependency is a module that is compiled in, with its h1: checksum.
type dependency struct{ path, version, sum string }

// file is one of an archive; its name has slashes.
type file struct {
	name string
	data []byte
	mode uint32
}

// ourDocuments go along with a binary: what the README links to, and what its
// licence asks for.
var ourDocuments = []string{"README.md", "LICENSE", "SECURITY.md", "RATIONALE.md", "docs/*.md"}

// licence matches the files of a module that have to travel with its code.
var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// documents reads what is the same in every archive, in no order: our documents, and
// the licences of all that is compiled in.
func (r *release) documents(ctx context.Context) (list []file, err error) {
	for _, pattern := range ourDocuments {
		names, err := filepath.Glob(filepath.Join(r.source, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, refuse("the commit has no %s", pattern)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			list = append(list, file{path.Join(path.Dir(pattern), filepath.Base(name)), data, 0o644})
		}
	}
	if list, err = licences(list, "Go", r.goroot); err != nil {
		return nil, fmt.Errorf("%w; use the Go of go.dev", err)
	}
	args := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}
	for _, m := range r.modules {
		args = append(args, m.path)
	}
	if len(r.modules) == 0 {
		return list, nil
	}
	out, err := r.goes(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		name, dir, ok := strings.Cut(line, "\t")
		if !ok || dir == "" {
			return nil, fmt.Errorf("go list names no folder of %s; run go mod download", name)
		}
		if list, err = licences(list, name, dir); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// licences adds those that lie in the folder of a module.
func licences(list []file, of, dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !licence.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		found = true
		list = append(list, file{path.Join("licenses", of, e.Name()), data, 0o644})
	}
	if !found {
		return nil, fmt.Errorf("%s: no licence in %q", of, dir)
	}
	return list, nil
}
