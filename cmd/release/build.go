package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// target is what a binary runs on.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

func (t target) binary() string {
	if t.os == "windows" {
		return product + ".exe"
	}
	return product
}

// carried are the settings of the go command that say where it gets things, and
// not what it makes of them: go.sum holds that.
var carried = []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOINSECURE", "GOAUTH", "GOTOOLCHAIN"}

// neutral are those that would change a binary, at what they are without a setting.
var neutral = []string{"GOENV=off", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off", "GO111MODULE=", "GODEBUG=", "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0"}

// environment is that of the go command: without any setting of the machine or its
// user that changes what is built.
func (r *release) environment(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"env", "-json", "GOROOT"}, carried...)...)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=") // which it would trip over
	cmd.Dir = r.source
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	var set map[string]string
	if err := json.Unmarshal(out, &set); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	r.goroot = set["GOROOT"]
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); !strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "CGO_") && name != "RELEASE_KEY" {
			r.env = append(r.env, e)
		}
	}
	for _, name := range carried {
		r.env = append(r.env, name+"="+set[name])
	}
	r.env = append(r.env, neutral...)
	return nil
}

// goes runs the go command in the clone.
func (r *release) goes(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = r.source, append(slices.Clone(r.env), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// build makes the binaries, in the order of the targets.
func (r *release) build(ctx context.Context, work string) (files []string, err error) {
	if err := r.environment(ctx); err != nil {
		return nil, err
	}
	for _, t := range r.targets {
		fmt.Fprintf(r.say, "building %s\n", t)
		file := filepath.Join(work, t.os+"-"+t.arch, t.binary())
		// -w leaves out what debuggers read, a third of the size. Symbols stay, since
		// govulncheck finds by them what a binary calls.
		_, err := r.goes(ctx, []string{"GOOS=" + t.os, "GOARCH=" + t.arch}, "build", "-trimpath", "-buildvcs=true", "-mod=readonly", "-ldflags=-w", "-o", file, "./cmd/"+product)
		if err == nil {
			err = r.inspect(file, t)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		files = append(files, file)
	}
	return files, nil
}

// inspect holds what a binary says of itself against what it has to be, and adds
// the modules in it to those of the release.
func (r *release) inspect(file string, t target) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	says := map[string]string{"version": info.Main.Version, "go": info.GoVersion}
	for _, s := range info.Settings {
		says[s.Key] = s.Value
	}
	for _, want := range [][2]string{
		{"version", r.tag()}, {"go", runtime.Version()}, {"vcs.revision", r.commit}, {"vcs.modified", "false"},
		{"-trimpath", "true"}, {"CGO_ENABLED", "0"}, {"GOOS", t.os}, {"GOARCH", t.arch},
	} {
		if got := says[want[0]]; got != want[1] {
			return refuse("the binary says that its %s is %q; want %q", want[0], got, want[1])
		}
	}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return refuse("%s is replaced by %s in go.mod, so go install would build something else; take replace out", d.Path, d.Replace.Path)
		}
		if m := (dependency{d.Path, d.Version, d.Sum}); !slices.Contains(r.modules, m) {
			r.modules = append(r.modules, m)
		}
	}
	slices.SortFunc(r.modules, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	return nil
}
