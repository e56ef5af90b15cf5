package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// demoRaw writes bytes to a server's stdin, and reads lines. No library
// stands between: it can send what no library would.
type demoRaw struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	stop  context.CancelFunc
}

// dial starts a command and introduces itself in the revision of 2025-06-18.
func (d *demo) dial(ctx context.Context, command []string) (*demoRaw, error) {
	ctx, stop := context.WithTimeout(ctx, demoTimeout)
	c := &demoRaw{cmd: d.process(ctx, command), lines: make(chan string, 64), stop: stop}
	var out io.ReadCloser
	var err error
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		if out, err = c.cmd.StdoutPipe(); err == nil {
			err = c.cmd.Start()
		}
	}
	if err != nil {
		stop()
		return nil, err
	}
	go func() {
		defer close(c.lines)
		for in := bufio.NewReader(out); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	}()
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"raw bytes","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`,
	} {
		if _, err := c.ask(frame); err != nil {
			return nil, errors.Join(fmt.Errorf("raw frames: %w%s", err, d.lastWords()), c.hangUp())
		}
	}
	return c, nil
}

// ask sends a frame and returns the frame that answers it; none for a
// notification.
func (c *demoRaw) ask(frame string) (abi.Value, error) {
	if _, err := io.WriteString(c.in, frame+"\n"); err != nil {
		return abi.Value{}, err
	}
	id := rawID(frame)
	if id == "" {
		return abi.Value{}, nil
	}
	timeout := time.NewTimer(demoTimeout)
	defer timeout.Stop()
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				return abi.Value{}, errors.New("the server ended before it answered")
			}
			v, err := abi.Parse([]byte(line))
			if err != nil {
				return abi.Value{}, err
			}
			if v.Get("id").Str() == id {
				return v, nil
			}
		case <-timeout.C:
			return abi.Value{}, fmt.Errorf("no answer within %v", demoTimeout)
		}
	}
}

// rawID finds the id of a frame that the demo wrote. Some of them no parser
// accepts.
func rawID(frame string) string {
	_, rest, found := strings.Cut(frame, `"id":"`)
	if !found {
		return ""
	}
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// hangUp ends the client and waits for the process.
func (c *demoRaw) hangUp() error {
	defer c.stop()
	if err := c.in.Close(); err != nil {
		return err
	}
	for range c.lines { // until the end, so that the process is not held up
	}
	return c.cmd.Wait()
}

// answerOfFrame reads a response as a client would.
func answerOfFrame(v abi.Value, err error) demoAnswer {
	if err != nil {
		return demoAnswer{text: err.Error(), failed: true}
	}
	if e := v.Get("error"); e.Exists() {
		return demoAnswer{text: "error " + e.Get("code").Lexeme() + ": " + e.Get("message").Str(), failed: true}
	}
	result := v.Get("result")
	a := demoAnswer{failed: result.Get("isError").True()}
	for _, block := range result.Get("content").Items() {
		a.text += block.Get("text").Str()
	}
	verdict := result.Get("_meta").Get("dev.callgate/verdict")
	a.outcome, a.contract = verdict.Get("outcome").Str(), verdict.Get("contract").Str()
	return a
}

// The frames of the scene about smuggling. A strict reader of the first sees a
// mail to the colleague; a reader that takes names in any case, or the last of
// two, sees one to the stranger.
const (
	rawHead = `{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"send_email","arguments":{`
	rawTail = `"subject":"Hi","body":"Hello."}}`

	rawPlain  = rawHead + `"to":["` + demoColleague + `"],` + rawTail + `}`
	rawFolded = rawHead + `"to":["` + demoColleague + `"],` + rawTail +
		`,"Params":{"name":"send_email","arguments":{"to":["` + demoStranger + `"],` + rawTail + `}`
	rawTwice = rawHead + `"to":["` + demoColleague + `"],"to":["` + demoStranger + `"],` + rawTail + `}`
)

func (d *demo) smuggling(ctx context.Context, s *demoScene) error {
	toColleague := demoMail{to: []string{demoColleague}, subject: "Hi", body: "Hello."}
	toStranger := toColleague
	toStranger.to = []string{demoStranger}

	bare, err := d.dial(ctx, d.bare("mailbox", "bare"))
	if err != nil {
		return err
	}
	s.saw(d.log("bare"), "without Callgate: "+rawFolded, answerOfFrame(bare.ask(rawFolded)), demoWant{
		did: []string{toStranger.sent()}, meaning: "the server's parser takes the second: whoever had checked \"params\" was fooled",
	})
	if err := bare.hangUp(); err != nil {
		return err
	}
	gated, err := d.dial(ctx, d.gated("mailbox", "mailbox", "raw"))
	if err != nil {
		return err
	}
	log := d.log("mailbox")
	s.saw(log, "through Callgate: "+rawFolded, answerOfFrame(gated.ask(rawFolded)), demoWant{
		refused: "FRAME_NAME_FOLDS", meaning: "refused: what two parsers can read differently goes nowhere",
	})
	s.saw(log, "through Callgate: "+rawTwice, answerOfFrame(gated.ask(rawTwice)), demoWant{
		refused: "FRAME_DUPLICATE_NAME", meaning: "refused: the same trick with one name twice",
	})
	s.saw(log, "through Callgate: "+rawPlain, answerOfFrame(gated.ask(rawPlain)), demoWant{
		did: []string{toColleague.sent()}, meaning: "allowed: the plain twin of both passes, and is really sent",
	})
	return gated.hangUp()
}
