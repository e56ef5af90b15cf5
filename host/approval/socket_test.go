//go:build unix

package approval

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// gate starts a gate without a server and returns it as a terminal sees it.
func gate(t *testing.T, env ...string) Process {
	t.Helper()
	socket, _ := runGate(t, socketDir(t), "", env...)
	p, err := greet(socket)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestATerminalSeesAndAnswersQuestions(t *testing.T) {
	for _, yes := range []bool{true, false} {
		p := gate(t)
		if p.Info.Server != "mail" || p.Info.Group != "g" {
			t.Errorf("info %+v", p.Info)
		}
		list, err := p.Pending()
		if err != nil || len(list) != 1 {
			t.Fatalf("pending %v (%v); want one question", list, err)
		}
		if got := Prompt(list[0]); got != wantPrompt {
			t.Errorf("prompt\n%s\nwant\n%s", got, wantPrompt)
		}
		result, err := p.Answer(list[0].ID, yes)
		if want := fmt.Sprintf("%v by terminal", yes); err != nil || result != want {
			t.Errorf("answer %q (%v); want %q", result, err, want)
		}
		_, err = p.Answer(list[0].ID, yes)
		wants(t, "a second answer", err, "already answered")
		if list, err := p.Pending(); err != nil || len(list) != 0 {
			t.Errorf("pending %v (%v) after the answer", list, err)
		}
	}
}

func TestConcurrentTerminalsGetOneAnswerTaken(t *testing.T) {
	p := gate(t)
	var mu sync.Mutex
	var results, errs []string
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			result, err := p.Answer(p.Info.ID, i%2 == 0)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err.Error())
				return
			}
			results = append(results, result)
		})
	}
	group.Wait()
	if len(results) != 1 || len(errs) != 7 || strings.Count(strings.Join(errs, "\n"), "already answered") != 7 {
		t.Errorf("results %q, errors %q; want one result", results, errs)
	}
}

func TestContextIsTakenWhereThePolicyAllowsIt(t *testing.T) {
	p := gate(t)
	wants(t, "a text", p.AddContext("write to a@x.example"), "")
	wants(t, "a text that the process refuses", p.AddContext("refuse"), "no room")
	wants(t, "an empty text", p.AddContext(""), "empty")
	_, err := p.result(request{do: doContext, text: strings.Repeat("\x01", MaxContext)})
	wants(t, "the longest text", err, "")
	_, err = p.result(request{do: doContext, text: strings.Repeat("x", MaxContext+1)})
	wants(t, "a text that is too long", err, "at most 65536")
	silent := gate(t, "APPROVAL_SILENT=1")
	wants(t, "a text that nobody wants", silent.AddContext("x"), "settings.user_context")
}

func TestADefinitionIsAcceptedByItsDigest(t *testing.T) {
	p := gate(t)
	wants(t, "the one that was shown", p.Accept("send", "sha256:send"), "")
	wants(t, "what the server says of itself", p.Accept("", "sha256:"), "")
	wants(t, "another one by now", p.Accept("send", "sha256:other"), "listed since")
	wants(t, "a process that takes none", gate(t, "APPROVAL_SILENT=1").Accept("send", "sha256:send"), "takes no definitions while it runs")
}

// talk writes to a socket and returns all that comes back.
func talk(t *testing.T, p Process, text string) string {
	t.Helper()
	c, err := net.Dial("unix", p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() { _, _ = io.WriteString(c, text) }() // a process that has heard enough closes
	said, err := io.ReadAll(c)
	if err != nil && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	return string(said)
}

func TestWrongIDsEndTheConnection(t *testing.T) {
	p := gate(t)
	wrong := string(request{do: doAnswer, id: newID(), yes: true}.line())
	said := talk(t, p, strings.Repeat(wrong, 10)+string(request{do: doAnswer, id: p.Info.ID, yes: true}.line()))
	if n := strings.Count(said, `"unknown":true`); n != maxWrongIDs || strings.Count(said, "\n") != n {
		t.Errorf("%d wrong ids answered of ten, and then the right one; want %d and nothing more:\n%s", n, maxWrongIDs, said)
	}
	_, err := p.Answer(newID(), true)
	if !errors.Is(err, ErrUnknown) {
		t.Errorf("a wrong id: %v; want ErrUnknown", err)
	}
	if result, err := p.Answer(p.Info.ID, true); err != nil {
		t.Errorf("the right id afterwards: %q, %v", result, err)
	}
}

func TestWhatIsNoRequestEndsTheConnection(t *testing.T) {
	p := gate(t)
	n := 0
	for _, c := range []struct{ name, text, want string }{
		{"no JSON", "hello\n", "not JSON"},
		{"another version", `{"do":"remember"}` + "\n", "want info, pending, answer, context, accept or policy"},
		{"equal names", `{"do":"answer","id":"a","answer":"deny","answer":"approve"}` + "\n", "not JSON"},
		{"too long", `{"do":"context","text":"` + strings.Repeat("x", maxRequest) + `"}` + "\n", "more than 1048576 bytes"},
		{"too long and endless", strings.Repeat("x", maxRequest+10000), "more than 1048576 bytes"},
	} {
		said := talk(t, p, c.text)
		if strings.Count(said, "\n") != 1 || !strings.Contains(said, `{"error":"`) || !strings.Contains(said, c.want) {
			t.Errorf("%s: %q; want one error with %q", c.name, said, c.want)
		}
		n++
	}
	cases(t, n, 5)
	if list, err := p.Pending(); err != nil || len(list) != 1 {
		t.Errorf("pending %v (%v) afterwards; want the question open", list, err)
	}
}

func TestSlowTerminalsDoNotBlockOthers(t *testing.T) {
	p := gate(t)
	var slow []net.Conn
	fill := func(n int) {
		for range n {
			c, err := net.Dial("unix", p.Path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			_, _ = io.WriteString(c, `{"do":"answer","id":"`+p.Info.ID) // one too many is closed
			slow = append(slow, c)
		}
	}
	fill(maxConnections - 2) // and the one that greeted may not have left yet
	if result, err := p.Answer(p.Info.ID, true); err != nil {
		t.Errorf("beside slow terminals: %q, %v", result, err)
	}
	fill(10)
	if _, err := p.Pending(); err == nil {
		t.Error("a connection too many is served")
	}
	for _, c := range slow {
		_ = c.Close()
	}
	var err error
	for end := time.Now().Add(30 * time.Second); ; {
		if _, err = p.Pending(); err == nil || time.Now().After(end) {
			break
		}
	}
	wants(t, "after they have left", err, "")
}

func TestOneConnectionMayAskSeveralThings(t *testing.T) {
	p := gate(t)
	c, err := net.Dial("unix", p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for _, r := range []request{{do: doInfo}, {do: doPending}, {do: doContext, text: "x"}} {
		if _, err := c.Write(r.line()); err != nil {
			t.Fatal(err)
		}
		for range map[string]int{doInfo: 1, doPending: 2, doContext: 1}[r.do] {
			if line, err := readLine(in, maxResponse); err != nil || strings.Contains(string(line), "error") {
				t.Errorf("%s: %q, %v", r.do, line, err)
			}
		}
	}
}

func TestASocketIsPrivateAndGoesWithItsProcess(t *testing.T) {
	dir := socketDir(t)
	s, err := Listen(Options{Dir: dir, Desk: quietDesk()})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(s.Path())
	if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Errorf("%v (%v); want a socket of mode 0600", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v (%v) in the directory; want the socket only", entries, err)
	}
	idle, err := net.Dial("unix", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error("close:", err)
		}
	}
	if _, err := os.Lstat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the end: %v; want no socket", err)
	}
	if _, err := io.ReadAll(idle); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("an idle connection: %v; want its end", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(Options{Dir: dir, Desk: quietDesk()}); err == nil {
		t.Error("a socket in a directory that others can look into")
	}
}

func TestLiveProcessesAreListedAndStaleSocketsRemoved(t *testing.T) {
	dir := socketDir(t)
	live, _ := runGate(t, dir, "")
	second, _ := runGate(t, dir, "")
	for _, name := range []string{"99999-abcdefgh.sock", "other.sock"} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dir + "/" + name, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(dir+"/99998-abcdefgh.sock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := Processes(dir)
	if err != nil || len(list) != 2 || list[0].Path != live || list[1].Path != second {
		t.Errorf("processes %+v (%v); want the two live ones, oldest first", list, err)
	}
	for name, want := range map[string]bool{"99999-abcdefgh.sock": false, "other.sock": true, "99998-abcdefgh.sock": true} {
		if _, err := os.Lstat(dir + "/" + name); (err == nil) != want {
			t.Errorf("%s is there: %v; want %v", name, err == nil, want)
		}
	}
	if list, err := Processes(dir + "/none"); list != nil || err != nil {
		t.Errorf("without a directory: %v, %v", list, err)
	}
	// Who listens and is no gate is told of, and does not hide the others.
	l, err := net.Listen("unix", dir+"/99997-abcdefgh.sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write(abi.AppendString(nil, "hello"))
			_ = c.Close()
		}
	}()
	list, err = Processes(dir)
	wants(t, "with a strange one", err, "process 99997: ")
	if len(list) != 2 {
		t.Errorf("processes %+v; want the two live ones", list)
	}
}
