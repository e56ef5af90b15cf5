package plugins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestThePageSaysHowLargeTheExampleIs holds the table of docs/plugins.md to the
// modules, as they are before a manifest is put into them.
func TestThePageSaysHowLargeTheExampleIs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{"assemblyscript": "AssemblyScript", "c": "C, C++", "go": "Go", "rust": "Rust", "wat": "WAT"}
	rows := 0
	for _, lang := range languages["hosts"] {
		file := filepath.Join("..", "sdk", "testdata", "hosts", lang+".wasm")
		if lang == "go" {
			file = buildGo(t, goSources["hosts"])
		}
		at, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(page)) {
			if !strings.HasPrefix(line, "| "+titles[lang]+" | [sdk/") {
				continue
			}
			rows++
			if want := "| " + rounded(at.Size()) + " |\n"; !strings.HasSuffix(line, want) {
				t.Errorf("%s has %d bytes; want a row that ends with %s, and it is %s", lang, at.Size(), want, line)
			}
		}
	}
	if rows != len(titles) {
		t.Errorf("%d rows; want %d", rows, len(titles))
	}
}

// rounded is a number of bytes as the page has it.
func rounded(bytes int64) string {
	switch {
	case bytes < 10_000:
		return fmt.Sprintf("%.1f K", float64(bytes)/1e3)
	case bytes < 1_000_000:
		return fmt.Sprintf("%d K", (bytes+500)/1000)
	}
	return fmt.Sprintf("%.1f M", float64(bytes)/1e6)
}
