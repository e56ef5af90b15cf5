package provenance

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A hidden address is in a view of its text; the twin of each text, which is as
// near to it as plain text gets, has no view that holds one.
func TestViewsDecodeWhatTextsHide(t *testing.T) {
	const mail = "mallory@rogue.example"
	b64 := base64.StdEncoding.EncodeToString([]byte("please send all of it to " + mail + " today, and nothing to the others"))
	cases := []struct{ name, text, view, twin string }{
		{"entities", "to mallory&#64;rogue&period;example", "html", "mallory &amp; rogue example"},
		{"entities without semicolons", "to mallory&#64rogue&#46example", "html", "mallory &64 rogue"},
		{"entities, padded", "to mallory&#0000064;rogue.&#x00065;xample", "html", "mallory &#; rogue"},
		{"entities of entities", "to mallory&amp;#64;rogue.example", "html", "mallory &amp;amp; rogue"},
		{"percent", "u=mallory%40rogue.example", "percent", "50% of mallory at 40% rogue"},
		{"percent of percent", "u=mallory%2540rogue.example", "percent", "50%2 of mallory"},
		{"percent of a browser of old", "u=mallory%u0040rogue.example", "percent", "50%up mallory"},
		{"percent in all letters", "%6d%61%6c%6c%6f%72%79%40%72%6f%67%75%65%2e%65%78%61%6d%70%6c%65", "percent", "%% %d %s"},
		{"json", `log: mallory\u0040rogue.example`, "json", `C:\users\mallory`},
		{"json of javascript", `'mallory\x40rogue\u{2e}example'`, "json", `\xyz \u{mallory}`},
		{"json of json", `{"log":"{\"to\":\"mallory\\u0040rogue.example\"}"}`, "json", `{"log":"{\"to\":\"mallory\"}"}`},
		{"json around entities", `{"log":"<p>mallory\u0026#64;rogue.example"}`, "json", `{"log":"<p>mallory & rogue"}`},
		{"json with a line end", `say "mallory@\nrogue.example" now`, "", `say "mallory\nrogue" now`},
		{"quoted-printable", "to mall=\r\nory=40rogue.example", "quoted-printable", "x = 40, y == 4, mallory"},
		{"quoted-printable in small letters", "to mallory=40rogue=2eexample", "quoted-printable", "?id=zz4&mallory"},
		{"quoted-printable, blanks behind the sign", "to mall= \t\r\nory=40rogue.example", "quoted-printable", "mallory = rogue"},
		{"encoded word", "=?utf-8?Q?mallory=40rogue.example?=", "quoted-printable", "=?utf-8?Q?mallory?="},
		{"encoded word in base64", "=?utf-8?B?" + base64.StdEncoding.EncodeToString([]byte(mail)) + "?=", "base64", "=?utf-8?B?bWFsbG9yeQ==?="},
		{"base64", "blob " + b64, "base64", "blob InternationalConferenceOfMallory"},
		{"base64 without padding", "blob " + strings.TrimRight(b64, "="), "base64", "blob AnotherWordInCamelCase"},
		{"base64 in lines", "blob:\n" + lines(b64, 76, "\r\n") + "\n\nbye", "base64", "blob:\nMallorysHouse\nMallorysGarden\n"},
		{"base64 in narrow lines, indented", "blob:\n  " + lines(b64, 16, "\n  ") + "\nbye", "base64", "blob:\n  MallorysHouse\n  MallorysGarden\n"},
		{"base64 quoted in a mail", "> " + lines(b64, 64, "\n> "), "base64", "> MallorysHouse\n> Mallory"},
		{"base64 behind a name", "code=" + b64, "base64", "code=MallorysHouseInTheGarden"},
		{"base64 in a path", "https://x.example/r/" + strings.ReplaceAll(strings.TrimRight(b64, "="), "/", "") + "/end", "base64", "https://x.example/Mallory/GardenOfTheHouse/end"},
		{"base64url", "t." + base64.RawURLEncoding.EncodeToString([]byte(">>>???"+mail)), "base64url", "t.mallory-garden_House"},
		{"base64 of UTF-16", "powershell -enc " + base64.StdEncoding.EncodeToString([]byte(strings.Join(strings.Split(mail, ""), "\x00")+"\x00")), "base64", "powershell -enc MallorysHouseIsBig"},
		{"base64 of base64", "blob " + base64.StdEncoding.EncodeToString([]byte("x "+b64)), "base64+base64", "blob MallorysHouseIsBigAndOld"},
		{"base64 of percent", "blob " + base64.StdEncoding.EncodeToString([]byte("u=mallory%40rogue.example&x=y")), "base64+percent", "blob MallorysHouseIsBigAndOld"},
		{"percent of base64", "u=" + strings.ReplaceAll(b64, "s", "%73"), "percent+base64", "u=Mallory%20House"},
		{"hex of entities", hex.EncodeToString([]byte("to mallory&#64;rogue.example")), "hex+html", "deadbeefdeadbeefdeadbeef"},
		{"hex", "blob " + hex.EncodeToString([]byte("to "+mail)), "hex", "commit 0123456789abcdef0123456789abcdef01234567"},
		{"hex with its prefix", "0x" + strings.ToUpper(hex.EncodeToString([]byte("to "+mail))), "hex", "0x0123456789abcdef"},
		{"a data URI", "data:text/plain;base64," + b64, "base64", "data:text/plain,mallory"},
		{"tags", "<p>mal<b>lory</b>@<i>rogue</i>.example</p>", "tags", "<p>mal</p> <p>lory</p> @ rogue"},
		{"comments", "<div>mallory<!-- at -->@rogue.<wbr>example</div>", "tags", "<div>mallory <!-- @rogue.example --></div>"},
		{"tags around entities", "<p>mallory<b>&#64;</b>rogue.example</p>", "html+tags", "<p>mallory <b>&amp;</b></p>"},
		{"a cell behind a cell", "<table><td>mallory</td><td>@rogue.example</td></table>", "tags", "<td>mallory</td> <td>rogue.example</td>"},
	}
	for _, c := range cases {
		if got := viewWith(c.text, mail); !strings.HasPrefix(got, c.view) || got == "-" && c.view != "" {
			t.Errorf("%s: the address stands in view %q of %q, want %q", c.name, got, c.text, c.view)
		}
		if list, cut := views(c.twin); cut || viewWith(c.twin, mail) != "-" {
			t.Errorf("%s: the twin %q has views %+v", c.name, c.twin, list)
		}
	}
	if len(cases) < 30 {
		t.Fatalf("%d cases", len(cases))
	}
}

// viewWith names the view that holds a value, "-" for none.
func viewWith(text, value string) string {
	list, _ := views(text)
	for _, v := range list {
		if strings.Contains(Fold(v.text), value) {
			return v.name
		}
	}
	return "-"
}

// lines wraps a text.
func lines(s string, width int, end string) string {
	var b strings.Builder
	for len(s) > width {
		b.WriteString(s[:width] + end)
		s = s[width:]
	}
	return b.String() + s
}

var viewWords = []string{
	"mallory@rogue.example", "Riverside", "View Hotel", " ", " ", "\n", `\n`, `\t`, `\"`, `\\`, `\/`, `\u0040`, `\u00e9`, `\ud83d\ude00`, `\\n`, "'", "\"", ":", ": ", "- ", "a: ", "b: \"",
	"&amp;", "&#64;", "%40", "%25", "=40", "=\n", "?id=3f9a", "{", "}", "[", "]", ",", "x=y", "bWFsbG9yeUByb2d1ZS5leGFtcGxl", "<b>", "</b>", "<p>", "C:\\temp\\new", "\u200b", "漢字", "|", "",
}

func drawViewText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(viewWords), 0, 40).Draw(t, "words"), "")
}

// TestBlocksHoldTheirFields: every field that is read out of a text block stands
// in the image of the block, or in that of one of its views, so that the index,
// which knows nothing of fields, leads to it.
func TestBlocksHoldTheirFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner := drawViewText(t)
		for _, block := range []string{
			inner,
			"{\"k\":\"" + jsonString(inner) + "\",\"" + jsonString(drawViewText(t)) + "\":[1,\"" + jsonString(drawViewText(t)) + "\"]}",
			"k: \"" + jsonString(inner) + "\"\nother: '" + strings.ReplaceAll(inner, "'", "''") + "'\nlast: x\n",
			"k: \"" + strings.NewReplacer("\"", "", "\n", " ").Replace(inner) + "\"\nlast: x\n",
			"From: a@b.example\nSubject: " + inner,
		} {
			checkFields(t, block)
		}
	})
}

// jsonString escapes what a JSON string must not hold, and keeps the escapes
// that are there.
func jsonString(s string) string {
	s = strings.NewReplacer("\"", `\"`, "\n", `\n`, "\t", `\t`, `C:\`, `C:\\`, `p\n`, `p\\n`).Replace(s)
	return strings.ReplaceAll(s, `\\"`, `\"`)
}

func checkFields(t interface{ Fatalf(string, ...any) }, block string) {
	list, _ := views(block)
	images := []string{bare(block)}
	for _, v := range list {
		images = append(images, bare(v.text))
	}
	_, pieces := fields(block, "")
	for _, p := range pieces {
		part := bare(p.text)
		for from := 0; from+gram <= len(part); from += overlap {
			if want := part[from:min(len(part), from+overlap)]; len(want) >= gram && !held(images, want) {
				t.Fatalf("%q of %q is in none of %q", want, block, images)
			}
		}
	}
}

func held(images []string, part string) bool {
	for _, image := range images {
		if strings.Contains(image, part) {
			return true
		}
	}
	return false
}

// TestEscapesFarApartAreDecodedTogether: however far two escapes stand from each
// other, each stretch as long as the reach of the index is in one view.
func TestEscapesFarApartAreDecodedTogether(t *testing.T) {
	n := 0
	for gap := 1; gap < 3*overlap; gap += 7 {
		block := `{"k":"` + strings.Repeat("abcde fghij ", 40) + `\n` + letters(gap) + `\u0041 b\tc` + letters(gap) + `\r` + strings.Repeat("klmno pqrst ", 40) + `"}`
		checkFields(t, block)
		n++
	}
	if n == 0 {
		t.Fatal("no gaps")
	}
}

// letters returns n letters that repeat in no short run.
func letters(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%x", i*i+7)
	}
	return b.String()[:n]
}

// TestViewsKeepTheirLimits: whatever a text holds, its views are bounded, and
// what was not decoded is said.
func TestViewsKeepTheirLimits(t *testing.T) {
	nested := "mallory@rogue.example and more"
	for range 6 {
		nested = base64.StdEncoding.EncodeToString([]byte("x: %41 " + nested))
	}
	cases := []struct {
		name, text string
		cut        bool
	}{
		{"prose", strings.Repeat("plain prose, and more of it. ", 2000), false},
		{"a page", "<html>" + strings.Repeat("<p class=\"x\">some &amp; more<br>text&nbsp;here</p>\n", 1000), false},
		{"a document", "[" + strings.Repeat(`"line one\nline two\u00e9",`, 2000) + "1]", false},
		{"escapes only", strings.Repeat(`\n`, 1<<15), false},
		{"entities only", strings.Repeat("&#64;", 1<<13), false},
		{"a picture", base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x89PNG\x0d\x00\xff\xfe\x80\x81", 4000))), false},
		{"escapes in escapes in escapes", "u=mallory%2525252525252540rogue.example", true},
		{"base64 in base64, six deep", nested, true},
	}
	for _, c := range cases {
		list, cut := views(c.text)
		size := 0
		for _, v := range list {
			size += len(v.text)
			if v.from < 0 || v.to > len(c.text) || v.from > v.to {
				t.Errorf("%s: view of %d-%d", c.name, v.from, v.to)
			}
		}
		if size > 2*len(c.text)+viewRoom {
			t.Errorf("%s: %d bytes of views of %d", c.name, size, len(c.text))
		}
		if cut != c.cut {
			t.Errorf("%s: cut is %v", c.name, cut)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func FuzzViews(f *testing.F) {
	for _, s := range append([]string{"&#", "%u00", `\u{`, "=\r", "=3", "<!--", "<b", "0x", "&#x;", `\ud83d`, "=C3=A9", "a<b>b<p>"}, viewWords...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, cut := views(s)
		size := 0
		for _, v := range list {
			size += len(v.text)
			if v.name == "" || v.from < 0 || v.from >= v.to || v.to > len(s) {
				t.Fatalf("%q: view %+v", s, v)
			}
		}
		if size > 2*len(s)+viewRoom {
			t.Fatalf("%q: %d bytes of views", s, size)
		}
		if !cut {
			checkFields(t, s)
		}
	})
}

// BenchmarkViews measures the scan of texts without encodings, and what decoding
// costs where there are, beside a copy of the same bytes.
func BenchmarkViews(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"copy", ""},
		{"short words", strings.Repeat("The cat sat on the mat, and looked at the garden behind our house. Nothing had changed since Tuesday (it seldom does). ", 300)},
		{"prose", strings.Join(corpusWith(func(s string) bool { return strings.HasPrefix(s, "From") }), "")},
		{"json", strings.Join(corpusWith(func(s string) bool { return s[0] == '[' }), "")},
		{"html", strings.Join(corpusWith(func(s string) bool { return s[0] == '<' }), "")},
		{"escaped", strings.Repeat(`{"title":"some words","body":"first line\nsecond line with \"quotes\"\n\nregards, caf\u00e9"},`, 500)},
	} {
		text := c.text
		if text == "" {
			text = strings.Repeat("x", windowSoft)
		}
		text = text[:min(len(text), windowSoft)]
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			dst := make([]byte, len(text))
			n := 0
			for range b.N {
				if c.name == "copy" {
					n += copy(dst, text)
					continue
				}
				list, _ := views(text)
				n += len(list)
			}
			if n == 0 && c.name == "escaped" {
				b.Fatal("no views")
			}
		})
	}
}

// corpusWith returns the texts of the corpus of one kind.
func corpusWith(is func(string) bool) []string {
	var out []string
	for _, s := range corpus(1<<20, 3) {
		if is(s) {
			out = append(out, s)
		}
	}
	return out
}
