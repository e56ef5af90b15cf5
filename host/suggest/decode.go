package suggest

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// Bounds of what is decoded of one output, in runs and bytes.
const (
	minRun     = 10
	maxRuns    = 4096
	maxDecoded = 4 << 20
)

// hidden decodes what an output holds in base64 or hex. Provenance looks for the
// encoded form of a destination, and so misses one that was spelt otherwise
// before it was encoded. There is time here to look at what was hidden itself.
func hidden(v abi.Value) string {
	var out strings.Builder
	runs := 0
	v.Walk("", func(_ string, leaf abi.Value, _ bool) {
		if !leaf.IsString() {
			return
		}
		for run := range strings.FieldsFuncSeq(leaf.Str(), func(r rune) bool { return r > unicode.MaxASCII || !encodes(byte(r)) }) {
			if runs++; len(run) < minRun || runs > maxRuns || out.Len() > maxDecoded {
				continue
			}
			whole := []string{run}
			if strings.ContainsAny(run, "/=") { // which also stand around what is encoded
				whole = append(whole, strings.FieldsFunc(run, func(r rune) bool { return r == '/' || r == '=' })...)
			}
			for _, part := range whole {
				for _, text := range decodings(part) {
					out.WriteString(text + "\n")
				}
			}
		}
	})
	return out.String()
}

// encodes says whether a character can stand in base64 or hex.
func encodes(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("+/-_=", c) >= 0
}

// decodings lists the texts that a run of characters is an encoding of.
func decodings(run string) (out []string) {
	bare := strings.TrimRight(run, "=")
	for _, decode := range []func(string) ([]byte, error){
		base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString, hex.DecodeString,
	} {
		data, err := decode(bare)
		if text := string(data); err == nil && utf8.Valid(data) && !strings.ContainsFunc(text, func(r rune) bool {
			return !unicode.IsPrint(r) && !unicode.IsSpace(r)
		}) {
			add(&out, text)
		}
	}
	return out
}
