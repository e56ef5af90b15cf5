package ledger

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestAGroupIsJoinedInTheOrderOfItsStarts(t *testing.T) {
	dir := t.TempDir()
	var alive *Ledger
	var want []string
	for n, server := range []string{"files", "mail", "files", "web", "files", "mail"} {
		o := options(dir, n)
		o.Server = server
		l, _ := mustOpen(t, o)
		fill(t, l, 2)
		past := server == "files"
		for seq := range 2 {
			want = append(want, fmt.Sprintf("%s %d %v", filepath.Base(l.Path()), seq, past))
		}
		if n == 4 {
			alive = l
			continue
		}
		l.Close()
	}
	var got []string
	note := func(f File, seq uint64, past bool) error {
		got = append(got, fmt.Sprintf("%s %d %v", filepath.Base(f.Path), seq, past))
		return nil
	}
	o := Joining{Options: options(dir, 6), PeerEvent: func(f File, e abi.Event) error { return note(f, e.Seq, false) }}
	o.Event = func(f File, e abi.Event) error { return note(f, e.Seq, true) }
	j, err := Join(o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Ledger.Close()
	defer j.Tail.Close()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%q\nwant\n%q", got, want)
	}
	if len(j.Read) != 6 || len(j.Prior) != 3 {
		t.Fatalf("%d files read, %d of them of the server", len(j.Read), len(j.Prior))
	}
	for i, r := range j.Read {
		if r.Lines != 2 || r.Last == "" || r.Err != nil || r.Past != (r.File.Server == "files") {
			t.Errorf("file %d is %+v", i, r)
		}
	}
	fill(t, alive, 1)
	fill(t, j.Ledger, 1)
	got = nil
	if list, err := j.Tail.Events(o.PeerEvent); err != nil || len(list) != 1 || list[0].Lines != 3 || len(got) != 1 {
		t.Errorf("afterwards %+v, %v, lines %q; want the third of the live file", list, err, got)
	}
}
