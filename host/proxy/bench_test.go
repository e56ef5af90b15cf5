package proxy

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wire"
)

// BenchmarkRelay measures a call and its answer over pipes, with everything in
// this process: through two bare pumps, and through the gate.
func BenchmarkRelay(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		benchRelay(b, func(in io.ReadCloser, toServer, fromServer *os.File, out io.Writer) {
			go benchPump(in, toServer)
			go benchPump(fromServer, out)
		})
	})
	b.Run("gated", func(b *testing.B) {
		p, err := policy.Load(policy.Options{Specs: builtin.Table()})
		if err != nil {
			b.Fatal(err)
		}
		opened, err := Open(Opening{Policy: p, Specs: builtin.Table(), Server: "bench", Group: "g"})
		if err != nil {
			b.Fatal(err)
		}
		benchRelay(b, func(in io.ReadCloser, toServer, fromServer *os.File, out io.Writer) {
			s := &stdio{
				o:     Options{Server: "bench", Engine: opened.Engine, Voice: NewVoice(p.Value()), In: in, Stderr: os.Stderr},
				child: &child{out: fromServer}, toServer: newSender(toServer), toClient: newSender(out),
			}
			s.join()
			go s.pumpClient()
			go s.pumpServer()
		})
	})
}

func benchPump(from io.Reader, to io.Writer) {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		if _, err := to.Write(line); err != nil {
			return
		}
	}
}

// benchRelay makes calls, one after the other, through a relay that between
// makes of four ends of pipes.
func benchRelay(b *testing.B, between func(in io.ReadCloser, toServer, fromServer *os.File, out io.Writer)) {
	var files []*os.File
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, w, r)
		return r, w
	}
	in, client := pipe()
	serverIn, toServer := pipe()
	fromServer, serverOut := pipe()
	answers, out := pipe()
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	go benchServer(serverIn, serverOut)
	between(in, toServer, fromServer, out)
	answer := bufio.NewReaderSize(answers, 64<<10)
	var line []byte
	id := 0
	call := func(rest string) []byte {
		id++
		line = append(line[:0], `{"jsonrpc":"2.0","id":`...)
		line = strconv.AppendInt(line, int64(id), 10)
		line = append(append(line, rest...), "}\n"...)
		if _, err := client.Write(line); err != nil {
			b.Fatal(err)
		}
		got, err := answer.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		return got
	}
	call(`,"method":"tools/list"`)
	const echo = `,"method":"tools/call","params":{"name":"echo","arguments":{"text":"the quarterly report is in /srv/share/reports/q3.md"}}`
	if got := call(echo); !bytes.Contains(got, []byte("done: 1 item")) {
		b.Fatalf("want the call forwarded, got %s", got)
	}
	b.ReportAllocs()
	for b.Loop() {
		call(echo)
	}
}

// benchServer lists one tool and answers its calls with the same text.
func benchServer(in io.Reader, out io.Writer) {
	lines := wire.NewReader(in, 0)
	var c wire.Classifier
	for {
		line, err := lines.Next()
		if err != nil {
			return
		}
		f := c.ClassifyLine(line, wire.FromClient, wire.Options{})
		result := `{"content":[{"type":"text","text":"done: 1 item, see /srv/share/log.txt"}]}`
		if f.Method == "tools/list" {
			result = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
		}
		if _, err := out.Write(wire.ResultFrame(f.ID, []byte(result))); err != nil {
			return
		}
	}
}
