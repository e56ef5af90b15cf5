package plugins_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// dense is the code of what may run out of fuel, and is refused by that: nobody who
// is honest sends a MiB of it.
const dense = "dense"

// worst are texts as whoever wants a plugin to run out of fuel writes them, and as
// people send them, and the code that a MiB of each gets.
var worst = map[string][]struct{ name, bit, code string }{
	"hidden-text": {
		{"prose", "the quick brown fox jumps over the lazy dog. ", ""},
		{"Chinese", "请联系我们谢谢，网站。再见", ""},
		{"Arabic", "مرحبا بالعالم ", ""},
		{"Persian", "می\u200cخواهم ", ""},
		{"Hindi", "क्\u200dष ", ""},
		{"Thai", "ภาษา\u200b", ""},
		{"Vietnamese", "tie\u0302\u0301ng ", ""},
		{"Hebrew with marks of direction", "שלום \u2066abc\u2069 ", ""},
		{"emoji", "👩\u200d👩\u200d👧 ", dense},
		{"variants", "漢\U000E0100字", dense},
		{"soft hyphens", "ver\u00ADgleich", "HIDDEN_INVISIBLE"},
		{"soft hyphens and blanks", "ver\u00ADgleich ", ""},
		{"progress", "10%\r", dense},
		{"carriage returns", "\r", dense},
		{"blanks", " ", ""},
		{"blanks that do not break", "\u00a0", ""},
		{"empty lines", "\n", dense},
		{"percent signs", "%41", ""},
		{"percent signs of nothing", "%", ""},
		{"escapes", "\\u0041", ""},
		{"ampersands", "&", dense},
		{"entities", "&#65;", ""},
		{"entities of hyphens", "ver&shy;gleich", ""},
		{"marks", "a" + strings.Repeat("\u0301", 10), ""},
		{"scores", "\U0001D15F\U0001D173", dense},
		{"what is hidden everywhere", "a\u200b", "HIDDEN_INVISIBLE"},
		{"escape sequences", "\x1b[31m", dense},
		{"isolates", "ש\u2067", "HIDDEN_BIDI"},
	},
	"split-secret": {
		{"prose", "the quick brown fox jumps over the lazy dog. ", ""},
		{"Chinese", "请联系我们谢谢，网站。再见", ""},
		{"what the secret begins with", "EXAM", ""},
		{"what the secret begins with, in base64", "RVhBTVBM", dense},
		{"percent signs", "%45%58", dense},
		{"escapes", "\\u0045", ""},
		{"entities", "&#69;", dense},
		{"numbers", "69 88 ", dense},
		{"short words", "E-X-A-", dense},
		{"base64", noise(1<<20, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"), ""},
		{"hexadecimal digits", noise(1<<20, "0123456789abcdef"), ""},
		{"figures", noise(1<<20, "0123456789"), ""},
		{"a log", "2026-11-30T18:00:00Z info request 4821 took 12 ms, id 9f86d081-884c-7d65\n", ""},
		{"Russian", "Наша компания прислала файл. ", ""},
		{"blanks", " ", ""},
		{"nothing that is seen", "\u200b", ""},
		{"what the secret begins with, in another case", "example", dense},
		{"letters of full width", "\uff25\uff38", ""},
	},
}

var worstSettings = map[string]string{
	"hidden-text":  `{"colours":true}`,
	"split-secret": `{"secrets":{"db_token":"EXAMPLE-custody-value-7f3a91c2","hex":"3f9c1e7ab04d5826c9e1f7a2b3d4c5e6"}}`,
}

// noise is text of an alphabet that has no order, and is the same each time.
func noise(n int, alphabet string) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// TestAMiBOfTheWorstEndsInAVerdict has plugins judge a MiB of each.
func TestAMiBOfTheWorstEndsInAVerdict(t *testing.T) {
	for name, texts := range worst {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module, m := build(t, name)
			settings := parse(t, worstSettings[name])
			evaluate := starter(t, module, m)(settings)
			for _, c := range texts {
				text := strings.Repeat(c.bit, 1<<20/len(c.bit))
				a := evaluate(snapshotOf(t, `{"x":`+quote(text)+`}`).With("settings", settings))
				code := ""
				if a.Class == "" {
					code = parse(t, string(a.Output)).Get("code").Str()
				}
				t.Logf("%s: %d fuel", c.name, a.Fuel)
				if c.code == dense && (a.Class == abi.FailFuel || a.Class == "") {
					continue
				}
				if a.Class != "" || code != c.code {
					t.Errorf("%s: %s %s, code %q after %d fuel; want %q", c.name, a.Class, a.Detail, code, a.Fuel, c.code)
				}
			}
		})
	}
}
