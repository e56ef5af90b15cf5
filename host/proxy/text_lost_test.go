package proxy_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/segment"
)

// lostText returns the segments that events refer to and that can not be read.
func lostText(t *testing.T, dir string) map[string]bool {
	t.Helper()
	from := segment.NewReader(dir)
	defer from.Close()
	lost := map[string]bool{}
	for _, e := range ledgerEvents(t, dir) {
		if e.Text != nil && e.Text.Segment != "" {
			if _, err := e.Text.Read(from); err != nil {
				lost[e.Text.Segment] = true
			}
		}
	}
	return lost
}

// TestTextThatSomebodyRemovedAsks: who clears the directory loosens nothing, and
// ends nothing.
func TestTextThatSomebodyRemovedAsks(t *testing.T) {
	for _, damage := range []string{"", "removed", "emptied", "other bytes"} {
		dir := t.TempDir()
		o := openMail(t, dir, "mail", "")
		peer := openMail(t, dir, "peer", "")
		reads(t, o, "mail", filler(100<<10, "x@evil.example"))
		want := map[string]bool{"deny SINK_TAINTED": true}
		if damage != "" {
			want = map[string]bool{"ask SINK_EVICTED": true, "deny SINK_TAINTED": true}
			for _, path := range segments(t, dir) {
				ruin(t, path, damage)
			}
		}
		for server, o := range map[string]*proxy.Opened{"mail": o, "peer": peer} {
			if got := sends(t, o, server, "x@evil.example"); !want[got] {
				t.Errorf("%q, %s: %s", damage, server, got)
			}
		}
		if err := o.Close(); err != nil {
			t.Fatal(damage, err)
		}
		again := openMail(t, dir, "mail", "")
		if got := sends(t, again, "mail", "x@evil.example"); damage == "" && got != "deny SINK_TAINTED" || damage != "" && got != "ask SINK_EVICTED" {
			t.Errorf("%q, after a restart: %s", damage, got)
		}
		reads(t, again, "mail", "write to y@evil.example now")
		if got := sends(t, again, "mail", "y@evil.example"); got != "deny SINK_TAINTED" {
			t.Errorf("%q, what is read since: %s", damage, got)
		}
	}
}

func ruin(t *testing.T, path, how string) {
	t.Helper()
	var err error
	switch how {
	case "removed":
		err = os.Remove(path)
	case "emptied":
		err = os.Truncate(path, 0)
	default:
		var info os.FileInfo
		if info, err = os.Stat(path); err == nil {
			err = os.WriteFile(path, bytes.Repeat([]byte("x"), int(info.Size())), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
