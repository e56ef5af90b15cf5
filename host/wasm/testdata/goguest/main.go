// Command goguest is a plugin that tries to be different each time: it uses
// regular expressions, the order of a map, chance, the clock, a goroutine and a
// counter.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strings"
	"time"
	"unsafe"
)

//go:wasmimport callgate_v0 get
func get(path unsafe.Pointer, pathLen uint32, buf unsafe.Pointer, limit uint32) uint64

var (
	calls  int
	places = map[string]int{}
	rule   = regexp.MustCompile(`(?i)pass(word|phrase)?\s*[:=]\s*(\S+)`)
	buf    = make([]byte, 1<<16)
	answer []byte
)

func text(path string) string {
	r := get(unsafe.Pointer(unsafe.StringData(path)), uint32(len(path)), unsafe.Pointer(&buf[0]), uint32(len(buf)))
	return string(buf[:uint32(r)])
}

func pack(s string) uint64 {
	answer = append(answer[:0], s...)
	return uint64(uintptr(unsafe.Pointer(&answer[0])))<<32 | uint64(len(answer))
}

//go:wasmexport callgate_abi_1_0
func marker() {}

//go:wasmexport callgate_configure
func configure() uint64 {
	for i := range 6 {
		places[fmt.Sprint("place ", i)] = i
	}
	return pack(`{"ok":true}`)
}

//go:wasmexport callgate_evaluate
func evaluate() uint64 {
	calls++
	order := ""
	for _, n := range places {
		order += string(rune('a' + n))
	}
	body := text("/call/arguments/body")
	if body == "panic" {
		panic("as it was told")
	}
	found := rule.FindStringSubmatch(body)
	done := make(chan int)
	go func() { done <- len(strings.Fields(body)) }()
	words := <-done
	if body == "log" {
		fmt.Fprintln(os.Stderr, "a line of log")
	}
	return pack(fmt.Sprintf("call %d, %d words, found %q, order %s, chance %d, now %v, %v ago", calls, words, found, order, rand.Int63(), time.Now().UTC(), time.Since(time.Unix(0, 0))))
}

func main() {}
