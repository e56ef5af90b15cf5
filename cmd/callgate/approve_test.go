//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/approval"
)

// wanted is the id of an open question.
const wanted = "abcdefghijklmnopqrstuvwxyz"

// socketAsker is a process that asks under some ids, and keeps what it is told.
type socketAsker struct {
	ids []string
	mu  sync.Mutex
	got []string
}

func (a *socketAsker) start(t *testing.T, dir, name string) approval.Process {
	t.Helper()
	path := filepath.Join(dir, name)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			a.speak(c)
		}
	}()
	return approval.Process{Path: path, Info: approval.Info{Server: name}}
}

// speak answers one request.
func (a *socketAsker) speak(c net.Conn) {
	defer c.Close()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got = append(a.got, line)
	if strings.Contains(line, `"answer"`) {
		if len(a.ids) == 0 {
			fmt.Fprintln(c, `{"error":"no question","unknown":true}`)
			return
		}
		fmt.Fprintln(c, `{"result":"done"}`)
		return
	}
	for _, id := range a.ids {
		fmt.Fprintf(c, `{"question":{"id":%q,"waiting":1,"event":{"v":1,"seq":0,"ask":{"call":"c"}}}}`+"\n", id)
	}
	fmt.Fprintln(c, `{"end":0}`)
}

// heard says whether a process learned an id.
func (a *socketAsker) heard(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Contains(strings.Join(a.got, ""), id)
}

func TestOnlyTheProcessThatAsksLearnsTheAnswer(t *testing.T) {
	n := 0
	for _, c := range []struct {
		name          string
		first, second []string
		result, err   string
		heard         [2]bool
	}{
		{"the first asks", []string{wanted}, []string{"other"}, "done", "", [2]bool{true, false}},
		{"the second asks", nil, []string{"other", wanted}, "done", "", [2]bool{false, true}},
		{"both say so", []string{wanted}, []string{wanted}, "", "both say that they ask this", [2]bool{false, false}},
		{"none does", nil, nil, "", "no question has this id", [2]bool{true, true}},
	} {
		dir, err := os.MkdirTemp("", "cg")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		askers := [2]*socketAsker{{ids: c.first}, {ids: c.second}}
		list := []approval.Process{askers[0].start(t, dir, "a"), askers[1].start(t, dir, "b")}
		result, err := answerOne(list, wanted, true)
		if result != c.result || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %q, %v; want %q, %q", c.name, result, err, c.result, c.err)
		}
		if c.err == "no question has this id" && !errors.Is(err, approval.ErrUnknown) {
			t.Errorf("%s: %v; want ErrUnknown", c.name, err)
		}
		for i, a := range askers {
			if a.heard(wanted) != c.heard[i] {
				t.Errorf("%s: process %d heard of the id: %v; want %v", c.name, i, !c.heard[i], c.heard[i])
			}
		}
		n++
	}
	if n != 4 {
		t.Fatalf("%d cases ran", n)
	}
}
