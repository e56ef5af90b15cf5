package provenance

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
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

func TestTheEntityMapIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m, again entityMap
		want := map[uint64][]uint32{}
		n := rapid.IntRange(1, 400).Draw(t, "records")
		for record := range uint32(n) {
			// Few low bits, so that many keys want the same slot.
			key := rapid.Uint64Range(1, 20).Draw(t, "key") << 32
			m.add(key, record)
			if !slices.Contains(want[key], record) && len(want[key]) < maxNamed {
				want[key] = append(want[key], record)
			}
		}
		for key, records := range want {
			var got []uint32
			more := m.find(key, func(r uint32) { got = append(got, r) })
			if !more && !slices.Equal(got, records) {
				t.Fatalf("key %d: %v, want %v", key, got, records)
			}
		}
		if got := m.find(99, func(uint32) { t.Fatal("a key that is not there") }); got {
			t.Fatal("more of a key that is not there")
		}
		again.grow()
		again.grow()
		for _, s := range m.slots {
			if s.key != 0 {
				again.slots = append([]slot(nil), m.slots...)
			}
		}
		again.full = m.full
		var a, b bytes.Buffer
		m.digest(&a)
		again.digest(&b)
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Fatal("the digest depends on the size")
		}
	})
}

// TestKeysThatCollideCostLittle: adding keys that were made for one slot is
// bounded, and says that more were there.
func TestKeysThatCollideCostLittle(t *testing.T) {
	var m entityMap
	for i := range uint64(10_000) {
		m.add(7+i<<40, uint32(i))
	}
	more := 0
	for i := range uint64(10_000) {
		found := false
		if m.find(7+i<<40, func(uint32) { found = true }) || !found {
			more++
		}
		if !found && !m.full[7+i<<40] {
			t.Fatalf("key %d is lost silently", i)
		}
	}
	if more == 0 {
		t.Error("no key was dropped: the test tries nothing")
	}
}

// plainAgrees holds what is read the short way against what is read the long way.
func plainAgrees(t interface{ Errorf(string, ...any) }, s string) (read bool) {
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

func TestPlainAddressesAreReadAsAnyOther(t *testing.T) {
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`[a-z0-9._+-]{1,6}@[a-z0-9-]{1,5}\.([a-z0-9-]{1,5}\.)?[a-z0-9]{1,4}`),
			rapid.StringMatching(`https?://[a-z0-9-]{1,5}\.[a-z0-9-]{1,5}/[a-zA-Z0-9/.?=&_~%-]{0,9}`),
		).Draw(t, "address")
		if plainAgrees(t, s) {
			read++
		}
	})
	for _, s := range []string{"bob@partner.example", "https://a.example/x?y=1", "x_1@a-b.example"} {
		if !plainAgrees(t, s) {
			t.Errorf("%q is not plain", s)
		}
	}
	if read == 0 {
		t.Error("nothing was plain")
	}
}

func FuzzScanEntities(f *testing.F) {
	for _, s := range []string{"a@b.co", "https://x.y/z", strings.Repeat("@", 300), strings.Repeat("a.", 300), "+49 30 1", "GB29 NWBK", "::1", `\\srv\x`, "\xff@\xff.x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plainAgrees(t, s)
		n := 0
		scanEntities(s, func(uint64) { n++ })
		if n > 4*len(s)+4 {
			t.Errorf("%s entities in %d bytes", strconv.Itoa(n), len(s))
		}
	})
}
