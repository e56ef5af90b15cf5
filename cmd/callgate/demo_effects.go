package main

import (
	"bytes"
	"os"
	"slices"
	"sync"

	"github.com/callgate/callgate/abi"
)

// demoEffect is one thing that a demo server really did, as its own log has it.
type demoEffect struct {
	did     string
	details []abi.Member
}

func (e demoEffect) String() string {
	return abi.ObjectValue(append([]abi.Member{{Name: "did", Value: abi.StringValue(e.did)}}, e.details...)...).String()
}

// demoMail is the arguments of the tool send_email.
type demoMail struct {
	to            []string
	cc, bcc       string
	subject, body string
}

// members are the arguments that are not empty.
func (m demoMail) members() []abi.Member {
	to := make([]abi.Value, len(m.to))
	for i, address := range m.to {
		to[i] = abi.StringValue(address)
	}
	out := []abi.Member{{Name: "to", Value: abi.ArrayValue(to...)}}
	for _, s := range []struct{ name, value string }{{"cc", m.cc}, {"bcc", m.bcc}, {"subject", m.subject}, {"body", m.body}} {
		if s.value != "" {
			out = append(out, abi.Member{Name: s.name, Value: abi.StringValue(s.value)})
		}
	}
	return out
}

func (m demoMail) arguments() abi.Value { return abi.ObjectValue(m.members()...) }

func (m demoMail) sent() string { return demoEffect{"send_email", m.members()}.String() }

// demoFileEffect is what the file area logs.
func demoFileEffect(tool, path string) string {
	return demoEffect{tool, []abi.Member{{Name: "path", Value: abi.StringValue(path)}}}.String()
}

// demoLogWriter appends to the log of a demo server. Tools run concurrently.
type demoLogWriter struct {
	mu   sync.Mutex
	path string
}

func (w *demoLogWriter) add(line string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line + "\n"); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// demoLogFile is the name of a server's log in its directory.
const demoLogFile = "really-done.jsonl"

// demoLog is a server's log as the demo reads it, and what must be in it.
type demoLog struct {
	path string
	seen int
	want []string
}

// all returns every line of the log.
func (l *demoLog) all() ([]string, error) {
	data, err := os.ReadFile(l.path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var lines []string
	for line := range bytes.Lines(data) {
		lines = append(lines, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return lines, err
}

// gained returns what the log gained since it was asked last.
func (l *demoLog) gained() ([]string, error) {
	lines, err := l.all()
	if err != nil || len(lines) < l.seen {
		return nil, err
	}
	out := slices.Clone(lines[l.seen:])
	l.seen = len(lines)
	return out, nil
}
