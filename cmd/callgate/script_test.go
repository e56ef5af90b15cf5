package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/wire"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"callgate":    func() { os.Exit(Main()) },
		"fakeserver":  func() { os.Exit(fakeServer(os.Args[1:])) },
		"askedserver": func() { os.Exit(askedServer(os.Args[1:])) },
		"talk":        func() { os.Exit(talk(os.Args[1], os.Args[2:])) },
		"groupserver": func() { os.Exit(groupServer(os.Args[1:])) },
		"startas":     func() { os.Exit(startAs(os.Args[1], os.Args[2], os.Args[3])) },
		"post":        func() { os.Exit(post(os.Args[1:])) },
		"seal":        func() { os.Exit(seal(os.Args[1:])) },
	})
}

// TestScripts runs the command line as a person does, one script for each verb
// at least.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) < 10 {
		t.Fatalf("%d scripts (%v); want at least one for each verb", len(scripts), err)
	}
	guests, err := filepath.Abs("../../abi/testdata/1.0")
	lax, laxErr := filepath.Abs("../../host/plugin/testdata/lax")
	hostile, hostileErr := filepath.Abs("../../host/wasm/testdata/hostile")
	if err := errors.Join(err, laxErr, hostileErr); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("GORACE", "atexit_sleep_ms=0") // a server that ends slowly is told to
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			e.Setenv("XDG_RUNTIME_DIR", filepath.Join(e.WorkDir, "run"))
			// Terminals look for processes in /tmp as well, where other runs may be.
			e.Setenv("GROUP", "t"+strings.ToLower(rand.Text()))
			e.Setenv("GOBUILDCACHE", goBuildCache())
			e.Setenv("GUESTS", guests) // plugins that behave, and one that does not
			e.Setenv("LAX", lax)
			e.Setenv("HOSTILE", hostile)
			if err := os.Mkdir(filepath.Join(e.WorkDir, "run"), 0o700); err != nil {
				return err
			}
			return errors.Join(os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700), scriptPlugins(filepath.Join(e.WorkDir, "plugins")))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "until": until, "edit": edit, "move": moveNewest, "snippet": snippet, "endpoint": endpoint, "swell": swell,
			"registry": scriptRegistry, "proxy": scriptProxy, "signed": scriptSigned, "login": scriptLogin, "policies": scriptPolicies, "shape": scriptShape,
		},
	})
}

// goBuildCache is where builds of scripts find what others have compiled.
func goBuildCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "go-build")
	}
	return filepath.Join(dir, "go-build")
}

// scriptPlugins puts the guests of scripts into a directory.
func scriptPlugins(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, from := range map[string]string{"shy.wasm": "testdata/plugins/shy.wasm", "confidential.wasm": "demo_contract.wasm"} {
		data, err := os.ReadFile(filepath.FromSlash(from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// exits runs a command that has to end with an exit code: exits CODE COMMAND.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d; want %s", code, args[0])
	}
}

// scriptPatience bounds only a script that fails.
const scriptPatience = time.Minute

// until runs a command again and again, for scriptPatience at most, until its output
// matches: until REGEXP COMMAND ARGS...
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP COMMAND ARGS...")
	}
	want, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for end := time.Now().Add(scriptPatience); ; time.Sleep(20 * time.Millisecond) {
		_ = ts.Exec(args[1], args[2:]...) // its output says enough
		if want.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("the output never matched %q", args[0])
		}
	}
}

// newest returns the newest ledger file of a directory.
func newest(ts *testscript.TestScript, dir string) string {
	files, err := ledger.Group(ts.MkAbs(dir))
	if err != nil || len(files) == 0 {
		ts.Fatalf("no ledger files in %s (%v)", dir, err)
	}
	return files[len(files)-1].Path
}

// edit replaces a text in the newest ledger file of a directory, once: edit DIR
// OLD NEW.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	path := newest(ts, args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if !bytes.Contains(data, []byte(args[1])) {
		ts.Fatalf("%s does not hold %s", path, args[1])
	}
	ts.Check(os.WriteFile(path, bytes.Replace(data, []byte(args[1]), []byte(args[2]), 1), 0o600))
}

// swell puts text that does not compress in the place of a word in a file: swell
// FILE WORD BYTES.
func swell(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	var filler strings.Builder
	for filler.Len() < n {
		filler.WriteString(rand.Text() + " ")
	}
	data := ts.ReadFile(args[0])
	if !strings.Contains(data, args[1]) {
		ts.Fatalf("%s does not hold %s", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(data, args[1], filler.String())), 0o600))
}

// moveNewest moves the newest ledger file: move DIR DIR.
func moveNewest(ts *testscript.TestScript, _ bool, args []string) {
	path := newest(ts, args[0])
	ts.Check(os.Rename(path, filepath.Join(ts.MkAbs(args[1]), filepath.Base(path))))
}

// snippet writes the policy that `callgate why` has just printed to a file.
func snippet(ts *testscript.TestScript, _ bool, args []string) {
	_, policy, ok := strings.Cut(ts.ReadFile("stdout"), "\n\ncallgate: 1\n")
	if !ok {
		ts.Fatalf("no policy in the output")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("callgate: 1\n"+policy), 0o600))
}

// fakeServer is an MCP server: fakeserver TOOLS RESULTS LOG. TOOLS holds a
// tools/list result, RESULTS the text that each tool answers with. Each call is
// written to LOG before it is answered.
func fakeServer(args []string) int {
	// On a busy machine the end of the input can take longer than the gate waits
	// before it tells the server to end; that is no other exit code here.
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	go func() { <-told; os.Exit(0) }()
	tools, results := readJSON(args[0]), readJSON(args[1])
	log, err := os.OpenFile(args[2], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	defer log.Close()
	in := wire.NewReader(os.Stdin, 0)
	for {
		line, err := in.Next()
		if err != nil {
			return 0
		}
		request, err := abi.Parse(bytes.TrimSpace(line.Bytes))
		if err != nil || !request.Get("id").Exists() {
			continue
		}
		params := request.Get("params")
		result := abi.ObjectValue()
		switch request.Get("method").Str() {
		case "initialize":
			result = object("protocolVersion", "2025-06-18", "capabilities", object("tools", abi.ObjectValue()),
				"serverInfo", object("name", "fake", "version", "1"))
			if said := tools.Get("says"); said.Exists() {
				result = said
			}
		case "tools/list":
			result = tools
		case "tools/call":
			fmt.Fprintf(log, "%s %s\n", params.Get("name").Str(), params.Get("arguments"))
			text := results.Get(params.Get("name").Str()).Str()
			result = object("content", abi.ArrayValue(object("type", "text", "text", text)))
		}
		answer := object("jsonrpc", "2.0", "id", request.Get("id"), "result", result)
		if _, err := os.Stdout.Write(append(answer.Append(nil), '\n')); err != nil {
			return 0
		}
	}
}

func readJSON(path string) abi.Value {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	v, err := abi.Parse(data)
	if err != nil {
		panic(err)
	}
	return v
}

// talk is a client that waits: talk FRAMES COMMAND ARGS... sends a line of
// FRAMES, and after a request waits for an answer, which it prints. A line that
// starts with ! is sent without it, and nothing is waited for.
func talk(frames string, command []string) int {
	lines, err := os.ReadFile(frames)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	answers := wire.NewReader(out, 0)
	for line := range bytes.Lines(lines) {
		quiet := bytes.HasPrefix(line, []byte("!"))
		if _, err := in.Write(bytes.TrimPrefix(line, []byte("!"))); err != nil {
			break
		}
		if quiet || !bytes.Contains(line, []byte(`"id"`)) {
			continue
		}
		answer, err := answers.Next()
		if err != nil {
			break
		}
		os.Stdout.Write(answer.Bytes)
	}
	in.Close()
	if _, err := io.Copy(os.Stdout, out); err != nil {
		panic(err)
	}
	if err := cmd.Wait(); err != nil {
		return cmd.ProcessState.ExitCode()
	}
	return 0
}
