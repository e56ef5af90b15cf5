package provenance

import (
	"fmt"
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
	few   bool   // of so few letters that they say nothing inside of a word
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
		e.phoneForms(add)
	case KindHandle:
		add(strings.TrimPrefix(e.Identity, "@"))
	default:
		add(head(strings.TrimSpace(e.Identity)))
		gitForms(e.Identity, add)
	}
	return out
}

// phoneForms lists a number with both of its prefixes, and with the zero that is
// dialled inside its country only, which many write in brackets behind a country
// code of one to three digits.
func (e Entity) phoneForms(add func(string)) {
	digits := e.Identity[1:]
	add(e.Identity)
	add(digits)
	add("00" + digits)
	for n := 1; n <= 3; n++ {
		add(digits[:n] + "0" + digits[n:])
	}
	if before, after, ok := strings.Cut(e.Value, "(0)"); ok {
		add(string(appendAlnum(nil, []byte(before+after))))
	}
}

// gitForms lists the spellings of a repository that is named as git does for
// ssh, user@host:path.
func gitForms(s string, add func(string)) {
	user, rest, ok := strings.Cut(s, "@")
	host, path, has := strings.Cut(rest, ":")
	if !ok || !has || len(s) > maxToken || !strings.Contains(host, ".") || strings.ContainsAny(user+rest, " \n@") {
		return
	}
	path = strings.TrimSuffix(path, ".git")
	for _, between := range [...]string{"/", ":"} {
		add(host + between + path)
		add(host + between + path + ".git")
	}
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
	for _, h := range shortAddresses(e.host) {
		add("//" + h + tail)
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
	} else if strings.Count(tail, "/") == 2 && !strings.ContainsAny(tail, "?.") {
		add(host + tail + ".git")
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
		mapped := fmt.Sprintf("::ffff:%x:%x", n>>16, n&0xFFFF)
		out := []string{strconv.FormatUint(n, 10), "0x" + strconv.FormatUint(n, 16), bracket(mapped)}
		for _, format := range [...]string{"0%o", "0x%x", "%03d"} {
			var parts [4]string
			for i, n := range b {
				if parts[i] = fmt.Sprintf(format, n); format == "0%o" && n == 0 {
					parts[i] = "0"
				}
			}
			out = append(out, strings.Join(parts[:], "."))
		}
		return out
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

// shortAddresses lists the spellings of an IPv4 address in two and three parts,
// of which the last holds the rest of it. They look like numbers of versions, so
// they count in URLs only.
func shortAddresses(host string) []string {
	a, err := netip.ParseAddr(host)
	if err != nil || !a.Is4() {
		return nil
	}
	b := a.As4()
	return []string{
		fmt.Sprintf("%d.%d", b[0], uint32(b[1])<<16|uint32(b[2])<<8|uint32(b[3])),
		fmt.Sprintf("%d.%d.%d", b[0], b[1], uint32(b[2])<<8|uint32(b[3])),
	}
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
