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
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wire"
)

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
}

// dojoStep is a call that was made, and its result.
type dojoStep struct {
	tool             string
	arguments        abi.Value
	text, structured abi.Value
	failed           bool
}

// dojo replays the suites of a directory and prints what became of them.
func dojo(std stdio, f dojoFlags, p policyFlags) error {
	if f.results != "structured" && f.results != "text" {
		return fmt.Errorf("--results %q: want structured or text", f.results)
	}
	in, err := loadDojoPolicy(p, f.context)
	if err != nil {
		return err
	}
	suites, err := readSuites(f.dir)
	if err != nil {
		return err
	}
	report := &dojoReport{flags: f, policy: in.Name()}
	for _, s := range suites {
		report.suites = append(report.suites, in.suite(s, f))
	}
	if f.json {
		_, err = std.out.Write(append(report.value().Append(nil), '\n'))
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

// dojoGate is the policy that judges.
type dojoGate struct{ *policy.Policy }

// loadDojoPolicy loads the policy. That the prompt is known is what the flag
// says, so the policy need not.
func loadDojoPolicy(f policyFlags, context bool) (dojoGate, error) {
	o := policy.Options{Files: f.files, Floor: f.floor, Specs: builtin.Table()}
	if context {
		const layer = "--user-context"
		o.Files = append(slices.Clone(o.Files), layer)
		if len(f.files) == 0 {
			o.Files = []string{policy.Starter, layer}
		}
		o.Read = func(path string) ([]byte, error) {
			if path == layer {
				return []byte("callgate: 1\nsettings: {user_context: true, replace: [user_context]}\n"), nil
			}
			return os.ReadFile(path)
		}
	}
	p, err := policy.Load(o)
	return dojoGate{p}, err
}

// readSuites reads the suites of a directory: SUITE.tools.json, and
// SUITE.benign.jsonl and SUITE.attack.jsonl, compressed with gzip or not.
func readSuites(dir string) ([]dojoSuite, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tools.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%q holds no SUITE.tools.json; name the directory of the recorded suites", dir)
	}
	var out []dojoSuite
	for _, file := range files {
		s := dojoSuite{name: strings.TrimSuffix(filepath.Base(file), ".tools.json")}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		v, err := abi.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if s.tools = v.Items(); v.Get("tools").Exists() {
			s.tools = v.Get("tools").Items()
		}
		if len(s.tools) == 0 {
			return nil, fmt.Errorf("%s: no tools; want a list, or an object with one as tools", file)
		}
		if s.benign, err = readTraces(dir, s.name+".benign.jsonl"); err != nil {
			return nil, err
		}
		if s.attack, err = readTraces(dir, s.name+".attack.jsonl"); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func readTraces(dir, name string) ([]dojoTrace, error) {
	path := filepath.Join(dir, name)
	var in io.Reader
	f, err := os.Open(path + ".gz")
	if errors.Is(err, os.ErrNotExist) {
		if f, err = os.Open(path); err == nil {
			in = f
		}
	} else if err == nil {
		in, err = gzip.NewReader(bufio.NewReader(f))
	}
	if err != nil {
		return nil, fmt.Errorf("traces of a suite: %w", err)
	}
	defer f.Close()
	var out []dojoTrace
	lines := wire.NewReader(in, 64<<20)
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
		v, err := abi.Parse(line.Bytes)
		if err != nil || line.TooLong {
			return nil, fmt.Errorf("%s:%d: no JSON: %w", path, n, err)
		}
		t := dojoTrace{task: v.Get("user_task").Str(), injection: v.Get("injection_task").Str(), prompt: v.Get("prompt").Str()}
		t.steps, t.attack = dojoSteps(v.Get("steps")), dojoSteps(v.Get("attack_steps"))
		out = append(out, t)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no traces", path)
	}
	return out, nil
}

func dojoSteps(v abi.Value) []dojoStep {
	var out []dojoStep
	for _, s := range v.Items() {
		out = append(out, dojoStep{
			tool: s.Get("tool").Str(), arguments: s.Get("arguments"), text: s.Get("text"), structured: s.Get("structured"), failed: s.Get("isError").True(),
		})
	}
	return out
}

// suite replays all traces of a suite, each in a session of its own.
func (p dojoGate) suite(s dojoSuite, f dojoFlags) suiteReport {
	out := suiteReport{name: s.name, benign: make([]played, len(s.benign)), attack: make([]played, len(s.attack))}
	type job struct {
		trace *dojoTrace
		to    *played
	}
	var jobs []job
	for i := range s.benign {
		jobs = append(jobs, job{&s.benign[i], &out.benign[i]})
	}
	for i := range s.attack {
		jobs = append(jobs, job{&s.attack[i], &out.attack[i]})
	}
	next := make(chan job)
	var workers sync.WaitGroup
	for range min(runtime.NumCPU(), 8) {
		workers.Go(func() {
			for j := range next {
				*j.to = p.play(s, *j.trace, f)
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	workers.Wait()
	return out
}
