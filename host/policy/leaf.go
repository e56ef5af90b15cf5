package policy

import (
	"errors"
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/zones"
)

// formatVersion is the version of the policy format that this build reads.
const formatVersion = 1

// maxCount bounds counts and sizes, so that sums of them cannot overflow.
const maxCount = 1 << 53

// scalar reads the text of a YAML scalar as the value a leaf of this kind
// holds. plain is false for quoted and block scalars, which are only text.
func scalar(is, text string, plain bool) (abi.Value, error) {
	switch is {
	case "bool":
		if plain && (text == "true" || text == "false") {
			return abi.BoolValue(text == "true"), nil
		}
		if !plain {
			return abi.Value{}, fmt.Errorf("%q is text; want true or false without quotes", text)
		}
		return abi.Value{}, fmt.Errorf("%q is not a boolean; want true or false", text)
	case "count", "version", "number":
		if plain && isNumber(text) {
			return number(text), nil
		}
		if !plain {
			return abi.Value{}, fmt.Errorf("%q is text; want a number without quotes", text)
		}
		return abi.Value{}, fmt.Errorf("%q is not a number; want one such as 10", text)
	case "size":
		n, err := parseSize(text)
		return abi.IntValue(n), err
	case "scalar":
		if plain && (text == "true" || text == "false") {
			return abi.BoolValue(text == "true"), nil
		}
		if plain && isNumber(text) {
			return number(text), nil
		}
	case "wait":
		if d, ok := parseWait(text); ok {
			text = d.String()
		}
	case "duration", "per":
		if d, err := time.ParseDuration(text); err == nil {
			text = d.String()
		}
	}
	return abi.StringValue(text), nil
}

// number returns the JSON number with this lexeme, which is a valid one.
func number(lexeme string) abi.Value {
	v, err := abi.Parse([]byte(lexeme))
	if err != nil {
		return abi.Value{}
	}
	return v
}

// isNumber says whether text is a number in the grammar of JSON (RFC 8259
// section 6), so 007, 1_000, 0x10 and +1 are not.
func isNumber(text string) bool {
	v, err := abi.Parse([]byte(text))
	return err == nil && v.Kind() == abi.Number && v.Lexeme() == text
}

// parseSize reads a number of bytes, with or without a unit.
func parseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMGiB")
	unit := int64(1)
	switch text[len(digits):] {
	case "", "B":
	case "KiB":
		unit = 1 << 10
	case "MiB":
		unit = 1 << 20
	case "GiB":
		unit = 1 << 30
	default:
		unit = 0
	}
	n, err := strconv.ParseUint(digits, 10, 53)
	if unit == 0 || err != nil || n > uint64(maxCount/unit) {
		return 0, fmt.Errorf("%q is not a size; want a number of bytes such as 4096, 512KiB or 1MiB", text)
	}
	return int64(n) * unit, nil
}

// leafKind returns the kind of JSON value that a leaf holds; Absent is any
// scalar.
func leafKind(is string) abi.Kind {
	switch is {
	case "bool":
		return abi.Bool
	case "count", "version", "size", "number":
		return abi.Number
	case "scalar":
		return abi.Absent
	case "settings":
		return abi.Object
	}
	return abi.String
}

// checkLeaf says what is wrong with the value of a leaf.
func checkLeaf(is string, v abi.Value) error {
	switch want := leafKind(is); {
	case want == abi.Absent && v.Kind() != abi.Bool && v.Kind() != abi.Number && v.Kind() != abi.String,
		want != abi.Absent && v.Kind() != want:
		return fmt.Errorf("%s is not %s", v, wanted(is))
	}
	switch is {
	case "count", "version", "size":
		n, err := strconv.ParseUint(v.Lexeme(), 10, 63)
		if err != nil || n > maxCount {
			return fmt.Errorf("%s is not %s", v.Lexeme(), wanted(is))
		}
		if is == "version" && n != formatVersion {
			return fmt.Errorf("format version %d is unknown; this build reads callgate: %d", n, formatVersion)
		}
		return nil
	case "number":
		if len(v.Lexeme()) > 64 {
			return fmt.Errorf("a number of %d characters; want at most 64", len(v.Lexeme()))
		}
		return nil
	case "bool", "scalar", "settings":
		return nil
	}
	return checkText(is, v.Str())
}

// wanted describes a kind of leaf for errors and the schema.
func wanted(is string) string {
	switch is {
	case "bool":
		return "true or false"
	case "count":
		return "a whole number from 0 to 2^53"
	case "version":
		return "a format version; want callgate: 1"
	case "size":
		return "a number of bytes such as 4096, 512KiB or 1MiB"
	case "number":
		return "a number"
	case "scalar":
		return "a string, number or boolean"
	case "settings":
		return "a map"
	}
	return "text"
}

// namePattern is what a name looks like, for the schema.
const namePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

// isName says whether s is of at most 64 letters, digits and, behind the first,
// more. Every start would compile an expression anew.
func isName(s, more string) bool {
	for i := 0; i < len(s); i++ {
		if !alphanumeric(s[i]) && (i == 0 || strings.IndexByte(more, s[i]) < 0) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// isVariable says whether s can be the name of an environment variable.
func isVariable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '_' && !alphanumeric(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// checkText says what is wrong with a text leaf.
func checkText(is, s string) error {
	if s == "" {
		return fmt.Errorf("empty text; leave the key out instead")
	}
	if len(s) > 4096 {
		return fmt.Errorf("text of %d bytes; want at most 4096", len(s))
	}
	if i := strings.IndexFunc(s, invisible); i >= 0 {
		return fmt.Errorf("%q has an invisible or control character at byte %d; write it without", s, i)
	}
	switch is {
	case "name":
		return want(isName(s, "._-"), s, "a name: letters, digits, '.', '_', '-', at most 64")
	case "env":
		return want(isVariable(s), s, "the name of an environment variable, without its value")
	case "label":
		return checkLabel(s)
	case "sha256":
		return checkDigest(s)
	case "digest":
		hex, ok := strings.CutPrefix(s, "sha256:")
		return want(ok && checkDigest(hex) == nil, s, "sha256: and 64 digits 0-9 and a-f, as callgate plugin inspect prints it")
	case "server":
		return checkServer(s)
	case "tool":
		return checkKey(s)
	case "half":
		return checkHalf(s)
	case "argument":
		if s[0] == '/' {
			return checkPointer(s)
		}
	case "pointer", "segments":
		return checkPointer(s)
	case "regex":
		return checkRegex(s)
	case "pattern":
		return checkPattern(s)
	case "dir":
		return rooted(s, "directory")
	case "file":
		return rooted(s, "path")
	case "use":
		return checkUse(s)
	case "webhook":
		return checkWebhook(s)
	case "capability":
		return checkCapability(s)
	case "trusted":
		return checkTrusted(s)
	case "position":
		if !slices.Contains(abi.Positions, abi.Position(s)) {
			return fmt.Errorf("unknown position %q%s", s, accepted(s, positionNames()))
		}
	}
	return checkTime(is, s)
}

// checkServer accepts the name of a server, and the * of a pack, which check
// refuses elsewhere.
func checkServer(s string) error {
	if s == "*" {
		return nil
	}
	if err := abi.CheckServerName(s); err != nil {
		return fmt.Errorf("%w; globs belong into tools: of a policy, as in \"*/*\"", err)
	}
	return nil
}

func rooted(s, what string) error {
	if !absolute(s) {
		return fmt.Errorf("%q is relative; want an absolute %s", s, what)
	}
	return nil
}

// checkTime says what is wrong with a text leaf that is about time.
func checkTime(is, s string) error {
	switch is {
	case "wait":
		if _, ok := parseWait(s); !ok {
			return fmt.Errorf("%q is not a time to wait; want a duration from 0s (do not wait) to 10m, such as 50s", s)
		}
	case "days":
		return checkDays(s)
	case "clock":
		return checkClock(s)
	case "zone":
		return checkZone(s)
	case "duration", "per":
		return checkDuration(is, s)
	}
	return nil
}

func want(ok bool, s, what string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%q is not %s", s, what)
}

// invisible says whether a person could overlook a character.
func invisible(r rune) bool {
	return r == utf8.RuneError || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

func positionNames() []string {
	names := make([]string, len(abi.Positions))
	for i, p := range abi.Positions {
		names[i] = string(p)
	}
	return names
}

// checkPointer checks a JSON Pointer (RFC 6901).
func checkPointer(s string) error {
	if s[0] != '/' {
		return fmt.Errorf("%q is not a JSON Pointer; want one such as /message/to", s)
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return fmt.Errorf("%q has a bare ~ at byte %d; a JSON Pointer spells it ~0, and / in a name ~1", s, i)
		}
	}
	return nil
}

// checkRegex accepts what RE2 accepts on its own: a pattern such as "a)|(b"
// must not become valid by being wrapped into a group.
func checkRegex(s string) error {
	re, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return notRegex(s, err)
	}
	if _, err := syntax.Compile(re.Simplify()); err != nil {
		return notRegex(s, err)
	}
	return nil
}

// notRegex says what is wrong with a regular expression, without the name of the
// package that found it.
func notRegex(s string, err error) error {
	why := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	var at *syntax.Error
	if errors.As(err, &at) {
		why = fmt.Sprintf("%s at %q", at.Code, at.Expr)
	}
	if strings.Contains(s, "(?=") || strings.Contains(s, "(?!") || strings.Contains(s, "(?<") {
		why += "; RE2 looks neither ahead nor back: say it with two rules"
	}
	return fmt.Errorf("%q is not a regular expression in RE2 syntax: %s", s, why)
}

// checkZone accepts the exact names of the zones in the binary.
func checkZone(s string) error {
	if _, err := zones.Load(s); err == nil {
		return nil
	}
	if best := Closest(s, zones.Names()); best != "" {
		return fmt.Errorf("unknown time zone %q; did you mean %q?", s, best)
	}
	return fmt.Errorf("unknown time zone %q; want a name of the IANA database such as UTC or Europe/Berlin", s)
}

func checkDuration(is, s string) error {
	if is == "per" && s == "session" {
		return nil
	}
	if zone, daily := strings.CutPrefix(s, perDay); daily && is == "per" && zone != "" {
		return checkZone(zone)
	}
	d, err := time.ParseDuration(s)
	if err == nil && d > 0 && d <= math.MaxInt64/2 {
		return nil
	}
	if is == "per" {
		return fmt.Errorf("%q is not a period; accepted: session, a duration such as 30m, 1h or 24h, or day@ and a time zone, such as day@Europe/Berlin", s)
	}
	return fmt.Errorf("%q is not a duration; want one above zero such as 30m or 1h30m", s)
}
