package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// benchRun runs the bench in a directory of its own and returns what it said.
func benchRun(t *testing.T, exe string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(exe, append([]string{"bench"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "LocalAppData="+dir)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run() // the code tells
	left := 0
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, _ error) error {
		if e != nil && !e.IsDir() {
			left++
		}
		return nil
	})
	if left > 0 {
		t.Errorf("the bench left %d files behind", left)
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

func TestBenchMeasuresEveryPathInEveryColumn(t *testing.T) {
	exe := built(t)
	stdout, stderr, code := benchRun(t, exe, "--json", "--calls", "3", "--rounds", "2")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	report, err := abi.Parse([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{
		"p50_us", "p99_us", "calls_per_s", "start_ms", "start_added_ms", "large_argument_ms", "large_result_ms", "p50_by_relay", "p50_by_fsync", "calls_by_fsync",
	}
	if runtime.GOOS == "linux" {
		columns = append(columns, "memory_mb", "memory_last_mb")
	}
	checked := 0
	var paths []string
	for _, p := range report.Get("paths").Items() {
		paths = append(paths, p.Get("name").Str())
		if n := p.Get("rounds").Len(); n != 2 {
			t.Errorf("%s: want 2 rounds, got %d", p.Get("name").Str(), n)
		}
		for _, c := range columns {
			v := p.Get(c)
			if v.Kind() != abi.Number || strings.Trim(v.Lexeme(), "0.") == "" && c != "start_added_ms" {
				t.Errorf("%s: %s: want a number, got %q", p.Get("name").Str(), c, v)
			}
			checked++
		}
	}
	if !slices.Equal(paths, benchPaths()) || checked == 0 {
		t.Errorf("want the paths %q, got %q", benchPaths(), paths)
	}
	if report.Get("targets").Len() < 6 {
		t.Errorf("want the targets, got %s", report.Get("targets"))
	}
}

func TestBenchOfAServerOfOnesOwn(t *testing.T) {
	exe := built(t)
	denying := filepath.Join(t.TempDir(), "deny.yaml")
	if err := os.WriteFile(denying, []byte("callgate: 1\nsettings: {default: deny}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	small := []string{"--calls", "2", "--rounds", "1"}
	cases := []struct {
		name string
		args []string
		code int
		want string // in the table, or in the error
	}{
		{"a tool is found", []string{"--", exe, "bench", "upstream"}, 0, "tool measure"},
		{"a tool is named", []string{"--tool", "echo", "--arguments", `{"text":"x"}`, "--", exe, "bench", "upstream"}, 0, "tool echo"},
		{"the policy denies it", []string{"--policy", denying, "--", exe, "bench", "upstream"}, 2, "the policy does not allow the call"},
		{"the policy does not load", []string{"--policy", denying + "x", "--", exe, "bench", "upstream"}, 2, "deny.yamlx"},
		{"it is no server", []string{"--", exe, "version"}, 2, "path direct"},
		{"it only echoes", []string{"--", "cat"}, 2, "the command sends back what it is sent; name the command of an MCP server"},
		{"it ends at once", []string{"--", "true"}, 2, "the command ended without an answer; name the command of an MCP server"},
		{"it is not there", []string{"--", "nosuch"}, 2, "name the command of a server behind --"},
		{"a tool without a server", []string{"--tool", "echo"}, 2, "name the server"},
		{"arguments that are none", []string{"--arguments", "[]", "--", exe, "bench", "upstream"}, 2, "want one JSON object"},
		{"no calls", []string{"--calls", "0"}, 2, "at least one"},
	}
	ran := 0
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ran++
			stdout, stderr, code := benchRun(t, exe, append(slices.Clone(small), c.args...)...)
			if code != c.code || !strings.Contains(stdout+stderr, c.want) {
				t.Errorf("want exit code %d and %q, got %d:\n%s%s", c.code, c.want, code, stdout, stderr)
			}
			if code == 0 && (!strings.Contains(stdout, pathMemory) || strings.Contains(stdout, "100 KB")) {
				t.Errorf("want all paths, and no large calls of a tool that does not know them:\n%s", stdout)
			}
		})
	}
	if ran == 0 {
		t.Fatal("no case ran")
	}
}

func TestBenchTakesOnlyCallsThatWork(t *testing.T) {
	cases := []struct{ name, line, want string }{
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}}`, ""},
		{"a result that holds the word", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\"isError\":true"}]}}`, ""},
		{"an error of the tool", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no path"}],"isError":true}}`, "the tool answers with an error: give --arguments"},
		{"a verdict", `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true,"_meta":{"dev.callgate/verdict":{}}}}`, "the policy does not allow the call"},
		{"an error of the server", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool"}}`, "give --tool and --arguments"},
		{"a request of the server", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, ""},
		{"our own request", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, "sends back what it is sent"},
	}
	for _, c := range cases {
		p := benchPeer{}
		if _, _, err := p.answer([]byte(c.line + "\n")); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestBenchSaysWhatASilentCommandMeans(t *testing.T) {
	cases := []struct {
		err  error
		want string
	}{
		{os.ErrDeadlineExceeded, "no answer in 30s; name the command of an MCP server"},
		{io.EOF, "the command ended without an answer"},
		{os.ErrPermission, os.ErrPermission.Error()},
	}
	for _, c := range cases {
		if got := noServer(c.err).Error(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q; want %q", c.err, got, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestQuantileIsTheSmallestThatEnoughDoNotExceed(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	cases := []struct {
		sorted  []int
		percent int
		want    int
	}{
		{nil, 50, 0},
		{[]int{7}, 50, 7},
		{[]int{7}, 99, 7},
		{[]int{1, 2}, 50, 1},
		{[]int{1, 2, 3}, 50, 2},
		{hundred, 50, 50},
		{hundred, 99, 99},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		if got := quantile(c.sorted, c.percent); got != c.want {
			t.Errorf("quantile(%v, %d) = %d, want %d", c.sorted, c.percent, got, c.want)
		}
	}
}

func TestTheBareRelayCopiesWholeLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	cases := []string{"", "a\n", "a\nb\n", long + "\n", "a\n" + long + "\nb", "no end"}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, text := range cases {
		var to lineWriter
		var kept strings.Builder
		err := pumpBench(strings.NewReader(text), &to, func(line []byte) error {
			kept.Write(line)
			return nil
		})
		if err != nil || strings.Join(to.lines, "") != text || kept.String() != text {
			t.Errorf("of %.20q: got %.20q, kept %.20q, error %v", text, to.lines, kept.String(), err)
		}
		for i, line := range to.lines {
			if i < len(to.lines)-1 && strings.Index(line, "\n") != len(line)-1 {
				t.Errorf("of %.20q: %.20q is no whole line", text, line)
			}
		}
	}
}

type lineWriter struct{ lines []string }

func (w *lineWriter) Write(p []byte) (int, error) {
	w.lines = append(w.lines, string(p))
	return len(p), nil
}
