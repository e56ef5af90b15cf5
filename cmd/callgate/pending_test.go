package main

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/approval"
)

func TestAProcessThatEndsMeanwhileAsksNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("terminals do not answer there")
	}
	dir, err := os.MkdirTemp("", "cg") // short, as the path of a socket has to be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	gone := approval.Process{Path: filepath.Join(dir, "1-abcdefgh.sock")}
	if open, err := questions([]approval.Process{gone}); len(open) != 0 || err != nil {
		t.Errorf("it asks %v (%v); want nothing", open, err)
	}
	if _, err := answerOne([]approval.Process{gone}, "a", true); !errors.Is(err, approval.ErrUnknown) {
		t.Errorf("its answer is %v; want that nobody asks this", err)
	}

	// One that is there and says nothing may ask what is looked for.
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
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
			_ = c.Close()
		}
	}()
	mute := approval.Process{Path: l.Addr().String()}
	if _, err := questions([]approval.Process{gone, mute}); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("beside it: %v; want that there is no answer", err)
	}
	if _, err := answerOne([]approval.Process{gone, mute}, "a", true); err == nil || !strings.Contains(err.Error(), "was not found") {
		t.Errorf("its answer is %v; want that the question was not found", err)
	}
}

func TestPendingSaysWhereWhatIsCutCanBeSeen(t *testing.T) {
	for size, want := range map[int]bool{10: false, 5000: true} {
		q := approval.Question{Arguments: object("body", strings.Repeat("x", size))}
		text := pendingText(1, []openQuestion{{Question: q}})
		if got := strings.Contains(text, "callgate pending --json shows it whole\n"); got != want {
			t.Errorf("%d bytes: %v; want %v\n%s", size, got, want, text)
		}
	}
}
