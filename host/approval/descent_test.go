//go:build unix

package approval

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestDescendantsOfAWrappedServerAreRefused(t *testing.T) {
	n := 0
	for _, c := range []struct{ name, script, want string }{
		{"the server itself", `exec "$APPROVAL_BINARY"`, "descends from a wrapped server"},
		{"its child", `"$APPROVAL_BINARY"; true`, "descends from a wrapped server"},
		{"its grandchild", `sh -c '"$APPROVAL_BINARY"; true'; true`, "descends from a wrapped server"},
		{"an orphan of its process group", orphan(""), "of a wrapped server"},
	} {
		dir := socketDir(t)
		socket, said := runGate(t, dir, c.script)
		var got string
		for range 2 { // how the child ended, and what the terminal was told, in any order
			if line := said(); strings.HasPrefix(line, "terminal:") {
				got = line
			}
		}
		if !strings.Contains(got, "refused: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q; want it refused, as %q", c.name, got, c.want)
		}
		// The very same question is answered by who does not descend from it.
		p, err := greet(socket)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := p.Answer(p.Info.ID, true); err != nil {
			t.Errorf("%s: a terminal beside it is refused: %q, %v", c.name, result, err)
		}
		n++
	}
	cases(t, n, 4)
}

// orphan is a script whose grandchild waits until its parent has ended, and
// then answers. The prefix starts it.
func orphan(prefix string) string {
	return `P=$$; export P; ` + prefix + ` sh -c 'while kill -0 $P 2>/dev/null && [ "$(ps -o ppid= -p $$ | tr -d " ")" = "$P" ]; do sleep 0.01; done; exec "$APPROVAL_BINARY"' & exit 0`
}

func TestDescendantsOfAnotherRunAreRefused(t *testing.T) {
	dir := socketDir(t)
	target, _ := runGate(t, dir, "")
	n := 0
	for _, c := range []struct {
		name, script string
		refused      bool
	}{
		{"as it is", `APPROVAL_SOCKET=` + target + ` "$APPROVAL_BINARY"; true`, true},
		{"with the socket of that run taken away", `rm "$APPROVAL_SOCKET"; APPROVAL_SOCKET=` + target + ` "$APPROVAL_BINARY"; true`, canSeeRuns},
	} {
		_, said := runGate(t, dir, c.script)
		if got := said(); c.refused && (!strings.Contains(got, "refused: ") || !strings.Contains(got, "descends from another callgate run")) {
			t.Errorf("%s: %q; want it refused", c.name, got)
		}
		n++
	}
	cases(t, n, 2)
	p, err := greet(target)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := p.Answer(p.Info.ID, true); err != nil {
		t.Errorf("a terminal that descends from no run: %q, %v", result, err)
	}
}

func TestOnlyALiveSocketMakesARunOfAnAncestor(t *testing.T) {
	dir := socketDir(t)
	me := []process{{pid: os.Getpid()}}
	wants(t, "an empty directory", besideRuns(me, dir), "")
	stale := filepath.Join(dir, strconv.Itoa(os.Getpid())+"-abcdefgh.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	wants(t, "a live socket of an ancestor", besideRuns(me, dir), "descends from another callgate run")
	wants(t, "a live socket of somebody else", besideRuns([]process{{pid: 1}}, dir), "")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	wants(t, "a stale socket of an ancestor", besideRuns(me, dir), "")
	wants(t, "no directory", besideRuns(me, dir+"/none"), "may descend")
}

func TestADescendantOfARunKnowsIt(t *testing.T) {
	dir := socketDir(t)
	wants(t, "a process of one's own", CheckOwnDescent([]string{dir}), "")
	live := filepath.Join(dir, strconv.Itoa(os.Getppid())+"-abcdefgh.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: live, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	wants(t, "a child of a run", CheckOwnDescent([]string{dir}), "descends from another callgate run")
}

func TestOnlyAProcessThatIsKnownIsAdmitted(t *testing.T) {
	dir := socketDir(t)
	alive, dead := func() bool { return true }, func() bool { return false }
	parent, uid := os.Getppid(), os.Geteuid()
	n := 0
	for _, c := range []struct {
		name     string
		peer     peer
		children []int
		want     string
	}{
		{"a process beside us", peer{pid: parent, uid: uid, alive: alive}, nil, ""},
		{"with a server of another's", peer{pid: parent, uid: uid, alive: alive}, []int{os.Getpid()}, ""},
		{"another user's", peer{pid: parent, uid: uid + 1, alive: alive}, nil, "only its own user may answer"},
		{"one that can not be seen", peer{pid: 0, uid: uid, alive: alive}, nil, "not to be seen"},
		{"one that ended", peer{pid: parent, uid: uid, alive: dead}, nil, "ended before"},
		{"one that never was", peer{pid: 1 << 30, uid: uid, alive: alive}, nil, "can not be known"},
		{"ourselves", peer{pid: os.Getpid(), uid: uid, alive: alive}, nil, "descends from a wrapped server"},
		{"the server", peer{pid: parent, uid: uid, alive: alive}, []int{parent}, "descends from a wrapped server"},
	} {
		wants(t, c.name, admit(c.peer, dir, c.children), c.want)
		n++
	}
	cases(t, n, 8)
}

func TestAnAncestryHasNoGaps(t *testing.T) {
	table := map[int]process{
		9: {9, 8, 9, 300}, 8: {8, 7, 8, 300}, 7: {7, 1, 7, 200},
		19: {19, 18, 19, 300}, 18: {18, 1, 18, 301},
		29: {29, 28, 29, 300},
		39: {39, 0, 39, 300},
		49: {49, 48, 49, 300}, 48: {48, 49, 48, 300},
	}
	look := func(pid int) (process, error) {
		p, ok := table[pid]
		if !ok {
			return process{}, errors.New("none")
		}
		return p, nil
	}
	n := 0
	for _, c := range []struct {
		pid, length int
		err         string
	}{
		{9, 4, ""}, {1, 1, ""}, {39, 1, ""},
		{19, 0, "younger than its child"}, {29, 0, "process 28 can not be looked at"}, {49, 0, "more than 1024 ancestors"},
	} {
		chain, err := ancestry(c.pid, look)
		wants(t, strconv.Itoa(c.pid), err, c.err)
		if len(chain) != c.length {
			t.Errorf("%d: %v; want %d processes", c.pid, chain, c.length)
		}
		n++
	}
	cases(t, n, 6)
	mine, err := ancestry(os.Getpid(), lookUp)
	if err != nil || mine[0].pid != os.Getpid() || len(mine) < 2 || mine[1].pid != os.Getppid() {
		t.Errorf("our own ancestry is %v (%v)", mine, err)
	}
}
