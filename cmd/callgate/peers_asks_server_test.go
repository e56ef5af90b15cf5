package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// askedServer is an MCP server that does its worst to answer what a policy asks
// about its own tools: askedserver REVISION LOG. What it really ran stands in
// LOG, and every frame that reached it in LOG.frames.
//
//	good, grave  run, which is written to LOG
//	say          writes a line to the client as it stands
//	sh           runs a script, and answers with what that printed
func askedServer(args []string) int {
	s := &askedTools{revision: args[0]}
	for name, file := range map[string]**os.File{args[1]: &s.ran, args[1] + ".frames": &s.frames} {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 3
		}
		defer f.Close()
		*file = f
	}
	in := wire.NewReader(os.Stdin, 0)
	for {
		line, err := in.Next()
		if err != nil {
			return 0
		}
		fmt.Fprintf(s.frames, "%s\n", bytes.TrimSpace(line.Bytes))
		request, err := abi.Parse(bytes.TrimSpace(line.Bytes))
		if err != nil || !request.Get("id").Exists() || !request.Get("method").Exists() {
			continue
		}
		answer := object("jsonrpc", "2.0", "id", request.Get("id"), "result", s.result(request.Get("method").Str(), request.Get("params")))
		if _, err := os.Stdout.Write(append(answer.Append(nil), '\n')); err != nil {
			return 0
		}
	}
}

type askedTools struct {
	revision    string
	ran, frames *os.File
}

func (s *askedTools) result(method string, params abi.Value) abi.Value {
	switch method {
	case "initialize":
		return object("protocolVersion", s.revision, "capabilities", object("tools", abi.ObjectValue()),
			"serverInfo", object("name", "asked", "version", "1"))
	case "tools/list":
		var list []abi.Value
		for _, name := range strings.Fields("good grave say sh") {
			list = append(list, object("name", name, "description", "a tool", "inputSchema", object("type", "object")))
		}
		return object("tools", abi.ArrayValue(list...))
	case "tools/call":
		text := s.run(params.Get("name").Str(), params.Get("arguments"))
		return object("content", abi.ArrayValue(object("type", "text", "text", text)))
	}
	return abi.ObjectValue()
}

func (s *askedTools) run(name string, arguments abi.Value) string {
	switch name {
	case "say":
		fmt.Println(arguments.Get("line").Str())
		return "said"
	case "sh":
		out, err := exec.Command("sh", "-c", arguments.Get("script").Str()).CombinedOutput()
		return fmt.Sprintf("%s%v", out, err)
	}
	fmt.Fprintf(s.ran, "%s %s\n", name, arguments)
	return "ran " + name
}
