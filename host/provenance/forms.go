package provenance

import (
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// image says in which image of the text a form is searched.
type image uint8

const (
	imageFold image = iota // spaces and punctuation kept
	imageBare              // letters and digits only
)

// form is one spelling of a value, already folded.
type form struct {
	image image
	text  string
	view  string // the encoding, "" for a plain spelling
	raw   string // the exact bytes an encoded form must have in the text, "" for any case
	part  bool   // only a part of the value
	tag   string // a spelling with a +tag: text is "local+", and this follows the tag
}

// spellings lists the folded plain spellings of a value, the usual one first.
func (e Entity) spellings() []string {
	var out []string
	add := func(s string) {
		if f := Fold(s); f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	switch e.Kind {
	case KindMail:
		e.mailForms(add)
	case KindURL:
		e.urlForms(add)
	case KindHost, KindIP:
		e.hostForms(add)
	case KindPath:
		add(e.Identity)
		add(strings.ReplaceAll(e.Identity, "/", `\`))
	case KindPhone:
		add(e.Identity)
		add(e.Identity[1:])
	case KindHandle:
		add(strings.TrimPrefix(e.Identity, "@"))
	default:
		add(head(strings.TrimSpace(e.Identity)))
	}
	return out
}

// maxSearched bounds the opaque text that is searched. Of a longer one the
// start is: where that stands, taint is likely enough.
const maxSearched = 4096

// head returns the start of a text, cut between code points.
func head(s string) string {
	if len(s) <= maxSearched {
		return s
	}
	n := maxSearched
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// forms lists everything under which a value is searched, its usual spelling
// first.
func (e Entity) forms() []form {
	var out []form
	plain := e.spellings()
	for _, s := range plain {
		out = append(out, form{text: s})
	}
	for _, s := range plain {
		if b := string(appendAlnum(nil, []byte(s))); len(b) >= 8 {
			out = append(out, form{image: imageBare, text: b})
		}
	}
	if e.Kind == KindMail {
		out = append(out, form{text: Fold(e.local) + "+", tag: "@" + Fold(unicodeHost(e.host))})
	}
	return append(append(out, e.parts()...), e.encodings()...)
}

func (e Entity) mailForms(add func(string)) {
	local, _, tagged := strings.Cut(e.local, "+")
	for _, host := range []string{unicodeHost(e.host), e.host, mailAlias(e.host)} {
		if host == "" {
			continue
		}
		add(e.local + "@" + host)
		if tagged && local != "" {
			add(local + "@" + host)
		}
	}
}

// mailAlias returns the other name of a mail host that has two.
func mailAlias(host string) string {
	switch host {
	case "gmail.com":
		return "googlemail.com"
	case "googlemail.com":
		return "gmail.com"
	}
	return ""
}

func (e Entity) urlForms(add func(string)) {
	i := strings.Index(e.Identity, "//")
	scheme, rest := strings.TrimSuffix(e.Identity[:i], ":"), e.Identity[i+2:]
	host := bracket(e.host)
	tail := strings.TrimPrefix(rest, host)
	if tail == "/" {
		tail = ""
	}
	spelled := append([]string{unicodeHost(e.host), host}, addressSpellings(e.host)...)
	for _, h := range spelled {
		add(h + tail)
	}
	if port := defaultPort(scheme); port != "" && !strings.HasPrefix(tail, ":") {
		add(host + ":" + port + tail)
	}
	add(host + "." + tail)
	if decoded := unescapePercent(tail); decoded != tail {
		add(host + decoded)
	}
	if repo, ok := strings.CutSuffix(tail, ".git"); ok {
		add(host + repo)
	}
}

func (e Entity) hostForms(add func(string)) {
	add(unicodeHost(e.Identity))
	add(e.Identity)
	for _, s := range addressSpellings(e.Identity) {
		add(s)
	}
}

// addressSpellings lists further spellings of an IP address, nil for a name.
func addressSpellings(host string) []string {
	a, err := netip.ParseAddr(host)
	if err != nil {
		return nil
	}
	if a.Is4() {
		b := a.As4()
		n := uint64(b[0])<<24 | uint64(b[1])<<16 | uint64(b[2])<<8 | uint64(b[3])
		return []string{strconv.FormatUint(n, 10), "0x" + strconv.FormatUint(n, 16)}
	}
	full := a.WithZone("").StringExpanded()
	groups := strings.Split(full, ":")
	for i, g := range groups {
		if g = strings.TrimLeft(g, "0"); g == "" {
			g = "0"
		}
		groups[i] = g
	}
	return []string{full, strings.Join(groups, ":")}
}

// parts lists the forms that are evidence of a part only: the host of a value
// and the domains above it, unless everyone has an address there.
func (e Entity) parts() []form {
	if e.host == "" || e.Kind == KindHost || e.Kind == KindIP || publicMail(e.host) {
		return e.parents()
	}
	return append([]form{{text: Fold(unicodeHost(e.host)), part: true}, {text: e.host, part: true}}, e.parents()...)
}

// parents lists the domains above the host, down to two labels.
func (e Entity) parents() []form {
	var out []form
	if _, err := netip.ParseAddr(e.host); err == nil || len(e.host) > 253 {
		return nil
	}
	for h := e.host; strings.Count(h, ".") > 1 && len(out) < 8; {
		h = h[strings.IndexByte(h, '.')+1:]
		if len(h) >= 6 && !publicMail(h) {
			out = append(out, form{text: Fold(unicodeHost(h)), part: true})
		}
	}
	return out
}

// publicMail says whether anybody can have an address at a host, so that the
// host alone says nothing.
func publicMail(host string) bool {
	switch host {
	case "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "icloud.com",
		"me.com", "mac.com", "aol.com", "proton.me", "protonmail.com", "gmx.de", "gmx.net", "gmx.com", "web.de",
		"mail.com", "mail.ru", "yandex.ru", "yandex.com", "qq.com", "163.com", "zoho.com", "fastmail.com", "t-online.de":
		return true
	}
	return false
}

// maxEncoded bounds the values whose encoded forms are searched: nobody hides
// a destination longer than this, and each form costs a pass.
const maxEncoded = 512

// encodings lists the encoded forms of a value.
func (e Entity) encodings() []form {
	plain := e.spoken()
	if len(plain) < 6 || len(plain) > maxEncoded || !e.distinctive() {
		return nil
	}
	var out []form
	encoded := func(view, exact string) { out = append(out, form{text: Fold(exact), raw: exact, view: view}) }
	for shift := 0; shift < 3; shift++ {
		encoded("base64", base64Inside(base64.StdEncoding, plain, shift))
		if u := base64Inside(base64.URLEncoding, plain, shift); u != out[len(out)-1].raw {
			encoded("base64url", u)
		}
	}
	out = append(out, form{image: imageBare, text: hex.EncodeToString([]byte(plain)), view: "hex"})
	folded := Fold(plain)
	if r := rot13(folded); r != folded {
		out = append(out, form{text: r, view: "rot13"})
	}
	if r := reverse(folded); r != folded {
		out = append(out, form{text: r, view: "reversed"})
	}
	if e.host != "" && strings.ContainsAny(plain, "@.") {
		at := strings.ReplaceAll(plain, "@", " at ")
		out = append(out, form{image: imageBare, text: bare(strings.ReplaceAll(at, ".", " dot ")), view: "spelled"})
		if at != plain {
			out = append(out, form{image: imageBare, text: bare(at), view: "spelled"})
		}
	}
	return out
}

// spoken is the value as it would be written down.
func (e Entity) spoken() string {
	if e.Kind == KindMail {
		return e.local + "@" + unicodeHost(e.host)
	}
	return strings.TrimSpace(e.Identity)
}

// base64Inside returns the characters that plain gives for certain when it
// stands shift bytes behind the start of a group in a longer encoded text.
func base64Inside(enc *base64.Encoding, plain string, shift int) string {
	s := enc.WithPadding(base64.NoPadding).EncodeToString([]byte("\x00\x00"[:shift] + plain))
	lead := (shift*8 + 5) / 6
	if (len(plain)+shift)%3 != 0 {
		s = s[:len(s)-1]
	}
	return s[min(lead, len(s)):]
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + (r-'a'+13)%26
		}
		return r
	}, s)
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// distinctive says whether finding the value in prose means something. Kinds
// with a grammar always do; opaque text must be long or have some structure,
// and dates never do.
func (e Entity) distinctive() bool {
	switch e.Kind {
	case KindText, KindHandle, KindPath:
	default:
		return true
	}
	s := strings.TrimSpace(Fold(head(e.Identity)))
	if dateLike(s) {
		return false
	}
	folded, letters, figures, inner := 0, 0, 0, false
	for i, r := range s {
		switch {
		case unicode.IsNumber(r):
			folded, figures = folded+1, figures+1
		case unicode.IsLetter(r):
			folded, letters = folded+1, letters+1
		case r != ' ' && i > 0 && i < len(s)-1:
			inner = true
		}
	}
	words := len(strings.Fields(s))
	switch {
	case folded >= 20, figures >= 8, folded >= 12 && words >= 2:
		return true
	case folded < 8:
		return false
	}
	return letters > 0 && (figures > 0 || inner && words == 1)
}

// dateLike says whether s is a date or a time as ISO 8601 writes them.
func dateLike(s string) bool {
	if len(s) < 8 || len(s) > 35 || !isDigit(s[0]) {
		return false
	}
	figures := 0
	for i := 0; i < len(s); i++ {
		switch {
		case isDigit(s[i]):
			figures++
		case !strings.ContainsRune("-:.tz+ /", rune(s[i])):
			return false
		}
	}
	return figures >= 6 && (s[4] == '-' && len(s) >= 10 || s[4] == '/' || s[2] == ':' && figures < 7)
}
