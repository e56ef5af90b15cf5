package ledger

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestALineTornAtAnyByteIsCutOff(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 4)
	data := mustRead(t, path)
	lines := linesOf(data)
	modified := begin.Add(time.Hour)
	cases := 0
	for keep := 0; keep <= len(data); keep++ {
		for _, nuls := range []int{0, 5} {
			whole := bytes.LastIndexByte(data[:keep], '\n') + 1
			torn := int64(keep - whole + nuls)
			mustWrite(t, path, append(bytes.Clone(data[:keep]), make([]byte, nuls)...))
			if err := os.Chtimes(path, modified, modified); err != nil {
				t.Fatal(err)
			}
			l, priors, err := Open(options(dir, 1))
			if err != nil {
				t.Fatalf("torn at byte %d with %d NUL: %v", keep, nuls, err)
			}
			p := priors[0]
			if p.Cut != torn || p.Lines != bytes.Count(data[:whole], []byte("\n")) || p.Alive || !p.Modified.Equal(modified) {
				t.Errorf("torn at byte %d with %d NUL: prior %+v; want %d bytes cut", keep, nuls, p, torn)
			}
			if got := mustRead(t, path); !bytes.Equal(got, data[:whole]) {
				t.Errorf("torn at byte %d: %d bytes left; want %d", keep, len(got), whole)
			}
			if info, err := os.Stat(path); err != nil || torn > 0 && !info.ModTime().Equal(modified) {
				t.Errorf("torn at byte %d: cutting moved the last write to %v", keep, info.ModTime())
			}
			fill(t, l, 1)
			l.Close()
			os.Remove(l.Path())
			cases++
		}
	}
	counted(t, cases)
	if len(lines) != 4 {
		t.Fatalf("%d lines; want 4", len(lines))
	}
}

func TestALineThatALiveProcessIsWritingIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	first, _ := mustOpen(t, options(dir, 0))
	fill(t, first, 2)
	whole := mustRead(t, first.Path())
	next := appendLine(nil, []byte(first.Prev()), event(2, "in progress"))
	tail := next[:len(next)/2]
	f, err := os.OpenFile(first.Path(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(tail); err != nil {
		t.Fatal(err)
	}
	second, priors := mustOpen(t, options(dir, 1))
	if p := priors[0]; !p.Alive || p.Cut != 0 || p.Lines != 2 {
		t.Errorf("prior %+v; want alive, nothing cut", p)
	}
	if got := mustRead(t, first.Path()); string(got) != string(whole)+string(tail) {
		t.Errorf("the live file is now\n%s", got)
	}
	if r, err := Verify(first.Path()); err != nil || !r.Alive || r.Torn != int64(len(tail)) {
		t.Errorf("verify: %+v, %v", r, err)
	}
	fill(t, second, 1)
	if _, err := f.Write(append(next[len(tail):], '\n')); err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyGroup(dir); err != nil {
		t.Error(err)
	}
	first.Close()
	if _, priors := mustOpen(t, options(dir, 2)); len(priors) != 2 || priors[0].Alive || priors[0].Lines != 3 || !priors[1].Alive {
		t.Errorf("after the first closed: %+v", priors)
	}
}

// childDir tells the test binary to be the process that is killed.
const childDir = "CALLGATE_LEDGER_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		appendForEver(dir)
	}
	os.Exit(m.Run())
}

// appendForEver opens a ledger and appends until it is killed, saying on stdout
// how many events are durable.
func appendForEver(dir string) {
	n, _ := strconv.Atoi(os.Getenv(childDir + "_N"))
	l, _, err := Open(options(dir, n))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	body := strings.Repeat("x", 20000)
	for seq := 0; ; seq += 3 {
		token, err := l.Append(event(seq, "a"), event(seq+1, body), event(seq+2, "b"))
		if err == nil {
			err = l.Wait(token)
		}
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(uint64(token))
	}
}

func TestAKilledProcessLosesNothingThatWasDurable(t *testing.T) {
	dir := t.TempDir()
	durable := make([]int, 6)
	for n := range durable {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s_N=%d", childDir, n))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 2 + 3*n {
			if lines.Scan(); strings.HasPrefix(lines.Text(), "error") {
				t.Fatal(lines.Text())
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for ok := true; ok; ok = lines.Scan() {
			durable[n], err = strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
		}
		io.Copy(io.Discard, out)
		cmd.Wait()
	}
	_, priors := mustOpen(t, options(dir, len(durable)))
	if len(priors) != len(durable) {
		t.Fatalf("%d priors; want %d", len(priors), len(durable))
	}
	for i, p := range priors {
		if p.Alive || p.Lines < durable[i] || durable[i] == 0 {
			t.Errorf("killed process %d: %+v; want at least %d lines", i, p, durable[i])
		}
	}
	if _, err := VerifyGroup(dir); err != nil {
		t.Error(err)
	}
}
