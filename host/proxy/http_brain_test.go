package proxy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// brain is a server that speaks every kind of MCP, over lines or over HTTP. It
// reads carelessly, and logs what reached it, one line a message, compacted.
type brain struct {
	mu  sync.Mutex
	log io.Writer
}

// brainFrame is what the brain reads of a message.
type brainFrame struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name          string
		URI           string
		TaskID        string `json:"taskId"`
		Version       string `json:"protocolVersion"`
		Arguments     json.RawMessage
		Notifications json.RawMessage
		Responses     json.RawMessage `json:"inputResponses"`
		State         string          `json:"requestState"`
	}
}

const brainTools = `{"tools":[{"name":"good","inputSchema":{"type":"object","properties":{"a":{}}}},{"name":"bad"},{"name":"ask"},{"name":"say"},` +
	`{"name":"big"},{"name":"slow"},{"name":"hidden"},{"name":"who"},{"name":"die"}],"nextCursor":"c"}`

// got logs a message.
func (b *brain) got(raw []byte) {
	var one bytes.Buffer
	if json.Compact(&one, raw) != nil {
		one.Reset()
		fmt.Fprintf(&one, "%q", raw)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.log, "got %s\n", one.Bytes())
}

// serve answers a message. It says whether an answer is still to come, which is
// never.
func (b *brain) serve(raw []byte, emit func(string)) (never bool) {
	b.got(raw)
	return b.answer(raw, emit)
}

func (b *brain) answer(raw []byte, emit func(string)) (never bool) {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '[' {
		var batch []json.RawMessage
		var answers []string
		if json.Unmarshal(raw, &batch) == nil {
			for _, one := range batch {
				b.answer(one, func(a string) { answers = append(answers, a) })
			}
		}
		if answers != nil {
			emit("[" + strings.Join(answers, ",") + "]")
		}
		return false
	}
	var m brainFrame
	if json.Unmarshal(raw, &m) != nil || m.ID == nil || m.Method == "" {
		return false
	}
	result := func(r string) { emit(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, r)) }
	var asked struct{ Lists string }
	if json.Unmarshal(m.Params.Arguments, &asked) == nil && asked.Lists != "" {
		result(asked.Lists)
		return false
	}
	switch m.Method {
	case "initialize":
		result(`{"protocolVersion":"` + m.Params.Version + `","capabilities":{"tools":{}},"serverInfo":{"name":"brain","version":"1"}}`)
	case "server/discover":
		result(`{"supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"brain","version":"1"},"resultType":"complete"}`)
	case "tools/list":
		result(brainTools)
	case "tools/call":
		return b.call(m, emit, result)
	case "resources/read":
		result(`{"contents":[{"uri":"` + m.Params.URI + `","text":"read"}]}`)
	case "prompts/get":
		result(`{"messages":[{"role":"user","content":{"type":"text","text":"prompted"}}]}`)
	case "completion/complete":
		result(`{"completion":{"values":["completed"]}}`)
	case "subscriptions/listen":
		acked := m.Params.Notifications
		if more := (struct{ Acks json.RawMessage }{}); json.Unmarshal(m.Params.Arguments, &more) == nil && more.Acks != nil {
			acked = more.Acks
		}
		emit(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":%s,"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, acked, m.ID))
		return true
	case "tasks/get", "tasks/result":
		result(`{"taskId":"` + m.Params.TaskID + `","status":"completed","content":[]}`)
	default:
		result(`{"done":"` + m.Method + `"}`)
	}
	return false
}

func (b *brain) call(m brainFrame, emit, result func(string)) (never bool) {
	switch m.Params.Name {
	case "slow":
		return true
	case "big":
		result(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 5000) + `"}]}`)
	case "say":
		var said struct{ Lines []string }
		_ = json.Unmarshal(m.Params.Arguments, &said)
		for _, line := range said.Lines {
			emit(strings.ReplaceAll(line, "ID", string(m.ID)))
		}
		return len(said.Lines) == 0
	case "who":
		if m.Params.Responses == nil {
			result(`{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form","message":"who?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"mine"}`)
			return false
		}
		result(`{"resultType":"complete","content":[{"type":"text","text":"state ` + m.Params.State + `"}]}`)
	default:
		result(`{"content":[{"type":"text","text":"ran ` + m.Params.Name + `"}]}`)
	}
	return false
}

// brainOverLines is the brain as a child.
func brainOverLines() {
	log, err := os.OpenFile(os.Getenv("FAKE_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(log, "started", os.Getpid())
	b := &brain{log: log}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if bytes.Contains(line, []byte(`"name":"die"`)) || os.Getenv("FAKE_DIES") != "" && bytes.Contains(line, []byte(os.Getenv("FAKE_DIES"))) {
				b.got(line)
				os.Exit(7)
			}
			b.serve(line, func(frame string) { fmt.Println(frame) })
		}
		if err != nil {
			return
		}
	}
}

// brainOverHTTP is the brain behind Streamable HTTP.
type brainOverHTTP struct {
	brain
	logged safeBuffer
	style  string // of answers: json, pretty, sse, crlf

	mu       sync.Mutex
	n        int
	sessions map[string]bool
	headers  []http.Header // of every request
	streams  map[string]chan string
	// before, if set, may serve a request instead.
	before func(w http.ResponseWriter, r *http.Request, body []byte) bool
	name   func() string // of a new session; nil: numbered
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// newBrain serves the brain over HTTP until the test ends.
func newBrain(t testing.TB, style string) (*brainOverHTTP, *httptest.Server) {
	b := &brainOverHTTP{style: style, sessions: map[string]bool{}, streams: map[string]chan string{}}
	b.log = &b.logged
	s := httptest.NewServer(b)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return b, s
}

// seen returns the headers of every request so far.
func (b *brainOverHTTP) seen() []http.Header {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]http.Header(nil), b.headers...)
}

func (b *brainOverHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	b.mu.Lock()
	b.headers = append(b.headers, r.Header.Clone())
	before := b.before
	b.mu.Unlock()
	if before != nil && before(w, r, body) {
		return
	}
	id := r.Header.Get("Mcp-Session-Id")
	modern := bytes.Contains(body, []byte(`"io.modelcontextprotocol/protocolVersion"`))
	b.mu.Lock()
	known := b.sessions[id]
	b.mu.Unlock()
	if id != "" && !known {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	switch r.Method {
	case http.MethodDelete:
		b.mu.Lock()
		delete(b.sessions, id)
		b.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet:
		b.listen(w, r, id)
	case http.MethodPost:
		if !modern && id == "" && !bytes.Contains(body, []byte(`"initialize"`)) {
			http.Error(w, "no session", http.StatusBadRequest)
			return
		}
		if bytes.Contains(body, []byte(`"initialize"`)) && id == "" {
			w.Header().Set("Mcp-Session-Id", b.session())
		}
		b.post(w, r, body)
	}
}

func (b *brainOverHTTP) session() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	id := fmt.Sprintf("session-%d", b.n)
	if b.name != nil {
		id = b.name()
	}
	b.sessions[id] = true
	return id
}

// listen is the stream for what the server says by itself; say writes to it.
func (b *brainOverHTTP) listen(w http.ResponseWriter, r *http.Request, id string) {
	said := make(chan string, 16)
	b.mu.Lock()
	b.streams[id] = said
	b.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for n := 0; ; n++ {
		select {
		case <-r.Context().Done():
			return
		case line := <-said:
			fmt.Fprintf(w, "id: g%d\ndata: %s\n\n", n, line)
			w.(http.Flusher).Flush()
		}
	}
}

// say has the server say something by itself in a session, once its client
// listens.
func (b *brainOverHTTP) say(t *testing.T, id, line string) {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		b.mu.Lock()
		to := b.streams[id]
		b.mu.Unlock()
		if to != nil {
			to <- line
			return
		}
	}
	t.Fatalf("nobody listens in %q", id)
}

func (b *brainOverHTTP) post(w http.ResponseWriter, r *http.Request, body []byte) {
	var out []string
	never := b.serve(body, func(f string) { out = append(out, f) })
	if len(out) == 0 && !never {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if b.style == "json" || b.style == "pretty" {
		if len(out) == 1 && !never {
			w.Header().Set("Content-Type", "application/json")
			if b.style == "pretty" {
				var indented bytes.Buffer
				_ = json.Indent(&indented, []byte(out[0]), "", "  ")
				out[0] = indented.String()
			}
			_, _ = io.WriteString(w, out[0])
			return
		}
	}
	end := "\n"
	if b.style == "crlf" {
		end = "\r\n"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, f := range out {
		fmt.Fprintf(w, "event: message%s%sdata: %s%s%s", end, "", f, end, end)
		w.(http.Flusher).Flush()
	}
	if never {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}
