package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// headerFlags are the headers of repeated -H flags.
type headerFlags struct{ http.Header }

func (h headerFlags) String() string { return "" }

func (h headerFlags) Set(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return fmt.Errorf("%q: want Name: value", line)
	}
	h.Add(name, strings.TrimSpace(value))
	return nil
}

// post is a client of one request: post [flags] URL [BODY]. It prints the
// status, the headers that a client of MCP reads, and the body. A header of -H
// without a value is not sent at all.
func post(args []string) int {
	flags := flag.NewFlagSet("post", flag.ContinueOnError)
	method := flags.String("X", http.MethodPost, "method")
	session := flags.String("s", "", "file that keeps the id of the session")
	wait := flags.Duration("max", time.Minute, "how long the answer is read")
	given := headerFlags{http.Header{}}
	flags.Var(given, "H", "header")
	if err := flags.Parse(args); err != nil || flags.NArg() < 1 {
		return 2
	}
	header := http.Header{"Accept": {"application/json, text/event-stream"}}
	if flags.NArg() > 1 {
		header.Set("Content-Type", "application/json")
	}
	if id, err := os.ReadFile(*session); err == nil {
		header.Set("Mcp-Session-Id", string(id))
	}
	for name, values := range given.Header {
		if header[name] = values; values[0] == "" {
			delete(header, name)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), *wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, *method, flags.Arg(0), strings.NewReader(flags.Arg(1)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	req.Header = header
	if host := given.Get("Host"); host != "" {
		req.Host = host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" && *session != "" {
		if err := os.WriteFile(*session, []byte(id), 0o600); err != nil {
			return 2
		}
	}
	fmt.Println(res.StatusCode)
	for _, name := range []string{"Content-Type", "Allow", "Www-Authenticate", "Mcp-Session-Id", "Access-Control-Allow-Origin"} {
		for _, value := range res.Header.Values(name) {
			fmt.Printf("%s: %s\n", name, value)
		}
	}
	_, _ = io.Copy(os.Stdout, res.Body) // a stream ends with the time that it may take
	fmt.Println()
	return 0
}

// endpoints is how a gateway says where a server is.
var endpoints = regexp.MustCompile(`(?m)^callgate: listening on (https?://\S+/mcp/(\S+))$`)

// endpoint waits until a gateway has said in a file where a server is, and puts
// that into a variable: endpoint VARIABLE NAME FILE.
func endpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: endpoint VARIABLE NAME FILE")
	}
	path := ts.MkAbs(args[2])
	for end := time.Now().Add(scriptPatience); ; time.Sleep(20 * time.Millisecond) {
		said, _ := os.ReadFile(path) // it is there in a moment
		for _, m := range endpoints.FindAllSubmatch(said, -1) {
			if string(m[2]) == args[1] {
				ts.Setenv(args[0], string(m[1]))
				return
			}
		}
		if time.Now().After(end) {
			ts.Fatalf("the gateway never said where %s is:\n%s", args[1], bytes.TrimSpace(said))
		}
	}
}
