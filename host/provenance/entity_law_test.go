package provenance

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// errorer is what all kinds of tests have.
type errorer interface{ Errorf(string, ...any) }

// plainAgrees holds what is read the short way against what is read the long way.
func plainAgrees(t errorer, s string) (read bool) {
	if e, ok := plainMail(s); ok {
		read = true
		if long, ok := mail(s); !ok || long != e || oddity(s) != "" {
			t.Errorf("%q: %+v, want %+v", s, e, long)
		}
	}
	if e, ok := plainURL(s); ok {
		read = true
		if long, ok := uri(s); !ok || long != e || oddity(s) != "" {
			t.Errorf("%q: %+v, want %+v", s, e, long)
		}
	}
	return read
}

// wordEnds part words.
const wordEnds = " \t\r\n\"<>"

// wordAgrees holds readWord against strong.
func wordAgrees(t errorer, w string) (read bool) {
	if strings.ContainsAny(w, wordEnds) {
		return false
	}
	short, ok := readWord(w, classesOf(w))
	long, read := strong(w)
	if ok != read || ok && short != long {
		t.Errorf("%q is read as %+v, want %+v", w, short, long)
	}
	return ok
}

// namesAll holds the scan against what each word is read as without it.
func namesAll(t errorer, s string) (names int) {
	keys, cut := namedBy(s)
	if cut {
		return 0
	}
	want := func(w string, e Entity) {
		names++
		if !slices.Contains(keys, keyHash(e)) {
			t.Errorf("%q does not name %s %q, as %q in it does", s, e.Kind, e.Identity, w)
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(wordEnds, r) }) {
		// A sentence is no host, though it has stops and a server may say so.
		sentence := strings.Contains(w, "。") && !strings.ContainsFunc(w, func(r rune) bool { return r == '.' || r < 0x80 && unicode.IsLetter(r) })
		w = strings.TrimRight(strings.TrimLeft(w, "([{'`*_=,;!?&|$"), ")]}'`*_=,;!?&|.:")
		if !strings.HasPrefix(w, "::") {
			w = strings.TrimPrefix(w, ":")
		}
		if e, ok := strong(w); ok && len(w) > 1 && !(sentence && e.Kind == KindHost) {
			want(w, e)
		}
	}
	inside, _ := extract(s)
	for _, e := range inside {
		want(e.Value, e)
	}
	return names
}

// alphabets are what words are made of that may be read as something.
var alphabets = []string{
	`[a-z0-9._+-]{1,6}@[a-z0-9-]{1,5}\.([a-z0-9-]{1,5}\.)?[a-z0-9]{1,4}`,
	`https?://[a-z0-9-]{1,5}\.[a-z0-9-]{1,5}/[a-zA-Z0-9/.?=&_~%-]{0,9}`,
	`[a-zA-Z0.:/\\@#+~%()'=,*_-]{1,12}`,
	`[0-9a-fx.:%\[\]]{2,20}`,
	`(\+|00)[0-9 ()./-]{5,20}`,
	`[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 -]{8,24}`,
	`(tel|sms|file|ftp|HTTP|mailto|x):[/\\]{0,3}[a-z0-9.+@:-]{1,12}`,
	`[a-z0-9ü。．你\x{200b}\x{201c}@./:-]{1,14}`,
	`[~./\\#@][A-Za-z0-9./\\~-]{1,9}`,
}

func wordsOf(alphabets []string) *rapid.Generator[string] {
	var of []*rapid.Generator[string]
	for _, a := range alphabets {
		of = append(of, rapid.StringMatching(a))
	}
	return rapid.OneOf(of...)
}

func TestPlainAddressesAreReadAsAnyOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { plainAgrees(t, wordsOf(alphabets[:2]).Draw(t, "address")) })
	for _, s := range []string{"bob@partner.example", "https://a.example/x?y=1", "x_1@a-b.example"} {
		if !plainAgrees(t, s) {
			t.Errorf("%q is not plain", s)
		}
	}
}

func TestWordsAreReadAsAnyOtherText(t *testing.T) {
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		if wordAgrees(t, wordsOf(alphabets).Draw(t, "word")) {
			read++
		}
	})
	if read == 0 {
		t.Error("nothing was read")
	}
}

func TestATextNamesWhatItsWordsName(t *testing.T) {
	names := 0
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.SampledFrom([]string{" ", ", ", "\n", "'", "=", "(", ")", ".", "\"", "", "_"})
		var b strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "words") {
			b.WriteString(wordsOf(alphabets).Draw(t, "word") + around.Draw(t, "around"))
		}
		names += namesAll(t, b.String())
	})
	if names == 0 {
		t.Error("nothing was named")
	}
}

func FuzzScanEntities(f *testing.F) {
	for _, s := range []string{
		"a@b.co", "https://x.y/z", strings.Repeat("@", 300), strings.Repeat("a.", 300), "+49 30 1", "GB29 NWBK", "::1", `\\srv\x`, "\xff@\xff.x",
		"(https://x.y/a_(b))", "tel:+4930123456", "http:\\\\x.y", "~x.com", "在bücher。example上", "“a@b.co”", "a%40b.co", "x:10.0.0.1:80", "fe80::1%a(b", "C:/x", "[::1]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<14 {
			return // the law is quadratic
		}
		plainAgrees(t, s)
		wordAgrees(t, s)
		for _, w := range strings.Fields(s) {
			wordAgrees(t, w)
		}
		namesAll(t, s)
		n := 0
		eachEntity(s, func(Entity) { n++ })
		if n > 4*len(s)+4 {
			t.Errorf("%d entities in %d bytes", n, len(s))
		}
	})
}
