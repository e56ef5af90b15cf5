package ledger

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestAGroupIsJoinedInTheOrderOfItsStarts(t *testing.T) {
	for _, way := range []string{"lines", "events"} {
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
		line := func(past bool) func(File, []byte) error {
			return func(f File, line []byte) error {
				e, err := abi.ParseEvent(line)
				if err != nil {
					return err
				}
				return note(f, e.Seq, past)
			}
		}
		o := Joining{Options: options(dir, 6), Peer: line(false)}
		if way == "lines" {
			o.Each = line(true)
		} else {
			o.Event = func(f File, e abi.Event) error { return note(f, e.Seq, true) }
		}
		j, err := Join(o)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Ledger.Close()
		defer j.Tail.Close()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read\n%q\nwant\n%q", way, got, want)
		}
		if len(j.Read) != 6 || len(j.Prior) != 3 {
			t.Fatalf("%s: %d files read, %d of them of the server", way, len(j.Read), len(j.Prior))
		}
		for i, r := range j.Read {
			if r.Lines != 2 || r.Last == "" || r.Err != nil || r.Past != (r.File.Server == "files") {
				t.Errorf("%s: file %d is %+v", way, i, r)
			}
		}
		fill(t, alive, 1)
		fill(t, j.Ledger, 1)
		got = nil
		if list, err := j.Tail.Poll(o.Peer); err != nil || len(list) != 1 || list[0].Lines != 3 || len(got) != 1 {
			t.Errorf("%s: afterwards %+v, %v, lines %q; want the third of the live file", way, list, err, got)
		}
	}
}
