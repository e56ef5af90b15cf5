package provenance

import (
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestNamesStandAmongScriptsWithoutBlanks: a name in ASCII does not go on in a
// letter of a script that is written without blanks, and one in that script does.
func TestNamesStandAmongScriptsWithoutBlanks(t *testing.T) {
	cases := []struct {
		text, value string
		want        abi.Position
	}{
		{"请预订Riverside View Hotel谢谢", "Riverside View Hotel", abi.Prose},
		{"频道C024BE91LQ2的消息", "C024BE91LQ2", abi.Prose},
		{"ไปที่C024BE91LQ2นะ", "C024BE91LQ2", abi.Prose},
		{"Riverside View Hotel에서 만나요", "Riverside View Hotel", abi.Prose},
		{"予約は\u200bRiverside View Hotel\u200bです", "Riverside View Hotel", abi.Prose},
		{"请预订xRiverside View Hotel谢谢", "Riverside View Hotel", abi.Glued},
		{"频道C024BE91LQ2X的消息", "C024BE91LQ2", abi.Glued},
		{"éC024BE91LQ2 now", "C024BE91LQ2", abi.Glued},
		{"в C024BE91LQ2ю now", "C024BE91LQ2", abi.Glued},
		{"请预订河畔景观大酒店-1号谢谢", "河畔景观大酒店-1", abi.Glued},
		{"频道C024BE91LQ2的消息", "C024BE91LQ3", ""},
	}
	for _, c := range cases {
		x := New(Options{})
		x.Record(textResult("c", "s", "t", c.text))
		f, got := lookup(x, c.value), abi.Position("")
		if len(f.Evidence) > 0 {
			got = f.Evidence[0].Position
		}
		if got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.value, c.text, got, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
