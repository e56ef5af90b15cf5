package clients

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// The flags of `callgate run` that wrap writes, and --ledger, which it keeps.
const (
	flagServer   = "server"
	flagGroup    = "group"
	flagPolicy   = "policy"
	flagFloor    = "floor"
	flagLedger   = "ledger"
	flagConfig   = "config"
	flagOriginal = "original"
)

// flag is a flag of `callgate run` with its value.
type flag struct{ name, value string }

// last is the value of a flag that counts.
func last(flags []flag, name string) (value string, ok bool) {
	for _, f := range flags {
		if f.name == name {
			value, ok = f.value, true
		}
	}
	return value, ok
}

// parseRun takes args of callgate apart: run, flags with their values, --, and
// the command of a server. False means that they are something else.
func parseRun(words []string) (flags []flag, argv []string, ok bool) {
	known := []string{flagServer, flagGroup, flagPolicy, flagFloor, flagLedger, flagConfig, flagOriginal}
	if len(words) == 0 || words[0] != "run" {
		return nil, nil, false
	}
	for i := 1; i < len(words); i++ {
		if words[i] == "--" {
			return flags, words[i+1:], i+1 < len(words)
		}
		word, dashes := strings.CutPrefix(words[i], "--")
		name, value, joined := strings.Cut(word, "=")
		if !dashes || !slices.Contains(known, name) {
			return nil, nil, false
		}
		if !joined {
			i++
			if i == len(words) {
				return nil, nil, false
			}
			value = words[i]
		}
		flags = append(flags, flag{name, value})
	}
	return nil, nil, false
}

// runArgs is the inverse of parseRun, without the command of the server's args.
func runArgs(flags []flag, command string) []string {
	words := []string{"run"}
	for _, f := range flags {
		words = append(words, "--"+f.name, f.value)
	}
	return append(words, "--", command)
}

// record is what --original carries: the bytes that wrapping replaced.
type record struct {
	format  string
	command string // the value of the command, as it was written
	args    string // the value of args, as it was written
	hasArgs bool
	sum     string // the digest of command and args, as they are understood
}

// maxRecord is the longest --original, in bytes. Linux starts no program with an
// argument of 128 KiB.
const maxRecord = 96 << 10

func (r *record) encode() string {
	members := []abi.Member{
		{Name: "format", Value: abi.StringValue(r.format)}, {Name: "command", Value: abi.StringValue(r.command)}, {Name: "sum", Value: abi.StringValue(r.sum)},
	}
	if r.hasArgs {
		members = append(members, abi.Member{Name: "args", Value: abi.StringValue(r.args)})
	}
	return base64.RawURLEncoding.EncodeToString(abi.ObjectValue(members...).Append(nil))
}

func parseRecord(text string) (*record, error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errors.New("want base64")
	}
	v, err := abi.Parse(data)
	if err != nil {
		return nil, err
	}
	r := &record{
		format: v.Get("format").Str(), command: v.Get("command").Str(), args: v.Get("args").Str(),
		hasArgs: v.Get("args").Exists(), sum: v.Get("sum").Str(),
	}
	if r.encode() != text {
		return nil, errors.New("want what wrap writes")
	}
	return r, nil
}

// digest is 32 hex digits of the SHA-256 over words, each preceded by its length,
// so that no two lists are hashed as the same bytes.
func digest(words []string) string {
	var buf []byte
	for _, w := range words {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(w)))
		buf = append(buf, w...)
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:16])
}
