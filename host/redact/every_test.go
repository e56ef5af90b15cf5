package redact

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// endless matches, and looks to the end of a text for what would have been more.
const endless = `(?s)BEGIN(?:.*?END|x*)`

// TestEveryMatchIsFoundOnceAndInOrder draws patterns and texts with many matches,
// and compares with what reads as often as it likes.
func TestEveryMatchIsFoundOnceAndInOrder(t *testing.T) {
	parts := []string{"ab", "a", "[ab]", "(?i:kS)", "b{2,3}", "(?:ab|b)", "(?P<secret>ab)?", "x*", "a+?", ".", `\b`, `\B`, "[^a]", "é", "$", "(?m:^)", "(?s:.*?)", "^"}
	texts := []string{"a", "b", "ab", "x", " ", "é", "\n", "ks", "\u212a", "\xff", "\xed\xa0\x80"}
	many := 0
	random := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		pattern := parts[random.IntN(6)]
		for range random.IntN(5) {
			if p := parts[random.IntN(len(parts))]; !strings.Contains(p, "secret") || !strings.Contains(pattern, "secret") {
				pattern += p
			}
		}
		e, _, err := compile(Entry{Name: "e", Pattern: pattern})
		if err != nil {
			continue
		}
		text := ""
		for range random.IntN(60) {
			text += texts[random.IntN(len(texts))]
		}
		want := e.re.FindAllStringSubmatchIndex(text, -1)
		var got [][]int
		rest := e.every(text, plenty(), func(m []int) { got = append(got, m) })
		if rest >= 0 {
			if len(got) < few || len(got) > len(want) || rest != got[len(got)-1][1] {
				t.Fatalf("%s in %q: cut off at %d behind %d of %d matches", pattern, text, rest, len(got), len(want))
			}
			want = want[:len(got)]
		}
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%s in %q: got %v, want %v", pattern, text, got, want)
		}
		if len(got) > few && rest < 0 {
			many++
		}
	}
	if many < 500 {
		t.Errorf("%d texts had many matches", many)
	}
}

// TestATextThatIsReadWithoutEndIsCutOff: nothing behind the place where the reading
// ended is shown, whatever is excepted. A text with an end beside each beginning is
// read whole.
func TestATextThatIsReadWithoutEndIsCutOff(t *testing.T) {
	s := compiled(t, Entry{Name: "e", Pattern: endless, With: "*", Except: []string{"*free*"}}, Entry{Name: "token", Pattern: `AKIA[A-Z0-9]{16}`, With: "#"})
	hostile := "start " + strings.Repeat("BEGIN-", 1000) + "free AKIAQQQQEXAMPLEZZZZ1 tail"
	got := s.Text(Results, hostile)
	if strings.Contains(got, "AKIA") || strings.Contains(got, "tail") || !strings.HasPrefix(got, "start *-*") {
		t.Errorf("got %q", got)
	}
	if again := s.Text(Results, got); again != got {
		t.Errorf("a second time %q", again)
	}
	honest := "start " + strings.Repeat("BEGIN-END ", 1000) + "free AKIAQQQQEXAMPLEZZZZ1 tail"
	if got, want := s.Text(Results, honest), "start "+strings.Repeat("* ", 1000)+"free # tail"; got != want {
		t.Errorf("got %q", got)
	}
}

// TestReadingIsBounded counts what is read of texts of two lengths.
func TestReadingIsBounded(t *testing.T) {
	e, _, err := compile(Entry{Name: "e", Pattern: endless})
	if err != nil {
		t.Fatal(err)
	}
	matches := func(n int) (found int) {
		e.every(strings.Repeat("BEGIN-", n), plenty(), func([]int) { found++ })
		return found
	}
	if once, tenfold := matches(1000), matches(10000); once != tenfold || once >= 1000 || once <= few {
		t.Errorf("%d matches until it is cut off, and %d in ten times the text", once, tenfold)
	}
}

// TestManyPiecesInOneWord holds the words that are looked at once against each piece
// looked at alone.
func TestManyPiecesInOneWord(t *testing.T) {
	s := compiled(t, Entry{Name: "a", Pattern: `a[0-9]`, With: "*", Except: []string{"b*", "a7", "*z"}}, Entry{Name: "b", Pattern: `[ab]. ?[0-9]`, With: "#"})
	pieces := []string{"a1", "a7", "b", "z", " ", "-", "a", "2", ":", "é", strings.Repeat("0", 38)}
	spared := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "text"), "")
		found, _ := s.matches(Results, text, plenty())
		var want []span
		for _, f := range found {
			want = append(want, s.unspared(text, []span{f})...)
		}
		spared += len(found) - len(want)
		got := s.unspared(text, found)
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	})
	if spared == 0 {
		t.Error("nothing was spared")
	}
}

// TestPiecesBesideReplacements holds the sorted places against each place in turn.
func TestPiecesBesideReplacements(t *testing.T) {
	s := compiled(t, Entry{Name: "a", Pattern: "x+", With: "***"}, Entry{Name: "b", Pattern: "y+", With: "[b]"})
	slow := func(text string, found []span) (out []span) {
		for i := range s.entries {
			with := s.entries[i].With
			for from := 0; ; {
				at := strings.Index(text[from:], with)
				if at < 0 {
					break
				}
				at, from = from+at, from+at+len(with)
				for j := 0; j < len(found); j++ {
					switch f := &found[j]; {
					case at <= f.from && f.to <= from:
						found = append(found[:j:j], found[j+1:]...)
						j--
					case f.from < from && at < f.to:
						f.from, f.to = min(f.from, at), max(f.to, from)
					}
				}
			}
		}
		return found
	}
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"*", "***", "[b]", "[B]", "b", "x", "yy", " "}), 1, 20).Draw(t, "text"), "")
		var found []span
		for range rapid.IntRange(1, 6).Draw(t, "pieces") {
			from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
			found = append(found, span{from: from, to: rapid.IntRange(from+1, len(text)).Draw(t, "to"), entry: 1})
		}
		want := slow(text, append([]span{}, found...))
		got := s.beside(text, append([]span{}, found...))
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q %v: got %v, want %v", text, found, got, want)
		}
		if !reflect.DeepEqual(got, found) {
			changed++
		}
	})
	if changed == 0 {
		t.Error("nothing was widened or left out")
	}
}
