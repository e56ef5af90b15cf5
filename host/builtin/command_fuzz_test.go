package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

func FuzzCommandLine(f *testing.F) {
	for _, s := range shellSeeds {
		f.Add(s)
	}
	for _, s := range []string{"cat <<EOF\nx\nEOF\n", "find . -exec sh -c 'ls {}' \\;", "sed -n 's/[/]/x/w y' f", "awk '/a/{print > \"x\"}'", "env -S 'ls x' y", "xargs -I{} sh -c '{}'", "cd a; cat <(ls) > /dev/null"} {
		f.Add(s)
	}
	list := contract.Arg{HasAllow: true, Allow: readers}
	allow := matcherOf(f, list)
	list.Deny = []string{"cat", "rm -rf /", "git log --output"}
	both := matcherOf(f, list)
	none := matcherOf(f, contract.Arg{HasAllow: true})
	f.Fuzz(func(t *testing.T, line string) {
		got := judgeLine(allow, line)
		if again := judgeLine(allow, line); again != got {
			t.Fatalf("%q: %v, and then %v", line, got, again)
		}
		if got.code != "" && (got.reason == "" || got.mend == "") {
			t.Fatalf("%q: %v says nothing", line, got)
		}
		if got.code != "" && judgeLine(both, line).code == "" {
			t.Fatalf("%q: a deny list lets pass what was refused", line)
		}
		if judgeLine(none, line).code == "" {
			t.Fatalf("%q passes where nothing is allowed", line)
		}
		if got.code == "" && strings.ContainsAny(line, "\r\x00\x1b") {
			t.Fatalf("%q passes with a control character", line)
		}
		c := readCommandWords([]string{"ls", line}, false)
		if len(c.simples) == 0 || unreadable(line) != "" || strings.Contains(line, "&>") {
			return
		}
		read := readCommandLine(quotedWords(c.simples[0].words), false)
		if read.malformed || read.doubt != "" || len(read.simples) == 0 {
			return
		}
		for _, s := range read.simples {
			if !slices.Equal(s.words, c.simples[0].words) {
				t.Fatalf("%q is read back as %v", line, read.simples)
			}
		}
	})
}

func TestWordsAreNeverASecondCommand(t *testing.T) {
	m := matcherOf(t, contract.Arg{HasAllow: true, Allow: []string{"ls *"}})
	passed := 0
	for _, word := range append(slices.Clone(shellTokens), "; rm x", "$(rm x)", "`rm x`", "\nrm x", "a b") {
		list := abi.ArrayValue(abi.StringValue("ls"), abi.StringValue(word))
		if got := m.judge(list, &place{Place: &abi.Place{Platform: "linux"}}); got.code != "" {
			t.Errorf("%q as a word: %v", word, got)
			continue
		}
		passed++
	}
	if passed == 0 {
		t.Error("no word was tried")
	}
}
