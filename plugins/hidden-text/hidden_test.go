package main

import (
	"strings"
	"testing"

	callgate "github.com/callgate/callgate/sdk/go"
)

func with(t *testing.T, text string) {
	t.Helper()
	if err := configure(callgate.Parse(text)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsHiddenIsFound(t *testing.T) {
	with(t, `{}`)
	for text, want := range map[string]string{
		"a\U000E0041b": "HIDDEN_TAGS",
		"\U000E0001":   "HIDDEN_TAGS",
		"🏴\U000E0067\U000E0062\U000E0065\U000E0076\U000E0069\U000E006C\U000E007F": "HIDDEN_TAGS",
		"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067":                     "HIDDEN_TAGS",
		"user\u202E # admin":     "HIDDEN_BIDI",
		"a\u2066b\u2069":         "HIDDEN_BIDI",
		"a\u200Fb":               "HIDDEN_BIDI",
		"שלום \u2067abc":         "HIDDEN_BIDI",
		"שלום \u2067ab\nc\u2069": "HIDDEN_BIDI",
		"שלום\u2069":             "HIDDEN_BIDI",
		"שלום \u202Eabc\u202C":   "HIDDEN_BIDI",
		"שלום\u200F\u200F":       "HIDDEN_BIDI",
		"i\u200Bgnore":           "HIDDEN_INVISIBLE",
		"a\u200Cb":               "HIDDEN_INVISIBLE",
		"a\u200Db":               "HIDDEN_INVISIBLE",
		"\u200Dme":               "HIDDEN_INVISIBLE",
		"👩\u200D":                "HIDDEN_INVISIBLE",
		"می\u200C\u200Cخواهم":    "HIDDEN_INVISIBLE",
		"a\uFEFFb":               "HIDDEN_INVISIBLE",
		"a\u2060b":               "HIDDEN_INVISIBLE",
		"a\u2063b":               "HIDDEN_INVISIBLE",
		"a\u034Fb":               "HIDDEN_INVISIBLE",
		"\u3164":                 "HIDDEN_INVISIBLE",
		"a\u115Fb":               "HIDDEN_INVISIBLE",
		"a\u2800b":               "HIDDEN_INVISIBLE",
		"a\uFE00":                "HIDDEN_INVISIBLE",
		"😀\uFE0F\uFE0E":          "HIDDEN_INVISIBLE",
		"😀\uFE01":                "HIDDEN_INVISIBLE",
		"😀\U000E0100\U000E0101":  "HIDDEN_INVISIBLE",
		"1\uFE0F":                "HIDDEN_INVISIBLE",
		"漢\U000E0100\U000E0101":  "HIDDEN_INVISIBLE",
		"a\u180Bb":               "HIDDEN_INVISIBLE",
		"pass\u00ADword":         "HIDDEN_INVISIBLE",
		"a b\u00AD\u00ADc":       "HIDDEN_INVISIBLE",
		"\x1b[31mred":            "HIDDEN_CONTROL",
		"a\x00b":                 "HIDDEN_CONTROL",
		"a\x7Fb":                 "HIDDEN_CONTROL",
		"a\u009B31mb":            "HIDDEN_CONTROL",
		"abc\b\b\bxyz":           "HIDDEN_CONTROL",
	} {
		if m := hidden(text, argument); m.code != want {
			t.Errorf("%q: %+v; want %s", text, m, want)
		}
	}
}

func TestWhatScriptsAndEmojiNeedPasses(t *testing.T) {
	with(t, `{}`)
	for _, text := range []string{
		"", "plain", "a\r\nb\tc", "Grüße, мир, 世界, ¿qué?", "été – “x” … € ™",
		"👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 🏴‍☠️ ❤️‍🔥 ☺️ ❤︎ 1️⃣ #️⃣ 🇩🇪 👍🏿 ↔️",
		"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F 🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
		"می‌خواهم کتاب‌ها را", "नमस्ते क्‍ष क्‌ष", "ശ്രീ ന്‍", "ක්‍ෂ",
		"ภาษา\u200Bไทย", "ខ្មែរ\u200Bភាសា",
		"שלום\u200F, \u2066abc\u2069 \u202Aabc\u202C", "عربي\u061C",
		"葛\U000E0100 漢\uFE00 ≨\uFE00", "ᠮᠣ\u180B", "\u1100\u1160", "⠀⠁⠀", "e\u034F\u0301",
		"a ver\u00ADgleich\u00ADbarer Satz", "N\bNA\bAM\bME\bE _\bx", "10%\r20%\r",
	} {
		if m := hidden(text, argument); m.code != "" {
			t.Errorf("%q: %+v; want it to pass", text, m)
		}
	}
	if m := hidden("\uFEFFfile", answer); m.code != "" {
		t.Errorf("a byte order mark: %+v", m)
	}
	for _, text := range []string{"a ver\u00ADgleich", "a\rb", "\uFEFFtool"} {
		if m := hidden(text, listed); m.code == "" {
			t.Errorf("%q passes in a list", text)
		}
	}
}

func TestColoursPassWhereTheyMay(t *testing.T) {
	with(t, `{"colours":true,"allow":["U+2060"]}`)
	for text, want := range map[string]string{
		"\x1b[0m\x1b[1;31mx\x1b[m\x1b[38;2;8;8;8mx\x1b[48;5;8mx": "",
		"a\u2060b":         "",
		"\x1b[8mx":         "HIDDEN_CONTROL",
		"\x1b[08mx":        "HIDDEN_CONTROL",
		"\x1b[38;5;1;8mx":  "HIDDEN_CONTROL",
		"\x1b[2K":          "HIDDEN_CONTROL",
		"\x1b]0;title\x07": "HIDDEN_CONTROL",
		"\x1b":             "HIDDEN_CONTROL",
		"\x1b[31":          "HIDDEN_CONTROL",
	} {
		if m := hidden(text, answer); m.code != want {
			t.Errorf("%q: %+v; want %q", text, m, want)
		}
	}
}

// TestLettersThatNobodySeesAreNotPainted paints letters in the colour of their
// ground, in all ways to say a colour.
func TestLettersThatNobodySeesAreNotPainted(t *testing.T) {
	with(t, `{"colours":true}`)
	for text, want := range map[string]string{
		"\x1b[37;47mx":                            "HIDDEN_CONTROL",
		"\x1b[37mx\x1b[47mx":                      "HIDDEN_CONTROL",
		"\x1b[37mx\x1b[0m\x1b[47mx":               "",
		"\x1b[37mx\x1b[39;47mx":                   "",
		"\x1b[37mx\x1b[m\x1b[47mx":                "",
		"\x1b[97;107mx":                           "HIDDEN_CONTROL",
		"\x1b[97;47mx":                            "",
		"\x1b[31;48;5;1mx":                        "HIDDEN_CONTROL",
		"\x1b[91;48;5;9mx":                        "HIDDEN_CONTROL",
		"\x1b[38;5;16;48;2;0;9;0mx":               "HIDDEN_CONTROL",
		"\x1b[38;5;231;48;2;255;255;255mx":        "HIDDEN_CONTROL",
		"\x1b[38;5;244;48;2;120;130;128mx":        "HIDDEN_CONTROL",
		"\x1b[38:2:1:1:1;48:2:1:1:1mx":            "HIDDEN_CONTROL",
		"\x1b[38;2;0;0;0;48;2;90;0;0mx":           "",
		"\x1b[38;5mx\x1b[48mx":                    "",
		"\x1b[58;5;1;31mx":                        "",
		"\x1b[" + strings.Repeat("1;", 200) + "m": "HIDDEN_CONTROL",
	} {
		if m := hidden(text, answer); m.code != want {
			t.Errorf("%q: %+v; want %q", text, m, want)
		}
	}
	if m := hidden("\x1b[31mx", listed); m.code == "" {
		t.Error("colours pass in a list")
	}
}

func TestWhatIsSpelledIsFound(t *testing.T) {
	with(t, `{"allow":["U+2061"]}`)
	bits := strings.Repeat(`\u200b\u200c`, 6)
	for text, want := range map[string]string{
		bits:                                               "HIDDEN_INVISIBLE",
		bits[6:]:                                           "",
		bits[:36] + "x" + bits[36:]:                        "",
		strings.ReplaceAll(bits, `\`, `\\`):                "HIDDEN_INVISIBLE",
		strings.Repeat(`\u2061`, 99):                       "",
		strings.Repeat("&#8203;", 12):                      "HIDDEN_INVISIBLE",
		strings.Repeat("&shy;", 12):                        "HIDDEN_INVISIBLE",
		strings.Repeat("&amp;", 12):                        "",
		strings.Repeat("%E2%80%8B", 12):                    "HIDDEN_INVISIBLE",
		strings.Repeat("%E2%80%94", 12):                    "",
		strings.Repeat(`\xe2\x80\x8b`, 12):                 "HIDDEN_INVISIBLE",
		strings.Repeat(`\u{200b}`, 12):                     "HIDDEN_INVISIBLE",
		strings.Repeat(`\U0000200B`, 12):                   "HIDDEN_INVISIBLE",
		`\u{E0041}\u{E0042}\u{E0043}`:                      "",
		`\u{E0041}\u{E0042}\u{E0043}\u{E0044}`:             "HIDDEN_TAGS",
		"%F3%A0%81%81%F3%A0%81%82%F3%A0%81%83%F3%A0%81%84": "HIDDEN_TAGS",
		"&#x1F3F4;&#xE0067;&#xE0062;&#xE0065;&#xE006E;&#xE0067;&#xE007F;":                        "",
		"&#x1F3F4;&#xE0067;&#xE0062;&#xE0065;&#xE006E;&#xE0067;&#xE0067;":                        "HIDDEN_TAGS",
		"&#x1F3F4;&#xE0067;&#xE0062;&#xE0065;&#xE006E;&#xE0067;&#xE007F;" + "&#xE0041;&#xE0042;": "",
		`[\u{E0000}-\u{E007F}] \u202E \ud83c & % \`:                                              "",
		"a&#8238;b":  "HIDDEN_BIDI",
		"a&#x202d;b": "HIDDEN_BIDI",
	} {
		if m := hidden(text, argument); m.code != want {
			t.Errorf("%q: %+v; want %q", text, m, want)
		}
	}
	for text, want := range map[string]string{"a&zwnj;b": "HIDDEN_INVISIBLE", "&#xE0041;": "HIDDEN_TAGS", `a\u200b &lt; &#65;`: ""} {
		if m := hidden(text, listed); m.code != want {
			t.Errorf("%q in a list: %+v; want %q", text, m, want)
		}
	}
}

// TestWhatIsPassedHasNothingToJudge has judge see each character that is passed
// without it, in text of several scripts.
func TestWhatIsPassedHasNothingToJudge(t *testing.T) {
	with(t, `{}`)
	n := 0
	for r := rune(0xA0); r < 1<<16; r++ {
		if classes[r]&special != 0 {
			continue
		}
		for _, around := range []string{"a", "ب", "क", "漢", ""} {
			text := around + string(r) + around
			reader := reader{text: text, i: len(around), r: r, n: len(string(r))}
			if m := reader.judge(); m.code != "" {
				t.Errorf("%q: %+v", text, m)
			}
			n++
		}
	}
	if n < 200_000 {
		t.Errorf("%d texts", n)
	}
}

func TestMoreThanCanBeRedactedIsRefused(t *testing.T) {
	list := strings.Repeat(`"x\u200by",`, callgate.MaxPointers+1) + `"x"`
	got, err := callgate.Try(`{"phase":"result","result":{"structuredContent":{"a":[` + list + `]}},"settings":{}}`)
	if err != nil || !strings.Contains(got, `"code":"HIDDEN_INVISIBLE"`) || !strings.Contains(got, `"outcome":"deny"`) {
		t.Errorf("%.200s, %v", got, err)
	}
}

func FuzzNoTextBreaksTheReader(f *testing.F) {
	for _, s := range []string{"\x1b[", "\u202A", "🏴", "\u200d", "\xff\u00AD", "\b", "\uFE0F"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		for _, where := range []place{argument, answer, listed} {
			hidden(text, where)
		}
	})
}
