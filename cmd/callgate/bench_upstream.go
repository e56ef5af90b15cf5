package main

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// The tools of the built-in upstream.
const (
	benchEcho    = "echo"    // answers with its text
	benchMeasure = "measure" // takes a text and answers with reply bytes of its own
)

// benchArguments is a call as small as most are.
const benchArguments = `{"text":"the quarterly report for acme is in /srv/share/reports/q3.md"}`

// benchLarge is the size of a large argument or result, in bytes.
const benchLarge = 100_000

// benchList is the answer to tools/list.
const benchList = `{"tools":[{"name":"echo","description":"Answers with its text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},` +
	`"annotations":{"readOnlyHint":true}},{"name":"measure","description":"Takes a text and answers with a text of reply bytes.","inputSchema":{"type":"object",` +
	`"properties":{"text":{"type":"string"},"reply":{"type":"integer"}}},"annotations":{"readOnlyHint":true}}]}`

func benchUpstreamCmd(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "upstream", Short: "Be the server that bench measures", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return serveBench(std.in, std.out) },
	}
}

// serveBench is an MCP server that does next to nothing, so that what a relay
// adds stands out.
func serveBench(in io.Reader, out io.Writer) error {
	lines := wire.NewReader(in, 0)
	var c wire.Classifier
	var buf []byte
	replies := map[int][]byte{} // what a large result is made of must not cost each time
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		f := c.Classify(line.Bytes, wire.FromClient, wire.Options{})
		if f.Kind != wire.Request {
			continue
		}
		buf = append(buf[:0], `{"jsonrpc":"2.0","id":`...)
		buf = append(buf, f.ID.Raw...)
		buf = append(appendBenchBody(buf, f, replies), "}\n"...)
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
}

// appendBenchBody appends the member that answers a request.
func appendBenchBody(b []byte, f wire.Frame, replies map[int][]byte) []byte {
	switch {
	case f.Method == "initialize":
		return append(b, `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`...)
	case f.Method == "tools/list":
		return append(append(b, `,"result":`...), benchList...)
	case f.Method == "ping":
		return append(b, `,"result":{}`...)
	case f.Call == nil:
		return append(b, `,"error":{"code":-32601,"message":"unknown method"}`...)
	}
	b = append(b, `,"result":{"content":[{"type":"text","text":`...)
	switch f.Call.Name {
	case benchEcho:
		if at, err := wire.Find(f.Raw, f.Call.Arguments, "/text"); err == nil && f.Raw[at.Start] == '"' {
			b = append(b, at.In(f.Raw)...)
		} else {
			b = append(b, `""`...)
		}
	default:
		n := 0
		if at, err := wire.Find(f.Raw, f.Call.Arguments, "/reply"); err == nil {
			n, _ = strconv.Atoi(string(at.In(f.Raw))) // anything else: no text
		}
		if replies[n] == nil {
			replies[n] = wire.AppendString(nil, benchProse(n))
		}
		b = append(b, replies[n]...)
	}
	return append(b, `}]}`...)
}

// benchProse is about n bytes that look like notes: words, numbers, addresses
// and paths, each line another.
func benchProse(n int) string {
	var s strings.Builder
	for i := 0; s.Len() < n; i++ {
		no := strconv.Itoa(i)
		s.WriteString("note " + no + ": ask team" + strconv.Itoa(i*7919%1000) + "@corp.example about order " + strconv.Itoa(100000+i*271%900000) +
			", see /srv/share/notes/" + no + ".md and https://wiki.corp.example/n/" + no + "\n")
	}
	return s.String()[:max(0, min(n, s.Len()))]
}

// benchLargeArgument and benchLargeResult are the arguments of large calls.
func benchLargeArgument() string {
	return string(abi.AppendString([]byte(`{"text":`), benchProse(benchLarge))) + "}"
}

func benchLargeResult() string { return `{"reply":` + strconv.Itoa(benchLarge) + "}" }
