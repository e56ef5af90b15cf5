package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
)

// TestDemo builds this package once and runs the demo in many ways.
func TestDemo(t *testing.T) {
	exe := built(t)
	tests := []struct {
		name string
		test func(t *testing.T, exe, place string)
	}{
		{"tells the whole story", demoTellsTheWholeStory},
		{"has one JSON object for each scene", demoHasOneObjectForEachScene},
		{"keeps its directory only when asked", demoKeepsItsDirectory},
		{"fails when anything differs", demoFailsWhenAnythingDiffers},
		{"stops when it is interrupted", demoStops},
		{"cleans up when its reader goes away", demoLosesItsReader},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			place := t.TempDir() // everything that a demo could leave behind goes here
			for _, name := range []string{
				"TMPDIR", "TMP", "TEMP", "HOME", "LOCALAPPDATA", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
			} {
				t.Setenv(name, place)
			}
			tt.test(t, exe, place)
		})
	}
}

// demoLeft lists what is in a directory.
func demoLeft(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func demoTellsTheWholeStory(t *testing.T, exe, place string) {
	var stderr bytes.Buffer
	cmd := exec.Command(exe, "demo")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("exit: %v\n%s%s", err, out, stderr.Bytes())
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", stderr.Bytes())
	}
	want, err := os.ReadFile("testdata/demo/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`\b[0-9a-f]{6}-[0-9]+\b`)
	lines := strings.Split(ids.ReplaceAllString(string(out), "ID"), "\n")
	at, cases := 0, 0
	for line := range strings.Lines(string(want)) {
		line = strings.TrimSuffix(line, "\n")
		cases++
		next := at
		for next < len(lines) && lines[next] != line {
			next++
		}
		if next == len(lines) {
			t.Fatalf("line %d of lines.txt is not in the transcript, or not in this order: %q\n%s", cases, line, out)
		}
		at = next + 1
	}
	if cases == 0 {
		t.Fatal("lines.txt has no lines")
	}
	if left := demoLeft(t, place); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func demoHasOneObjectForEachScene(t *testing.T, exe, _ string) {
	out, err := exec.Command(exe, "demo", "--json").Output()
	if err != nil {
		t.Fatalf("exit: %v\n%s", err, out)
	}
	scenes := 0
	for line := range bytes.Lines(out) {
		scenes++
		v, err := abi.Parse(line)
		if err != nil {
			t.Fatalf("scene %d: %v", scenes, err)
		}
		if !v.Get("ok").True() || v.Get("steps").Len() == 0 || v.Get("title").Str() == "" {
			t.Errorf("scene %d: %s", scenes, line)
		}
	}
	if scenes != 8 {
		t.Errorf("%d scenes; want 8", scenes)
	}
}

func demoKeepsItsDirectory(t *testing.T, exe, place string) {
	out, err := exec.Command(exe, "demo", "--keep").Output()
	if err != nil {
		t.Fatalf("exit: %v\n%s", err, out)
	}
	left := demoLeft(t, place)
	if len(left) != 1 || !strings.Contains(string(out), left[0]) {
		t.Fatalf("left behind: %q; want one directory that the transcript names", left)
	}
	for _, name := range []string{"policy.yaml", "ledger/mailbox", "mailbox/" + demoLogFile} {
		if _, err := os.Stat(filepath.Join(place, left[0], name)); err != nil {
			t.Error(err)
		}
	}
}

// demoFailsWhenAnythingDiffers breaks what a scene expects, and wants the
// demo to fail and to say what differs. Its twin is the run that succeeds.
func demoFailsWhenAnythingDiffers(t *testing.T, exe, place string) {
	change := func(from, to string) func(*demo) {
		return func(d *demo) { d.policy = strings.Replace(d.policy, from, to, 1) }
	}
	before := func(title string, act func(*demo) error) func(*demo) {
		return func(d *demo) {
			d.before = func(d *demo, now string) {
				if now != title {
					return
				}
				if err := act(d); err != nil {
					t.Error(err)
				}
			}
		}
	}
	tests := []struct {
		name   string
		spoil  func(*demo)
		says   []string // in the transcript
		passes bool
	}{
		{name: "nothing is spoiled", spoil: func(*demo) {}, says: []string{"Everything happened as expected."}, passes: true},
		{name: "the policy trusts the stranger", spoil: change(`"*@corp.example"`, `"*@corp.example", "`+demoStranger+`"`), says: []string{
			"DIFFERS  expected a deny of the contract sink, got an answer of the server", "it gained {\"body\":\"The code of the vault door",
		}},
		{name: "the policy denies honest mail", spoil: change(`"*@corp.example"`, `"*@other.example"`), says: []string{
			"DIFFERS  expected the server's answer, got a verdict of sink",
		}},
		{name: "the budget is too large", spoil: change("max_calls: 2", "max_calls: 5"), says: []string{
			"DIFFERS  expected a deny of the contract budget", "expected the third draft to be on disk",
		}},
		{name: "the paths are free", spoil: change(`allow: ["./files/out/**"]`, `allow: ["/**"]`), says: []string{
			"DIFFERS  expected a deny of the contract args",
		}},
		{name: "the policy does not load", spoil: change("default: deny", "default: maybe"), says: []string{"DIFFERS  mailbox does not answer", "maybe"}},
		{name: "a server did more than its client saw", spoil: before("The record", func(d *demo) error {
			return (&demoLogWriter{path: d.path("mailbox", demoLogFile)}).add(demoStolen().sent())
		}), says: []string{"read the whole log in mailbox", "DIFFERS  expected {"}},
		{name: "a ledger was changed", spoil: before("The record", spoilLedger), says: []string{"DIFFERS  ledger file", "is broken at line"}},
	}
	cases := 0
	for _, tt := range tests {
		cases++
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			d := demo{exe: exe, policy: demoPolicy, out: &out}
			tt.spoil(&d)
			err := d.run(t.Context())
			var exit exitError
			switch {
			case tt.passes && err != nil:
				t.Errorf("error %v", err)
			case !tt.passes && (!errors.As(err, &exit) || exit.code != 1):
				t.Errorf("error %v; want one with exit code 1", err)
			}
			for _, text := range tt.says {
				if !strings.Contains(out.String(), text) {
					t.Errorf("the transcript does not say %q:\n%s", text, out.String())
				}
			}
			if left := demoLeft(t, place); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

// spoilLedger changes one word of the mailbox's ledger in place.
func spoilLedger(d *demo) error {
	files, err := ledger.Group(d.path("ledger", "mailbox"))
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		data = bytes.Replace(data, []byte("SINK_TAINTED"), []byte("SINK_TRUSTED"), 1)
		if err := os.WriteFile(f.Path, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// demoLosesItsReader reads the first bytes of the transcript and hangs up.
func demoLosesItsReader(t *testing.T, exe, place string) {
	cmd := exec.Command(exe, "demo")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 16)); err != nil {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() <= 0 {
		t.Errorf("end: %v; want an exit code of its own, above 0", err)
	}
	if left := demoLeft(t, place); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func demoStops(t *testing.T, exe, place string) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	d := demo{exe: exe, policy: demoPolicy, out: &out, before: func(_ *demo, title string) {
		if title == "Honest mail still goes out" {
			cancel()
		}
	}}
	err := d.run(ctx)
	var exit exitError
	if !errors.As(err, &exit) || exit.code != 1 || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("error %v; want one that says interrupted, with exit code 1", err)
	}
	if strings.Contains(out.String(), "4. Files") {
		t.Errorf("the demo went on:\n%s", out.String())
	}
	if left := demoLeft(t, place); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestDemoFileAreaHasNoWayOut(t *testing.T) {
	dir := filepath.Join(string(filepath.Separator), "area")
	tests := []struct{ path, want string }{
		{"out/a.txt", "out/a.txt"},
		{"./out/a.txt", "out/a.txt"},
		{"/etc/passwd", "etc/passwd"},
		{"../../etc/passwd", "etc/passwd"},
		{"out/../../../x", "x"},
		{"..", ""},
		{"", ""},
	}
	cases := 0
	for _, tt := range tests {
		cases++
		if got, want := demoInside(dir, tt.path), filepath.Join(dir, filepath.FromSlash(tt.want)); got != want {
			t.Errorf("%q leads to %q; want %q", tt.path, got, want)
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}
