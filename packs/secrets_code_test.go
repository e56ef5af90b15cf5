package packs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/redact"
)

// line is one line of a corpus, with the language that it is in.
type line struct{ language, text string }

// corpus reads a file of lines below headings that name their language.
func corpus(t *testing.T, name string) (lines []line, languages int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	language := ""
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSuffix(text, "\n")
		if heading, ok := strings.CutPrefix(text, "## "); ok {
			language, languages = heading, languages+1
			continue
		}
		lines = append(lines, line{language, text})
	}
	return lines, languages
}

// TestCodeThatNamesSecretsHoldsNone reads code and settings that only say where a
// secret comes from, in many languages: each line by itself, and among others.
func TestCodeThatNamesSecretsHoldsNone(t *testing.T) {
	set := secretsSet(t)
	lines, languages := corpus(t, "honest.txt")
	for _, l := range lines {
		for _, text := range []string{l.text, "    " + l.text + "\n", "{\n" + l.text + "\n}\n", l.text + "\r\nnext\r\n"} {
			if got := set.Text(redact.Results, text); got != text {
				t.Errorf("%s: %s\nbecame %s", l.language, l.text, got)
				break
			}
		}
	}
	if len(lines) < 130 || languages < 20 {
		t.Errorf("%d lines in %d languages; want 130 in 20", len(lines), languages)
	}
}

// TestSecretsThatAreWrittenOutGo is the twin: in the same languages, with the
// secret in the line, which is said behind it.
func TestSecretsThatAreWrittenOutGo(t *testing.T) {
	set := secretsSet(t)
	lines, languages := corpus(t, "secrets.txt")
	for _, l := range lines {
		code, secret, ok := strings.Cut(l.text, " | ")
		if !ok || !strings.Contains(code, secret) {
			t.Errorf("%s: %s: want CODE | SECRET", l.language, l.text)
			continue
		}
		for _, text := range []string{code, "    " + code + "\n", "a = b\n" + code + "\nc = d\n", code + "\r\nnext\r\n"} {
			got := set.Text(redact.Results, text)
			if strings.Contains(got, secret) {
				t.Errorf("%s: %q stays in %s", l.language, secret, got)
				break
			}
			if again := set.Text(redact.Results, got); again != got {
				t.Errorf("%s: %q becomes %q", l.language, got, again)
			}
		}
	}
	if len(lines) < 50 || languages < 15 {
		t.Errorf("%d lines in %d languages; want 50 in 15", len(lines), languages)
	}
}
