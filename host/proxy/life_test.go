package proxy_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/proxy"
)

func (l *link) ranLog() string {
	data, _ := os.ReadFile(l.log)
	return string(data)
}

// pid is the process id of the server.
func (l *link) pid() int {
	rest, _ := strings.CutPrefix(strings.SplitN(l.ranLog(), "\n", 2)[0], "started ")
	n, _ := strconv.Atoi(rest)
	return n
}

// ledgerEvents reads every event of every file of a group.
func ledgerEvents(t *testing.T, dir string) []abi.Event {
	t.Helper()
	files, err := ledger.Group(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []abi.Event
	for _, f := range files {
		err := ledger.Read(f.Path, func(line []byte) error {
			e, err := abi.ParseEvent(line)
			out = append(out, e)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatal("the ledger is empty")
	}
	return out
}

func TestAServerThatReadsNoMoreGetsItsCallsAnswered(t *testing.T) {
	l := connect(t, setup{policy: onlyGood, mode: "deaf"})
	l.greet("2025-03-26")
	l.send(`{"jsonrpc":"2.0","id":"deaf","method":"ping"}` + "\n")
	l.await(`"deaf"`)
	l.send(fmt.Sprintf(callGood, "7") + `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n")
	l.send(`[{"jsonrpc":"2.0","id":"b","method":"ping"},` + strings.TrimSpace(fmt.Sprintf(callGood, "8")) + "]\n")
	for _, id := range []string{`"id":7,`, `"id":"p",`, `"id":"b",`, `"id":8,`} {
		if got := l.await(id); !strings.Contains(got, "has closed its input") {
			t.Error(got)
		}
	}
}

func TestAServerThatDiesAnswersEverythingThatWasOpen(t *testing.T) {
	l := connect(t, setup{policy: onlyGood})
	l.greet("2025-11-25")
	l.send(`{"jsonrpc":"2.0","id":"waiting","method":"tools/call","params":{"name":"slow"}}` + "\n")
	l.send(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"die"}}` + "\n")
	for _, id := range []string{"waiting", "last"} {
		if got := l.await(`"` + id + `"`); !strings.Contains(got, `"error":{"code":4032`) {
			t.Error(got)
		}
	}
	<-l.done
	if l.code != 7 {
		t.Errorf("exit code %d; want the server's, 7", l.code)
	}
}

func TestAnswersThatComeAfterTheClientsEndAreStillRelayed(t *testing.T) {
	l := connect(t, setup{policy: onlyGood})
	l.greet("2025-11-25")
	for i := 0; i < 20; i++ {
		l.send(fmt.Sprintf(callGood, strconv.Itoa(100+i)))
	}
	l.end()
	for i := 0; i < 20; i++ {
		if !strings.Contains(l.got(), fmt.Sprintf(`"id":%d,"result"`, 100+i)) {
			t.Errorf("answer %d is lost", i)
		}
	}
}

func TestALastFrameWithoutAnEndOfLineIsAFrame(t *testing.T) {
	l := connect(t, setup{policy: onlyGood})
	l.greet("2025-11-25")
	l.send(strings.TrimSpace(fmt.Sprintf(callGood, "8")))
	l.end()
	if !strings.Contains(l.got(), `"id":8,"result"`) {
		t.Error(l.got())
	}
}

func TestALedgerThatFailsDeniesEverything(t *testing.T) {
	l := connect(t, setup{policy: onlyGood})
	l.greet("2025-11-25")
	l.send(fmt.Sprintf(callGood, "1"))
	l.await(`"id":1,"result":{"content":[{"type":"text","text":"ok`)
	if err := l.opened.Ledger.Close(); err != nil {
		t.Fatal(err)
	}
	l.send(fmt.Sprintf(callGood, "2"))
	if got := l.await(`"id":2,`); !strings.Contains(got, "LEDGER_FAILED") || strings.Contains(got, "callgate why") {
		t.Error(got)
	}
	if got := len(l.ran()); got != 1 {
		t.Errorf("%d calls ran; want 1", got)
	}
}

// TestWhatTheLedgerCanNotKeepIsNotShown: an answer that comes after the ledger
// has failed is kept from the client, and the client is told which of the two
// it is: a call that was made, or another request.
func TestWhatTheLedgerCanNotKeepIsNotShown(t *testing.T) {
	const release = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"arguments":"open"}}` + "\n"
	for _, fails := range []bool{false, true} {
		l := connect(t, setup{policy: onlyGood})
		l.greet("2025-11-25")
		l.send(`{"jsonrpc":"2.0","id":"open","method":"tools/call","params":{"name":"slow"}}` + "\n" + `{"jsonrpc":"2.0","id":"seen","method":"ping"}` + "\n")
		l.await(`"seen"`)
		if fails {
			if err := l.opened.Ledger.Close(); err != nil {
				t.Fatal(err)
			}
		}
		l.send(release + `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n")
		call, ping := l.await(`"open"`), l.await(`"p"`)
		if shown := strings.Contains(call, "released"); shown == fails || fails && !strings.Contains(call, "the call was made") {
			t.Errorf("the ledger fails: %v; %s", fails, call)
		}
		if answered := strings.Contains(ping, `"result":{}`); answered == fails || fails && !strings.Contains(ping, "can not keep the answer") {
			t.Errorf("the ledger fails: %v; %s", fails, ping)
		}
	}
}

func TestTheVerdictIsInTheLedgerBeforeTheCallIsSent(t *testing.T) {
	dir := t.TempDir()
	l := connect(t, setup{policy: onlyGood, dir: dir})
	l.greet("2025-11-25")
	l.send(fmt.Sprintf(callGood, "1"))
	l.await(`"id":1,`)
	l.end()
	var kinds []string
	for _, e := range ledgerEvents(t, dir) {
		switch {
		case e.Session != nil:
			kinds = append(kinds, "session")
		case e.Policy != nil:
			kinds = append(kinds, "policy")
		case e.Server != nil:
			kinds = append(kinds, "server")
		case e.Tools != nil:
			kinds = append(kinds, "tools")
		case e.Call != nil:
			kinds = append(kinds, "call")
		case e.Verdict != nil:
			kinds = append(kinds, "verdict")
		case e.Result != nil:
			kinds = append(kinds, "result")
		case e.Frame != nil:
			kinds = append(kinds, "frame")
		case e.Closed != nil:
			kinds = append(kinds, "closed")
		}
	}
	if got, want := strings.Join(kinds, " "), "policy session server tools call verdict result closed"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// TestTheVerdictIsKeptBeforeTheServerGetsTheCall has the server look into the
// ledger at the moment a call reaches it.
func TestTheVerdictIsKeptBeforeTheServerGetsTheCall(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FAKE_LEDGER", dir)
	l := connect(t, setup{policy: onlyGood, dir: dir})
	l.greet("2025-11-25")
	for i := 1; i <= 30; i++ {
		l.send(fmt.Sprintf(callGood, strconv.Itoa(i)))
	}
	l.await(`"id":30,`)
	l.end()
	seen := 0
	for line := range strings.SplitSeq(l.ranLog(), "\n") {
		if rest, ok := strings.CutPrefix(line, "allows in the ledger: "); ok {
			seen++
			if n, _ := strconv.Atoi(rest); n < seen {
				t.Errorf("call %d reached the server with %d verdicts kept", seen, n)
			}
		}
	}
	if seen != 30 {
		t.Fatalf("%d calls reached the server; want 30", seen)
	}
}

func TestARestartResumesBudgetsAndPins(t *testing.T) {
	dir := t.TempDir()
	policy := onlyGood + "budgets:\n  - {name: b, tools: [fake/good], max: 2, per: session, count: attempts}\n"
	for i, want := range []string{`"text":"ok`, `"text":"ok`, "BUDGET_SPENT", "BUDGET_SPENT"} {
		l := connect(t, setup{policy: policy, dir: dir})
		if i == 0 {
			l.greet("2025-11-25")
		}
		l.send(fmt.Sprintf(callGood, "1")) // judged against the stored pin
		if got := l.await(`"id":1,`); !strings.Contains(got, want) {
			t.Errorf("start %d: %s; want %s", i, got, want)
		}
		l.end()
	}
}

func TestDigestsKeepTextOutOfTheLedger(t *testing.T) {
	dir := t.TempDir()
	l := connect(t, setup{policy: strings.Replace(onlyGood, "default: deny", "default: deny, ledger: digests", 1), dir: dir})
	l.greet("2025-11-25")
	l.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":{"a":"a-secret-word"},"task":{"ttl":"a-secret-word"}}}` + "\n")
	l.await(`"id":1,"result":{"content":[{"type":"text","text":"ok`)
	l.end()
	digests := 0
	for _, e := range ledgerEvents(t, dir) {
		if s := e.String(); strings.Contains(s, "a-secret-word") || strings.Contains(s, "9007199254740993") {
			t.Error(s)
		}
		if e.Text != nil && (e.Call != nil || e.Result != nil) {
			digests++
		}
	}
	if digests != 2 {
		t.Errorf("%d digests of call and result; want 2", digests)
	}
}

func TestTheEnvironmentIsWhatThePolicySays(t *testing.T) {
	all := []string{"PATH=/bin", "HOME=/home/u", "TOKEN=t", "CALLGATE_X=1"}
	cases := []struct {
		name  string
		named []string
		only  bool
		want  string
	}{
		{"nothing said", nil, false, "PATH=/bin HOME=/home/u TOKEN=t"},
		{"some named", []string{"PATH", "CALLGATE_X"}, true, "PATH=/bin"},
		{"none named", nil, true, ""},
	}
	for _, c := range cases {
		if got := strings.Join(proxy.Environment(all, c.named, c.only), " "); got != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
	if proxy.Environment(all, nil, true) == nil {
		t.Error("nil would hand down everything")
	}
}

func TestAServerThatClosesItsOutputHasEnded(t *testing.T) {
	for _, call := range []string{"hush", "good"} {
		l := connect(t, setup{policy: onlyGood, mode: "stubborn"})
		l.greet("2025-11-25")
		l.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + call + `"}}` + "\n")
		got := l.await(`"id":1,`)
		if told := strings.Contains(got, "the session ended before the server"); told != (call == "hush") {
			t.Errorf("%s: %s", call, got)
		}
		if call == "hush" {
			<-l.done
		}
	}
}

// full is a client that does not read.
type full struct{ full chan struct{} }

func (f full) Write(p []byte) (int, error) {
	<-f.full
	return len(p), nil
}

func TestAClientThatDoesNotReadDoesNotKeepUsFromEnding(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	out := full{make(chan struct{})}
	defer close(out.full)
	l := connect(t, setup{policy: onlyGood, ctx: ctx, out: out})
	l.send(fmt.Sprintf(callGood, "1") + fmt.Sprintf(callGood, "2"))
	stop()
	<-l.done
	l = connect(t, setup{policy: onlyGood, ctx: ctx}) // its allowed twin reads
	<-l.done
	if l.err != nil {
		t.Error(l.err)
	}
}
