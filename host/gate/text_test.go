package gate_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// TestTextByReferenceIsReadOnce: an event whose text lies outside it is judged
// as one that carries it, and denied where the text is gone.
func TestTextByReferenceIsReadWhereItLies(t *testing.T) {
	args := []byte(`{"path":"/srv/out/a"}`)
	p := load(t, "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow, ledger: digests}\n"+
		"tools:\n  s/write: {args: [{slot: path, allow: [\"/srv/out/**\"]}]}\n")
	cases := []struct {
		name string
		text *bytes.Reader
		args string
		want string
	}{
		{"there", bytes.NewReader(append([]byte("xx"), args...)), string(args), "allow"},
		{"there, and bad", bytes.NewReader(append([]byte("xx"), `{"path":"/etc/passwd"}`...)), `{"path":"/etc/passwd"}`, "deny"},
		{"not there", bytes.NewReader(nil), string(args), "deny TEXT_GONE"},
		{"other text", bytes.NewReader(bytes.Repeat([]byte("x"), 50)), string(args), "deny TEXT_GONE"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table(), Text: textAt{c.text}})}
			r.step(abi.Event{Session: &abi.SessionEvent{ID: "s", Place: here}})
			r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
			e := abi.Event{
				Call: &abi.Call{ID: "x-1", Server: "s", Tool: "write", Digest: value(t, c.args).Digest()},
				Text: &abi.Text{Digest: abi.DigestBytes([]byte(c.args)), Offset: 2, Length: int64(len(c.args))},
			}
			v := verdict(t, r.step(e))
			if got := v.Outcome.String() + " " + v.Code; !strings.HasPrefix(got, c.want) || v.Missing != (c.want == "deny TEXT_GONE") {
				t.Errorf("%s, missing %v; want %s", got, v.Missing, c.want)
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// textAt reads the text of events out of one reader.
type textAt struct{ io.ReaderAt }

func (r textAt) ReadText(t abi.Text, dst []byte, at int64) error {
	if n, err := r.ReadAt(dst, t.Offset+at); n < len(dst) {
		return err
	}
	return nil
}
