package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
)

// workshop is where commands are built, until all tests have run.
var workshop string

// tests are those of the package, with a workshop.
type tests struct{ *testing.M }

func (m tests) Run() int {
	var err error
	if workshop, err = os.MkdirTemp("", "callgate-built-"); err != nil {
		panic(err)
	}
	code := m.M.Run()
	if err := os.RemoveAll(workshop); err != nil {
		panic(err)
	}
	return code
}

// plain and raced link the command once, since that takes seconds: as releases have
// it, and with the race detector.
var (
	plain = sync.OnceValues(func() (string, error) { return link("callgate", "CGO_ENABLED=0") })
	raced = sync.OnceValues(func() (string, error) { return link("raced", "CGO_ENABLED=1", "-race") })
)

func link(name, env string, args ...string) (string, error) {
	exe := filepath.Join(workshop, name)
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	cmd := exec.Command("go", slices.Concat([]string{"build"}, args, []string{"-o", exe, "."})...)
	cmd.Env = append(os.Environ(), env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%q: %w\n%s", cmd.Args, err, out)
	}
	return exe, nil
}

// built is the command, for tests that start it as a process of its own.
func built(t *testing.T) string {
	t.Helper()
	exe, err := plain()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// BuiltAlike is the command with the race detector if the tests have it.
func BuiltAlike(t *testing.T) string {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok || !slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return built(t)
	}
	exe, err := raced()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}
