package approval

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestAnOrphanInASessionOfItsOwnIsRefused(t *testing.T) {
	_, said := runGate(t, socketDir(t), orphan("setsid"), "APPROVAL_ADOPT=1")
	var got string
	for range 2 {
		if line := said(); strings.HasPrefix(line, "terminal:") {
			got = line
		}
	}
	if !strings.Contains(got, "descends from a wrapped server") {
		t.Errorf("%q; want it refused", got)
	}
}

func TestTheNameOfACommandSaysNothingOfItsParent(t *testing.T) {
	const rest = " S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 6 7"
	n := 0
	for _, c := range []struct {
		stat string
		want process
		err  string
	}{
		{"42 (sh)" + rest, process{42, 7, 8, 12345}, ""},
		{"42 (a) S 1 1 1 (b)" + rest, process{42, 7, 8, 12345}, ""},
		{"42 (a\n) S 1)" + rest, process{42, 7, 8, 12345}, ""},
		{"42 (sh) S 7", process{}, "want 20 at least"},
		{"", process{}, "want 20 at least"},
		{"42 (sh)" + strings.Replace(rest, "7", "x", 1), process{42, 0, 8, 12345}, "invalid syntax"},
	} {
		got, err := parseStat(42, []byte(c.stat))
		wants(t, c.stat, err, c.err)
		if got != c.want {
			t.Errorf("%q: %+v; want %+v", c.stat, got, c.want)
		}
		n++
	}
	cases(t, n, 6)
}

func TestARunIsKnownByItsCommandLine(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	n := 0
	for _, c := range []struct {
		name string
		path string
		args []string
		want bool
	}{
		{"a run", sh, []string{"/usr/bin/callgate", "-c", "read x", "run"}, true},
		{"a gateway", sh, []string{"callgate", "-c", "read x", "gateway"}, true},
		{"another verb", sh, []string{"callgate", "-c", "read x", "pending"}, false},
		{"a server of that name", sh, []string{"callgate", "-c", "read x", "--", "run"}, false},
		{"another program", sh, []string{"npm", "-c", "read x", "run"}, false},
		{"this program under another name", self, []string{"sh", "run"}, true},
		{"this program with another verb", self, []string{"sh", "approve"}, false},
	} {
		cmd := &exec.Cmd{Path: c.path, Args: c.args, Env: append(os.Environ(), "APPROVAL_PART=sleep")}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for line := []byte(nil); len(line) == 0; { // the kernel is still loading it
			line, _ = os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/cmdline")
		}
		if got := isRun(cmd.Process.Pid); got != c.want {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		n++
	}
	cases(t, n, 7)
	if isRun(1 << 30) {
		t.Error("a process that is not there is a run")
	}
}

func FuzzStat(f *testing.F) {
	f.Add([]byte("42 (sh) S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 6 7"))
	f.Add([]byte("42 (a) b) S"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := parseStat(42, data); err == nil && p.pid != 42 {
			t.Errorf("%q is read as %+v", data, p)
		}
	})
}
