package approval

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// The socket speaks lines: one JSON object each, ended by a line feed, read
// strictly. A request names what to do; it is answered by one line
// or, for the open questions, by one line each and a last one.
const (
	maxRequest  = 1 << 20  // bytes of a line from a terminal
	maxResponse = 64 << 20 // bytes of a line from a process: a call with its evidence
	// MaxContext is how much text one `callgate context add` may hand over, in
	// bytes.
	MaxContext = 64 << 10
)

// The things that a request can ask for.
const (
	doInfo    = "info"
	doPending = "pending"
	doAnswer  = "answer"
	doContext = "context"
	doAccept  = "accept"
	doPolicy  = "policy"
	doLook    = "look"
)

// request is a line from a terminal.
type request struct {
	do   string
	id   string // doAnswer
	yes  bool   // doAnswer
	text string // doContext

	tool, digest string // doAccept; doPolicy has the digest alone
}

// requestMembers lists the members of each kind of request beside "do". All of
// them must be there.
func requestMembers(do string) ([]string, bool) {
	switch do {
	case doInfo, doPending, doLook:
		return nil, true
	case doAnswer:
		return []string{"answer", "id"}, true
	case doContext:
		return []string{"text"}, true
	case doAccept:
		return []string{"digest", "tool"}, true
	case doPolicy:
		return []string{"digest"}, true
	}
	return nil, false
}

func parseRequest(line []byte) (request, error) {
	v, err := abi.Parse(line)
	if err != nil {
		return request{}, fmt.Errorf("a request that is not JSON: %w", err)
	}
	if v.Kind() != abi.Object || !v.Get("do").IsString() {
		return request{}, errors.New(`a request without "do"; want an object such as {"do":"pending"}`)
	}
	r := request{do: v.Get("do").Str()}
	want, ok := requestMembers(r.do)
	if !ok {
		return request{}, fmt.Errorf("a request to do %q; want info, pending, answer, context, accept or policy", r.do)
	}
	for _, m := range v.Members() {
		if m.Name == "do" {
			continue
		}
		if !slices.Contains(want, m.Name) {
			return request{}, fmt.Errorf("a request to do %q with a member %q; want %q", r.do, m.Name, want)
		}
		if m.Value.Kind() != abi.String {
			return request{}, fmt.Errorf("a request to do %q whose %q is no string of valid Unicode", r.do, m.Name)
		}
	}
	if v.Len() != len(want)+1 {
		return request{}, fmt.Errorf("a request to do %q that lacks a member; want %q", r.do, want)
	}
	r.id, r.text = v.Get("id").Str(), v.Get("text").Str()
	r.tool, r.digest = v.Get("tool").Str(), v.Get("digest").Str()
	switch answer := v.Get("answer").Str(); {
	case r.do != doAnswer:
	case answer == "approve":
		r.yes = true
	case answer != "deny":
		return request{}, fmt.Errorf("an answer %q; want approve or deny", answer)
	}
	return r, nil
}

func (r request) line() []byte {
	members := []abi.Member{{Name: "do", Value: abi.StringValue(r.do)}}
	switch r.do {
	case doAnswer:
		answer := "deny"
		if r.yes {
			answer = "approve"
		}
		members = append(members, text("id", r.id), text("answer", answer))
	case doContext:
		members = append(members, text("text", r.text))
	case doAccept:
		members = append(members, text("tool", r.tool), text("digest", r.digest))
	case doPolicy:
		members = append(members, text("digest", r.digest))
	}
	return append(abi.ObjectValue(members...).Append(nil), '\n')
}

func text(name, s string) abi.Member { return abi.Member{Name: name, Value: abi.StringValue(s)} }

// checkContext says why a text can not be handed over.
func checkContext(s string) error {
	switch {
	case s == "":
		return errors.New("an empty text adds no context; give it one")
	case len(s) > MaxContext:
		return fmt.Errorf("a text of %d bytes; at most %d are taken at a time, so divide it", len(s), MaxContext)
	case !utf8.ValidString(s):
		return errors.New("a text that is not UTF-8; convert it")
	}
	return nil
}

// readLine reads one line of at most most bytes, without its end. What comes
// after an oversized line is not read: the connection is of no more use.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most+1 {
			return nil, fmt.Errorf("a line of more than %d bytes", most)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, errors.New("a line without an end: the connection broke")
		default:
			return nil, err
		}
	}
}

// questionValue is a question as JSON: the ask as an event of its time, and
// what belongs to the process beside it.
func questionValue(q Question) (abi.Value, error) {
	ask := q.Ask
	event, err := abi.ParseEventValue(abi.Event{Time: q.Asked, Ask: &ask}.Append(nil))
	if err != nil {
		return abi.Value{}, err
	}
	members := []abi.Member{
		text("id", q.ID), text("group", q.Group), text("policy", q.Policy), {Name: "event", Value: event},
		{Name: "held", Value: abi.BoolValue(q.Held)}, {Name: "waiting", Value: abi.IntValue(int64(q.Waiting))},
	}
	if q.Arguments.Exists() {
		members = append(members, abi.Member{Name: "arguments", Value: q.Arguments})
	}
	return abi.ObjectValue(members...), nil
}

func parseQuestion(v abi.Value) (Question, error) {
	e, err := abi.EventFrom(v.Get("event"))
	if err != nil {
		return Question{}, fmt.Errorf("a question that can not be read: %w", err)
	}
	id, waiting := v.Get("id"), v.Get("waiting")
	n, err := strconv.Atoi(waiting.Lexeme())
	if e.Ask == nil || !id.IsString() || id.Str() == "" || err != nil {
		return Question{}, errors.New("a question without its ask, id or number of calls; its process has another version")
	}
	return Question{
		ID: id.Str(), Group: v.Get("group").Str(), Policy: v.Get("policy").Str(), Ask: *e.Ask, Arguments: v.Get("arguments"),
		Asked: e.Time, Held: v.Get("held").True(), Waiting: n,
	}, nil
}

// Info says what a process is and does.
type Info struct {
	ID           string // of the process's part of the session
	Server       string // the operator's name for the wrapped server
	Group        string
	Ledger       string // path of its ledger file
	Version      string // of Callgate
	Policy       string // name of the policy
	PolicyDigest string
	Files        []string // that the policy was merged from
	PID          int      // of the callgate process
	Started      time.Time
	UserContext  bool     // it takes `callgate context add`
	Observe      bool     // it only writes down what it would deny
	Reload       *Reload  // nil: it reads its policy once
	Labels       []string // that the session holds
}

func infoValue(i Info) abi.Value {
	files := make([]abi.Value, len(i.Files))
	for n, f := range i.Files {
		files[n] = abi.StringValue(f)
	}
	v := abi.ObjectValue(
		text("id", i.ID), text("server", i.Server), text("group", i.Group), text("ledger", i.Ledger), text("version", i.Version),
		text("policy", i.Policy), text("digest", i.PolicyDigest), abi.Member{Name: "files", Value: abi.ArrayValue(files...)},
		abi.Member{Name: "pid", Value: abi.IntValue(int64(i.PID))}, text("started", i.Started.UTC().Format(time.RFC3339Nano)),
		abi.Member{Name: "user_context", Value: abi.BoolValue(i.UserContext)}, abi.Member{Name: "observe", Value: abi.BoolValue(i.Observe)},
	)
	if len(i.Labels) > 0 {
		v = v.With("labels", textsOf("labels", i.Labels).Value)
	}
	if i.Reload != nil {
		v = v.With("reload", i.Reload.value())
	}
	return v
}

func parseInfo(v abi.Value) (Info, error) {
	pid, err := strconv.Atoi(v.Get("pid").Lexeme())
	started, timeErr := time.Parse(time.RFC3339Nano, v.Get("started").Str())
	if err := errors.Join(err, timeErr); err != nil {
		return Info{}, fmt.Errorf("a process that does not say what it is: %w", err)
	}
	i := Info{
		ID: v.Get("id").Str(), Server: v.Get("server").Str(), Group: v.Get("group").Str(), Ledger: v.Get("ledger").Str(),
		Version: v.Get("version").Str(), Policy: v.Get("policy").Str(), PolicyDigest: v.Get("digest").Str(), PID: pid, Started: started,
		UserContext: v.Get("user_context").True(), Observe: v.Get("observe").True(),
	}
	i.Reload = parseReload(v.Get("reload"))
	for _, l := range v.Get("labels").Items() {
		i.Labels = append(i.Labels, l.Str())
	}
	for _, f := range v.Get("files").Items() {
		i.Files = append(i.Files, f.Str())
	}
	return i, nil
}
