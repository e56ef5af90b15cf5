package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// maxTrace bounds a recorded trace, in bytes.
const maxTrace = 64 << 20

// dojoFlags say how recorded traces of AgentDojo are replayed.
type dojoFlags struct {
	dir     string
	context bool   // the user's prompt is known
	results string // structured or text
	json    bool
}

// dojoSuite is one suite: its tools, and its traces.
type dojoSuite struct {
	name           string
	tools          []abi.Value
	benign, attack []dojoTrace
}

// dojoTrace is a task of the user, or the pair of one and of what an attacker
// wants.
type dojoTrace struct {
	task, injection, prompt string
	steps, attack           []dojoStep
	pair                    bool // attack says what counts
}

// dojoStep is a call that was made, and its result.
type dojoStep struct {
	tool, text            string
	arguments, structured abi.Value
	failed                bool
}

// dojo replays the suites of a directory and prints what became of them.
func dojo(std stdio, f dojoFlags, p policyFlags) error {
	if f.results != "structured" && f.results != "text" {
		return fmt.Errorf("--results %q: want structured or text", f.results)
	}
	g, err := loadDojoGate(p, f)
	if err != nil {
		return err
	}
	suites, err := readSuites(f.dir)
	if err != nil {
		return err
	}
	report := &dojoReport{flags: f, policy: g.policy.Name()}
	for _, s := range suites {
		report.suites = append(report.suites, g.suite(s))
	}
	if f.json {
		_, err = std.out.Write(jsonLine(report.value()))
	} else {
		_, err = io.WriteString(std.out, report.text())
	}
	if err != nil {
		return err
	}
	if why := report.failed(); why != "" {
		return failed(errors.New(why))
	}
	return nil
}

// The names of a suite's files.
const (
	dojoTools  = ".tools.json"
	dojoBenign = ".benign.jsonl"
	dojoAttack = ".attack.jsonl"
)

// readSuites reads the suites of a directory: SUITE.tools.json, and
// SUITE.benign.jsonl and SUITE.attack.jsonl, compressed with gzip or not.
func readSuites(dir string) ([]dojoSuite, error) {
	names, err := suiteNames(dir)
	if err != nil {
		return nil, err
	}
	var out []dojoSuite
	for _, name := range names {
		s := dojoSuite{name: name}
		if s.tools, err = readSuiteTools(filepath.Join(dir, name+dojoTools)); err != nil {
			return nil, err
		}
		if s.benign, err = readTraces(dir, name+dojoBenign, false); err != nil {
			return nil, err
		}
		if s.attack, err = readTraces(dir, name+dojoAttack, true); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// suiteNames lists every suite that has a file in the directory, so that none is
// left out for a file that it lacks.
func suiteNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unread(err, "name the directory of the recorded suites")
	}
	var names []string
	for _, e := range entries {
		for _, end := range []string{dojoTools, dojoBenign, dojoAttack} {
			if name, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), end); ok && name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return nil, fmt.Errorf("%q holds no SUITE%s; name the directory of the recorded suites", dir, dojoTools)
	}
	return names, nil
}

func readSuiteTools(file string) ([]abi.Value, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, unread(err, "every suite needs the list of its tools")
	}
	v, err := abi.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", file, err)
	}
	if v.Kind() == abi.Object {
		v = v.Get("tools")
	}
	if v.Len() == 0 || v.Kind() != abi.Array {
		return nil, fmt.Errorf("%q: no tools; want a list, or an object with one as tools", file)
	}
	return v.Items(), nil
}

// openTraces opens a file of traces, compressed or not.
func openTraces(path string) (io.Reader, io.Closer, error) {
	f, err := os.Open(path + ".gz")
	if errors.Is(err, os.ErrNotExist) {
		if f, err = os.Open(path); err != nil {
			return nil, nil, fmt.Errorf("traces of a suite: %w; want the file, or one with .gz at its end", err)
		}
		return f, f, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("traces of a suite: %w", err)
	}
	in, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s.gz: %w", path, err)
	}
	return in, f, nil
}

func readTraces(dir, name string, attack bool) ([]dojoTrace, error) {
	path := filepath.Join(dir, name)
	in, file, err := openTraces(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []dojoTrace
	lines := wire.NewReader(in, maxTrace)
	for n := 1; ; n++ {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if len(bytes.TrimSpace(line.Bytes)) == 0 {
			continue
		}
		if line.TooLong {
			return nil, fmt.Errorf("%s:%d: a line of more than %d bytes", path, n, maxTrace)
		}
		t, err := readTrace(line.Bytes, attack)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no traces", path)
	}
	return out, nil
}

// readTrace reads one line. An attack without calls is one: it works by words
// alone.
func readTrace(line []byte, attack bool) (dojoTrace, error) {
	v, err := abi.Parse(line)
	if err != nil {
		return dojoTrace{}, err
	}
	t := dojoTrace{task: v.Get("user_task").Str(), injection: v.Get("injection_task").Str(), prompt: v.Get("prompt").Str(), pair: attack}
	if t.task == "" {
		return t, errors.New("no user_task; want the task's name")
	}
	if t.steps, err = dojoSteps(v, "steps"); err != nil || !attack {
		return t, err
	}
	if t.injection == "" {
		return t, errors.New("no injection_task; want the name of what the attacker wants")
	}
	t.attack, err = dojoSteps(v, "attack_steps")
	return t, err
}

func dojoSteps(v abi.Value, name string) ([]dojoStep, error) {
	list := v.Get(name)
	if list.Kind() != abi.Array {
		return nil, fmt.Errorf("%s: want a list of calls", name)
	}
	var out []dojoStep
	for i, s := range list.Items() {
		step := dojoStep{
			tool: s.Get("tool").Str(), arguments: s.Get("arguments"), text: s.Get("text").Str(), structured: s.Get("structured"), failed: s.Get("isError").True(),
		}
		if step.tool == "" || step.arguments.Kind() != abi.Object {
			return nil, fmt.Errorf("%s[%d]: want tool, a name, and arguments, an object", name, i)
		}
		out = append(out, step)
	}
	return out, nil
}

// suite replays all traces of a suite, each in a session of its own.
func (g *dojoGate) suite(s dojoSuite) suiteReport {
	out := suiteReport{name: s.name, benign: make([]played, len(s.benign)), attack: make([]played, len(s.attack))}
	type job struct {
		trace *dojoTrace
		to    *played
	}
	next := make(chan job)
	var workers sync.WaitGroup
	for range min(runtime.NumCPU(), 8) {
		workers.Go(func() {
			for j := range next {
				*j.to = g.explained(&s, j.trace)
			}
		})
	}
	for i := range s.benign {
		next <- job{&s.benign[i], &out.benign[i]}
	}
	for i := range s.attack {
		next <- job{&s.attack[i], &out.attack[i]}
	}
	close(next)
	workers.Wait()
	return out
}
