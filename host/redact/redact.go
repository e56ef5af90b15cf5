// Package redact finds the text that a policy does not want to leave a place,
// and says what stands there instead.
//
// A [Set] is compiled once for a policy. It reads the decoded strings of JSON,
// one by one, so that neither an escape nor the line breaks of a document hide a
// match; what it answers with are cuts in those strings, from which the bytes
// around them can be kept as they were. Text without a match costs one pass
// that looks for the literals that every match has to contain; around those it is
// read for as long as a text of its length may take, and beyond that counts as a
// match, whole.
package redact

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/callgate/callgate/abi"
)

// Where is a set of the places that an entry is about.
type Where uint8

// The places.
const (
	Arguments     Where = 1 << iota // what the client says in a call
	Results                         // answers of a server
	Errors                          // JSON-RPC errors of a server
	Notifications                   // of a server
	Requests                        // of a server
	Ledger                          // what is kept on disk
	Prompts                         // what people are shown who answer a question

	FromServer = Results | Errors | Notifications | Requests
)

// words are the places as policies name them. What a server says comes to the
// client whatever shape it has, so results takes in all of it; and who may not
// read it in the ledger may not read it in a prompt.
var words = map[string]Where{
	"arguments": Arguments, "results": FromServer, "errors": Errors, "notifications": Notifications, "requests": Requests,
	"ledger": Ledger | Prompts, "prompts": Prompts,
}

// Entry is one entry of `redact:`.
type Entry struct {
	Rule    string   // file:line: path
	Name    string   // unique in the policy
	Pattern string   // RE2; a group named secret is what is replaced, else the whole match. "" with Keys: the whole value
	Keys    []string // globs; not nil: only the values of members with such a name
	With    string   // literal
	In      []string // words of places; nil: all
	// Except are globs of text that stays. Nil: none but [Identifier]; empty: not even that.
	Except []string
	// Refuse is what a match in the arguments of a call yields besides: deny or ask,
	// "" for nothing.
	Refuse string
}

// Set is the entries of a policy, compiled. Nil redacts nothing. It is safe for
// concurrent use.
type Set struct {
	entries []entry
	literal *finder  // of what the patterns need; then the odd folds, then what nobody sees
	withs   *finder  // of what is put in
	always  []int    // entries without a literal
	own     int      // entries that were compiled
	base    int      // steps at each byte of any text, see budget
	where   Where    // of all entries
	named   Where    // of those with keys
	denies  *Set     // the entries with Refuse: deny
	asks    *Set     // and those with Refuse: ask
	markers []string // what is put in that no data could be taken for
}

type entry struct {
	Entry
	where  Where
	re     *regexp.Regexp // nil: the whole value
	onward *regexp.Regexp // see onward
	group  int            // of the match that is replaced
	part   part           // what is known of a match
	steps  int            // at each byte that is read, see budget
	except []glob
	keys   []glob
}

// groupName is the group of a pattern that is replaced.
const groupName = "secret"

// maxStates bounds the literals that all patterns together are looked for by, in
// bytes.
const maxStates = 16 << 10

// passes is how often a text is read until nothing is found in it any more.
const passes = 4

// Compile compiles entries, in the order in which they were written. An error
// names what is wrong without the place, which is the rule of entry i.
func Compile(entries []Entry) (s *Set, i int, err error) {
	if len(entries) == 0 {
		return nil, 0, nil
	}
	s = &Set{own: len(entries)}
	var literals [][]string
	for i, e := range entries {
		c, need, err := compile(e)
		if err != nil {
			return nil, i, err
		}
		s.entries = append(s.entries, c)
		s.where |= c.where
		if c.keys != nil {
			s.named |= c.where
		}
		if literals = append(literals, need); need == nil && c.re != nil && !c.part.byRow() {
			s.always = append(s.always, i)
		}
	}
	for i := range s.entries {
		for j := range s.entries {
			if re := s.entries[i].re; re != nil && s.entries[i].keys == nil && re.MatchString(s.entries[j].With) {
				return nil, i, fmt.Errorf("the pattern matches the replacement of %q, which would be redacted again; change the one or the other", s.entries[j].Name)
			}
		}
	}
	size := 0
	for i, list := range literals {
		for _, text := range list {
			if size += len(text); size > maxStates {
				return nil, i, fmt.Errorf("more text to look for than %d bytes in all; join some entries", maxStates)
			}
		}
	}
	s.literal = newFinder(append(literals, oddFolds, invisible()))
	s.withs = newFinder(replacements(s.entries))
	s.base = baseOf(s.entries)
	s.markers = markersOf(s.entries)
	s.denies, s.asks = s.refusing(abi.Deny), s.refusing(abi.Ask)
	return s, 0, nil
}

func replacements(entries []entry) [][]string {
	list := make([][]string, len(entries))
	for i := range entries {
		if with := entries[i].With; with != "" {
			list[i] = []string{lower(with)}
		}
	}
	return list
}

// refusing is the entries with one outcome under Refuse, as a set of their own.
func (s *Set) refusing(o abi.Outcome) *Set {
	var list []Entry
	for i := range s.entries {
		if e := s.entries[i].Entry; e.Refuse == o.String() {
			e.Refuse = ""
			list = append(list, e)
		}
	}
	set, _, _ := Compile(list) // each of them compiled before, among more
	return set
}

// Refusals are the sets of the entries whose matches in arguments deny, and ask.
func (s *Set) Refusals() (denies, asks *Set) {
	if s == nil {
		return nil, nil
	}
	return s.denies, s.asks
}

func compile(e Entry) (c entry, need []string, err error) {
	c = entry{Entry: e}
	for _, word := range e.In {
		w, ok := words[word]
		if !ok {
			return c, nil, fmt.Errorf("%q is no place", word)
		}
		c.where |= w
	}
	if e.In == nil {
		c.where = Arguments | FromServer | Ledger | Prompts
	}
	for _, g := range e.Except {
		c.except = append(c.except, newGlob(g, false))
	}
	for _, k := range e.Keys {
		c.keys = append(c.keys, newGlob(k, true))
	}
	if e.Pattern == "" {
		if c.keys == nil {
			return c, nil, fmt.Errorf("neither pattern nor keys")
		}
		return c, nil, nil
	}
	if c.re, err = regexp.Compile(e.Pattern); err != nil {
		return c, nil, err
	}
	c.steps = stepsOf(e.Pattern)
	if c.onward, err = onward(e.Pattern); err != nil {
		return c, nil, err
	}
	if c.re.MatchString("") {
		return c, nil, fmt.Errorf("the pattern matches where nothing stands; let it need at least one character")
	}
	for i, name := range c.re.SubexpNames() {
		switch {
		case name == "" || i == 0:
		case name != groupName || c.group > 0:
			return c, nil, fmt.Errorf("a group named %q; the only name is %s, once, for the part that is replaced", name, groupName)
		default:
			c.group = i
		}
	}
	if c.part = analyse(e.Pattern); c.part.text {
		c.part.reach = -1
	}
	if c.part.byRow() {
		return c, nil, nil
	}
	for _, text := range c.part.best() {
		need = append(need, plainFolds.Replace(text))
	}
	return c, need, nil
}

// Covers says whether an entry is about one of these places.
func (s *Set) Covers(w Where) bool { return s != nil && s.where&w != 0 }

// Text returns the text as it may stand in these places.
func (s *Set) Text(w Where, text string) string {
	if !s.Covers(w) {
		return text
	}
	r := s.leaf(w, text, nil)
	if r.failed {
		return s.fallback(w)
	}
	return r.text
}

// fallback stands for a text that can not be redacted: nothing of it is shown.
func (s *Set) fallback(w Where) string {
	for i := range s.entries {
		if s.entries[i].where&w != 0 {
			return s.entries[i].With
		}
	}
	return ""
}

// redacted is what became of one string.
type redacted struct {
	text   string
	cuts   []abi.Cut // in the string; nil though it changed: the whole is another
	rules  uint64    // bits of the entries, the last for all behind
	failed bool      // it does not settle
}

// leaf redacts a string that stands under members of these names, until nothing is
// found in it any more.
func (s *Set) leaf(w Where, text string, names []string) (r redacted) {
	r.text = text
	for pass := range passes {
		found := s.spans(w, r.text, names)
		if len(found) == 0 {
			return r
		}
		cuts := make([]abi.Cut, len(found))
		for i, f := range found {
			cuts[i] = abi.Cut{From: int64(f.from), To: int64(f.to), With: s.entries[f.entry].With}
			r.rules |= 1 << min(f.entry, 63)
		}
		next := abi.CutText(r.text, cuts)
		if next == r.text {
			return r // it says what would stand there
		}
		if r.cuts = cuts; pass > 0 {
			r.cuts = nil
		}
		r.text = next
	}
	r.failed = len(s.spans(w, r.text, names)) > 0
	return r
}

// rule returns the rule of the first entry among those of a result, "" for none.
func (s *Set) rule(rules uint64) string {
	for i := range s.entries {
		if rules>>min(i, 63)&1 != 0 {
			return s.entries[i].Rule
		}
	}
	return ""
}

// Entries returns the entries, in order.
func (s *Set) Entries() []Entry {
	if s == nil {
		return nil
	}
	list := make([]Entry, len(s.entries))
	for i := range list {
		list[i] = s.entries[i].Entry
	}
	return list
}

// hasData says whether a text is a data URI of a picture, a sound, a film or a
// font, whole: its bytes are no text.
func hasData(text string) bool {
	rest, ok := strings.CutPrefix(text, "data:")
	if !ok {
		return false
	}
	kind, rest, ok := strings.Cut(rest, ",")
	media, _, _ := strings.Cut(kind, "/")
	return ok && strings.HasSuffix(kind, ";base64") && (media == "image" || media == "audio" || media == "video" || media == "font") && isBase64(rest)
}

// isBase64 says whether a text is of nothing but the letters of base64, in either
// alphabet, with white space between them.
func isBase64(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '/', c == '=', c == '-', c == '_', c == '\r', c == '\n', c == ' ':
		default:
			return false
		}
	}
	return true
}
