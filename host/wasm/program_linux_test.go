package wasm

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTheProgramMayBeReplacedWhileItRuns by an installer, and plugins load all the
// same; what compiles is of the same version then.
func TestTheProgramMayBeReplacedWhileItRuns(t *testing.T) {
	dir := t.TempDir()
	self, module := filepath.Join(dir, "program"), filepath.Join(dir, "module")
	if err := copyFile(self, os.Args[0]); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(self, 0o700), os.WriteFile(module, guest(t, "acts"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(self, replacedVerb, self, module).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
