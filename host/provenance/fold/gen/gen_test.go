package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheTableIsWhatTheDataGives(t *testing.T) {
	d, err := read(filepath.Join("..", charactersFile), filepath.Join("..", confusablesFile))
	if err != nil {
		t.Fatal(err)
	}
	want, err := write(d.version, newImages(d))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", tableFile))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the data gives; run go generate", tableFile)
	}
}

func TestDataThatDoesNotReadIsRefused(t *testing.T) {
	const first = "# Unicode 1.2.3: fields\n"
	letter, pair := first+"0041;Lu;;Latn;0061;\n", first+"0410;0041\n"
	allowed, refused := 0, 0
	for _, c := range []struct{ name, characters, confusables, want string }{
		{"a letter and a look-alike", letter, pair, ""},
		{"a range", first + "4E00..4E01;Lo;;Hani;;\n", pair, ""},
		{"two versions", letter, "# Unicode 1.2.4: fields\n0410;0041\n", "want one version"},
		{"no version", "0041;Lu;;Latn;0061;\n", pair, "names no version"},
		{"too few fields", first + "0041;Lu\n", pair, "want 6"},
		{"no number", first + "00ZZ;Lu;;Latn;;\n", pair, "00ZZ"},
		{"no code point", first + ";Lu;;Latn;;\n", pair, "want a code point"},
		{"a range backwards", first + "4E01..4E00;Lo;;Hani;;\n", pair, "want a code point"},
		{"a prototype of nothing", letter, first + "0410;\n", "its prototype"},
		{"too many fields of a look-alike", letter, first + "0410;0041;MA\n", "want 2"},
	} {
		dir := t.TempDir()
		names := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
		for i, text := range []string{c.characters, c.confusables} {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write([]byte(text))
			z.Close()
			if err := os.WriteFile(names[i], b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := read(names[0], names[1])
		switch {
		case c.want == "" && err == nil:
			allowed++
		case c.want != "" && err != nil && strings.Contains(err.Error(), c.want):
			refused++
		default:
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if allowed == 0 || refused == 0 {
		t.Errorf("%d read, %d refused; want both", allowed, refused)
	}
}
