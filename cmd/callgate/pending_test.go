package main

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
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

func TestPendingListsQuestionsOfEveryKind(t *testing.T) {
	for kind, want := range map[abi.CallKind]string{
		"": "may the tool t of the server s be called?", abi.KindResource: "may the resource \"docs://a\" of the server s be read?",
		abi.KindPrompt: "may the prompt p of the server s be fetched?", abi.KindCompletion: "be asked to complete an argument of the prompt p?",
		abi.KindSampling: "may the server s have the client's model answer it?", abi.KindElicitation: "may the server s ask the user for something?",
		abi.KindRoots: "may the server s be told the client's roots?", abi.KindMethod: "may the method t of the server s, which Callgate does not know, be called?",
	} {
		q := approval.Question{ID: "qid", Ask: abi.AskEvent{Kind: kind, Server: "s", Tool: "t"}, Arguments: object("uri", "docs://a", "name", "p", "ref", object("name", "p"))}
		open := []openQuestion{{Question: q}}
		if text := pendingText(1, open); !strings.Contains(text, want) || !strings.Contains(text, "\nyes: callgate approve qid\n") {
			t.Errorf("%s: no %q in\n%s", kind, want, text)
		}
		one := pendingJSON(nil, open, nil).Get("questions").Items()[0]
		if got := one.Get("ask").Get("kind").Str(); got != string(kind) || !strings.Contains(one.Get("prompt").Str(), want) {
			t.Errorf("%s: %s", kind, one)
		}
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
