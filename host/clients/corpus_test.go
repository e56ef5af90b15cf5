package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layoutOf is the layout of a file of the corpus, by the start of its name.
func layoutOf(t testing.TB, name string) Layout {
	t.Helper()
	client, _, _ := strings.Cut(name, ".")
	if client == "vscode-settings" {
		return vscode().Files[2].Layout
	}
	for _, c := range Table() {
		if c.Name == client {
			return c.Files[0].Layout
		}
	}
	t.Fatalf("%s: no client is called %s", name, client)
	return Layout{}
}

// sample is a file of the corpus and what it is.
type sample struct {
	name string
	data []byte
	want string // NAME=STATE, … or ! and a part of the error
	Layout
}

func corpus(t testing.TB) []sample {
	t.Helper()
	index, err := os.ReadFile("testdata/want.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for line := range strings.Lines(string(index)) {
		name, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		data, err := os.ReadFile(filepath.Join("testdata/corpus", name))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sample{name, data, want, layoutOf(t, name)})
	}
	files, err := filepath.Glob("testdata/corpus/[a-z]*")
	if err != nil || len(files) != len(out) || len(out) < 60 {
		t.Fatalf("%d files and %d lines that say what they are (%v); want as many, and 60 at least", len(files), len(out), err)
	}
	return out
}

// options are those of a wrap by hand.
func options() Options {
	return Options{Callgate: "/usr/local/bin/callgate", Fallback: "client", Policies: []string{"/home/me/policy.yaml"}}
}

func TestEntriesOfTheCorpusAreWhatTheyAre(t *testing.T) {
	good := 0
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			entries, err := s.List(s.data)
			if part, bad := strings.CutPrefix(s.want, "! "); bad {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Fatalf("error %v; want one with %q", err, part)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			good++
			var got []string
			for _, e := range entries {
				got = append(got, e.Name+"="+string(e.State))
				if (e.State == Plain) != (e.Why == "") {
					t.Errorf("%s is %s because %q", e.Name, e.State, e.Why)
				}
			}
			text := strings.NewReplacer("\x1b", "{U+001B}", "\u202e", "{U+202E}").Replace(strings.Join(got, ", "))
			if text != s.want {
				t.Errorf("got  %s\nwant %s", text, s.want)
			}
		})
	}
	if good < 50 {
		t.Errorf("%d files can be read; want 50 at least", good)
	}
}

func TestWrapAndUnwrapIsTheIdentityOnBytes(t *testing.T) {
	edited := 0
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			edited += roundTrip(t, s.Layout, s.data)
		})
	}
	if edited < 60 {
		t.Errorf("%d entries were wrapped; want 60 at least", edited)
	}
}

// roundTrip wraps a file, wraps it again, and unwraps it; it returns how many
// entries were wrapped.
func roundTrip(t testing.TB, l Layout, data []byte) int {
	t.Helper()
	before, err := l.List(data)
	if err != nil {
		if _, _, err := l.Wrap(data, options()); err == nil {
			t.Fatal("a file that can not be listed was wrapped")
		}
		return 0
	}
	kept := bytes.Clone(data)
	out, did, err := l.Wrap(data, options())
	if err != nil {
		t.Fatalf("wrap: %v", err)
	}
	wrapped := 0
	after, err := l.List(out)
	if err != nil || len(after) != len(before) || len(did) != len(before) {
		t.Fatalf("%d entries, wrapped %d, %d outcomes (%v)", len(before), len(after), len(did), err)
	}
	for i, is := range after {
		was := before[i]
		if is.Name != was.Name || is.Scope != was.Scope || !slices.Equal(is.Command, was.Command) {
			t.Errorf("entry %q became %+v", was.Name, is)
		}
		if was.State == Plain {
			wrapped++
			if is.State != Wrapped || did[i].Action != DidWrap || is.Group != "client" || !slices.Equal(is.Policies, options().Policies) || is.Callgate != options().Callgate {
				t.Errorf("entry %q is %+v after %s", was.Name, is, did[i].Action)
			}
		} else if is.State != was.State {
			t.Errorf("entry %q was %s and is %s", was.Name, was.State, is.State)
		}
	}
	again, did, err := l.Wrap(out, options())
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("wrapped again it is\n%s\nand was\n%s\n(%v)", again, out, err)
	}
	if slices.ContainsFunc(did, func(o Outcome) bool { return o.Action != Unchanged && o.Action != Left }) {
		t.Errorf("wrapped again: %+v", did)
	}
	back, _, err := l.Unwrap(out, UnwrapOptions{})
	if err != nil || !bytes.Equal(back, data) {
		t.Fatalf("unwrapped it is\n%s\nand was\n%s\n(%v)", back, data, err)
	}
	if !bytes.Equal(kept, data) {
		t.Fatal("the input was written to")
	}
	return wrapped
}
