package scan_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wasm/scan"
)

// specTests are the core specification's tests of version 2, in binary form,
// as wazero's module carries them.
func specTests(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "internal/integration_test/spectest/v2/testdata")
}

// command is an entry of a file of tests.
type command struct {
	Type     string
	Line     int
	Filename string
	Text     string
}

func commands(t *testing.T, name string) []command {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Commands []command }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Commands
}

// judged says what a scan finds wrong with a module as such, apart from what
// makes it no plugin: "" for nothing, and whether that is only a limit, or a
// feature that valid modules may have and plugins may not.
func judged(module []byte) (text string, limit, feature bool) {
	_, err := scan.Module(module, scan.Default())
	var problems *scan.Problems
	if !errors.As(err, &problems) {
		return "", false, false
	}
	for _, p := range problems.List {
		switch p.Code {
		case scan.CodeMalformed, scan.CodeInvalid, scan.CodeNotWasm, scan.CodeComponent:
			return p.Text, false, false
		case scan.CodeLimit:
			text, limit = p.Text, true
		case scan.CodeFeature:
			text, feature = p.Text, true
		}
	}
	return text, limit, feature
}

func TestTheSpecificationsTestsAreJudgedAsTheySay(t *testing.T) {
	dir := specTests(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	good, bad := 0, 0
	for _, name := range files {
		base := filepath.Base(name)
		vectors := strings.HasPrefix(base, "simd_")
		for _, c := range commands(t, name) {
			if filepath.Ext(c.Filename) != ".wasm" {
				continue
			}
			module, err := os.ReadFile(filepath.Join(dir, c.Filename))
			if err != nil {
				t.Fatal(err)
			}
			text, limit, feature := judged(module)
			switch c.Type {
			case "module", "assert_unlinkable", "assert_uninstantiable":
				good++
				if text != "" && !limit && !(vectors && feature) {
					t.Errorf("%s:%d: %s is valid; got %s", base, c.Line, c.Filename, text)
				}
			case "assert_invalid", "assert_malformed":
				bad++
				if text == "" {
					t.Errorf("%s:%d: %s is admitted; want: %s", base, c.Line, c.Filename, c.Text)
				}
			default:
				t.Errorf("%s:%d: %s is not known", base, c.Line, c.Type)
			}
		}
	}
	if good < 1000 || bad < 2000 {
		t.Errorf("%d valid and %d other modules; want all of them", good, bad)
	}
}
