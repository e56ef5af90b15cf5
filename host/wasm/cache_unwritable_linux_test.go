package wasm

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/callgate/callgate/abi"
)

// In a home that can not be written to, plugins run without a cache. The file
// system of the kernel lets nobody make a directory, not even root.
func TestWhereNothingCanBeWrittenThereIsNoCache(t *testing.T) {
	sealed := filepath.Join(t.TempDir(), "sealed")
	if err := os.Mkdir(sealed, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/sys/callgate/plugins", sealed} {
		h := newHost(t, Options{CacheDir: dir, Compiler: compiler, Limits: Limits{CompileQuick: 1}})
		p := load(t, h, Source{Name: "counter", Module: guest(t, "counter")})
		if a := p.Evaluate(abi.Value{}); a.Class != "" {
			t.Errorf("%s: %s", dir, short(a))
		}
	}
	for err, want := range map[error]bool{
		fs.ErrPermission: true, &fs.PathError{Op: "mkdir", Path: "a", Err: syscall.EROFS}: true, fmt.Errorf("a: %w", syscall.EACCES): true,
		syscall.ENOTDIR: false, syscall.ENOSPC: false, fs.ErrNotExist: false,
	} {
		if unwritable(err) != want {
			t.Errorf("%v: want %t", err, want)
		}
	}
}
