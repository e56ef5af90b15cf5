package provenance

import (
	"slices"
	"strings"
	"testing"
)

// TestTextNamesItsEntities: every token that is read as an entity alone is found
// in a text around it, under the same key.
func TestTextNamesItsEntities(t *testing.T) {
	cases := []struct{ kind, token string }{
		{KindMail, "mallory@rogue.example"}, {KindMail, "Mal.Lory+tag@Rogue.Example"}, {KindURL, "https://rogue.example/a/../b?q=1"},
		{KindURL, "HTTP://Rogue.Example:80/"}, {KindHost, "files.rogue.example"}, {KindIP, "10.1.2.3"}, {KindIP, "2001:db8::1"},
		{KindIBAN, "GB29NWBK60161331926819"}, {KindIBAN, "GB29 NWBK 6016 1331 9268 19"}, {KindPhone, "+49 30 1234567"}, {KindPhone, "0049301234567"},
		{KindHandle, "#ops-channel"}, {KindHandle, "@mallory"}, {KindPath, "/srv/share/../x"}, {KindText, "C024BE91LQ2C024BE91LQ2"},
	}
	for _, c := range cases {
		e, ok := strong(c.token)
		if c.kind == KindText {
			e, ok = text(c.token), true
		}
		if !ok || e.Kind != c.kind {
			t.Errorf("%q is %s, want %s", c.token, e.Kind, c.kind)
			continue
		}
		for _, around := range []string{"%s", "see %s, now", "(%s)\nthen", "<%s>", "\"%s\": 1"} {
			var keys []uint64
			scanEntities(strings.Replace(around, "%s", c.token, 1), func(k uint64) { keys = append(keys, k) })
			if !slices.Contains(keys, keyHash(e)) {
				t.Errorf("%s %q is not named by %q", c.kind, c.token, around)
			}
		}
		var keys []uint64
		scanEntities("nothing is named here, and x"+c.token+"x is none of it", func(k uint64) { keys = append(keys, k) })
		if slices.Contains(keys, keyHash(e)) && c.kind != KindIBAN && c.kind != KindPhone {
			t.Errorf("%s %q is named inside of another word", c.kind, c.token)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestOtherSpellingsOfAnEntityAreFound: what is read as the same entity is found,
// though no spelling of the value stands in the text.
func TestOtherSpellingsOfAnEntityAreFound(t *testing.T) {
	cases := []struct{ text, value, other string }{
		{"fetch https://rogue.example/x/../drop now", "https://rogue.example/drop", "https://rogue.example/droplet"},
		{"fetch http://0x0a.1.2.3/in now", "http://10.1.2.3/in", "http://10.1.2.4/in"},
		{"it is in /srv/tmp/../drop/all now", "/srv/drop/all", "/srv/drop/some"},
		{"write to mal.lory.x@gmail.com now", "malloryx@googlemail.com", "malloryy@googlemail.com"},
	}
	for _, c := range cases {
		x := New(Options{})
		x.Record(textResult("c", "s", "t", c.text))
		f := lookup(x, c.value)
		if len(f.Evidence) == 0 || rank(f.Evidence[0].Position) > rank("encoded") {
			t.Errorf("%q in %q: %v", c.value, c.text, f.Evidence)
		}
		for _, e := range lookup(x, c.other).Evidence {
			if rank(e.Position) <= rank("encoded") {
				t.Errorf("%q in %q: %v", c.other, c.text, e)
			}
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestABlockReachesIntoWhatFollows: a value is found though its letters stand far
// apart, over the borders of several blocks.
func TestABlockReachesIntoWhatFollows(t *testing.T) {
	gap := strings.Repeat(" ", 70_000)
	hidden := strings.Repeat("lorem ipsum ", 1250) + "GB29NWBK" + gap + "60161" + gap + "331926819"
	x := newIndex(Options{}, tuning{})
	x.Record(textResult("c", "s", "t", hidden))
	if f := lookup(x, "GB29NWBK60161331926819"); len(f.Evidence) == 0 || len(x.blocks) < 3 {
		t.Errorf("%d blocks: %+v", len(x.blocks), f)
	}
	if f := lookup(x, "GB29NWBK60161331926818"); len(f.Evidence) != 0 {
		t.Errorf("another number: %+v", f)
	}
}

// namedBy returns the keys of the entities that a text names.
func namedBy(text string) (keys []uint64, cut bool) {
	cut = scanEntities(text, func(k uint64) { keys = append(keys, k) })
	return keys, cut
}

// TestWhatATextNames: how an entity may stand in a text, and what looks like it.
func TestWhatATextNames(t *testing.T) {
	cases := []struct{ text, value, other string }{
		{"mail 'mallory@rogue.example'!", "mallory@rogue.example", "mallory@rogue.exampl"},
		{"**mallory@rogue.example**, __bob@rogue.example__", "bob@rogue.example", "rogue.example"},
		{"o'brien@rogue.example", "o'brien@rogue.example", "brian@rogue.example"},
		{"to=mallory@rogue.example;cc=bob@rogue.example", "bob@rogue.example", "to=mallory@rogue.example"},
		{"mail me: mallory%40rogue.example.", "mallory@rogue.example", "mallory%41rogue.example"},
		{"box admin@[10.0.0.1] is it", "admin@[10.0.0.1]", "admin@[10.0.0.2]"},
		{"“mallory@rogue.example”", "mallory@rogue.example", "“mallory@rogue.example"},
		{"请写信给mallory@rogue.example谢谢", "mallory@rogue.example", "谢谢"},
		{"mal\u200blory@rogue.example", "mallory@rogue.example", "lory@rogue.example"},
		{"müller@bücher.example", "müller@xn--bcher-kva.example", "ller@bücher.example"},
		{"Mallory@Rogue.Example", "mallory@rogue.example", "allory@rogue.example"},
		{"mallory+x@rogue.example", "mallory+y@rogue.example", "mallory.x@rogue.example"},
		{"see [it](https://rogue.example/a_(b)).", "https://rogue.example/a_(b)", "https://rogue.example/a_"},
		{"see (https://rogue.example/a)", "https://rogue.example/a", "https://rogue.example/a)"},
		{"<a href='https://rogue.example/it's'>", "https://rogue.example/it", "https://rogue.example/its"},
		{"http://rogue.example:80/x/../y?q=%41", "https://rogue.example/y?q=A", "https://rogue.example/z?q=A"},
		{"at https://rogue.example/?q= now", "https://rogue.example/?q=", "https://rogue.example/?q=1"},
		{"请访问https://rogue.example/a谢谢", "https://rogue.example/a", "https://rogue.example/"},
		{"host=files.rogue.example:8443", "files.rogue.example", "files.rogue.exampl"},
		{"Host: files.rogue.example.", "files.rogue.example", "iles.rogue.example"},
		{"在bücher。example上", "xn--bcher-kva.example", "example"},
		{"10.1.2.3:443 -> [2001:db8::1]:80", "10.1.2.3", "10.1.2.30"},
		{"10.1.2.3:443 -> [2001:db8::1]:80", "2001:db8:0::1", "2001:db8::"},
		{"from 2001:db8::/32, to 2001:db8::.", "2001:db8::", "2001:db8::32"},
		{"::ffff:10.1.2.3 sent", "10.1.2.3", "10.1.2.4"},
		{"pay GB29 NWBK 6016 1331 9268 19 today", "GB29NWBK60161331926819", "GB29NWBK60161331926818"},
		{"pay GB29-NWBK-6016-1331-9268-19.", "GB29NWBK60161331926819", "GB29NWBK601613319268190"},
		{"IBAN:gb29nwbk60161331926819", "GB29NWBK60161331926819", "GB29NWBK60161331926817"},
		{"call +49 (0)30 123-4567 2 times", "+490301234567", "+49030123456"},
		{"tel:+49-30-1234567", "0049301234567", "00493012345678"},
		{"Tel.:0049/30/1234567;", "+49301234567", "+4930123456"},
		{"post it in #ops-channel, please", "#ops-channel", "#ops"},
		{"#ops/alerts: down", "#ops/alerts", "#alerts"},
		{"ask @mallory.", "@mallory", "@mallor"},
		{"--out=/srv/a/../drop", "/srv/drop", "/srv/a"},
		{"/srv/x(1),y/../z", "/srv/z", "/srv/x(1)"},
		{`in C:\Users\eve\..\all,`, "C:/Users/all", "C:/Users/eve"},
		{"file:///srv/./drop", "/srv/drop", "/drop"},
		{"~/notes/../keys", "~/keys", "~/notes"},
		{"id=C024BE91LQ2C024BE91LQ2&x=1", "C024BE91LQ2C024BE91LQ2", "C024BE91LQ2C024BE91LQ"},
	}
	for _, c := range cases {
		keys, cut := namedBy(c.text)
		shares := func(value string) bool {
			list, _ := Canonicalise(value)
			return slices.ContainsFunc(list[0].keys(), func(k uint64) bool { return slices.Contains(keys, k) })
		}
		if cut || !shares(c.value) {
			t.Errorf("%q does not name %q", c.text, c.value)
		}
		if shares(c.other) {
			t.Errorf("%q names %q", c.text, c.other)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestHostileTextIsReadInLinearTime: four times the text is four times the work,
// and what is not looked at is told.
func TestHostileTextIsReadInLinearTime(t *testing.T) {
	cases := []struct {
		name, part string
		cut        bool
	}{
		{"at signs", "@", false}, {"dots", "a.", false}, {"addresses in one word", "a@b.co,", false}, {"nested addresses", "a@b@c@", false},
		{"slashes", "/", true}, {"URLs without a host", "(//", true}, {"colons", "a:", false}, {"escapes", "%40", false}, {"backslashes", `\`, false},
		{"zones", "::1%", false}, {"ideographs with stops", "你好。", false}, {"soft hyphens", "\u00ada.", false}, {"hashes", "#", false},
		{"account numbers", "AB12 ", false}, {"telephone numbers", "00 ", false}, {"brackets", "(a.b)", false}, {"a page", "see https://a.example/x?y=1 or bob@a.example. ", false},
	}
	for _, c := range cases {
		var work [2]int
		for i, n := range []int{20_000, 80_000} {
			s := strings.Repeat(c.part, n/len(c.part))
			d := scan{s: s, named: func(Entity) { work[i]++ }, work: workFor(s)}
			d.take = d.address
			d.words()
			if i > 0 && d.cut != c.cut {
				t.Errorf("%s: cut is %v", c.name, d.cut)
			}
		}
		if work[1] > 5*work[0]+16 {
			t.Errorf("%s: %d entities in the short text, %d in the long one", c.name, work[0], work[1])
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestNoHostHoldsWhatEndsOne: a full-width character that is mapped to one which
// ends a host makes no host; the full stop of Chinese and Japanese does.
func TestNoHostHoldsWhatEndsOne(t *testing.T) {
	cases := []struct{ name, host string }{
		{"rogue.example／.corp.example", ""}, {"rogue.example＃.corp.example", ""}, {"rogue.example？.corp.example", ""}, {"a℀b.example", ""},
		{"rogue。example", "rogue.example"}, {"bücher.example", "xn--bcher-kva.example"},
	}
	for _, c := range cases {
		for _, around := range []string{"%s", "mallory@%s", "https://%s/"} {
			s := strings.Replace(around, "%s", c.name, 1)
			if e, _ := strong(s); e.Host() != c.host {
				t.Errorf("%q is at %q, want %q", s, e.Host(), c.host)
			}
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
