package provenance

import "strings"

// Most addresses in a text are written the way they are identified. plainMail
// and plainURL read those, and leave anything with something odd about it to the
// readers that they save.

// Bytes of plain addresses.
const (
	plainHostByte = 1 << iota // a to z, digits, hyphen
	plainLocalByte
	plainTailByte
)

// plainBytes says where each byte may stand. Nothing changes it.
var plainBytes = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		switch {
		case b >= 'a' && b <= 'z', isDigit(b), b == '-':
			t[c] = plainHostByte | plainLocalByte | plainTailByte
		case b == '_':
			t[c] = plainLocalByte | plainTailByte
		case b >= 'A' && b <= 'Z', strings.IndexByte("/=&,~+?", b) >= 0:
			t[c] = plainTailByte
		case b == '.':
			t[c] = plainLocalByte | plainTailByte
		}
	}
	return t
}()

// plainHost says whether s is a lower-case host name of several labels that end
// in letters.
func plainHost(s string) bool {
	if len(s) > 100 || len(s) < 4 || strings.Contains(s, "xn--") {
		return false
	}
	label, labels, letters := 0, 0, true
	for i := 0; i < len(s); i++ {
		if s[i] == '.' {
			if label == 0 || s[i-1] == '-' {
				return false
			}
			label, labels, letters = 0, labels+1, true
			continue
		}
		if plainBytes[s[i]]&plainHostByte == 0 || s[i] == '-' && label == 0 {
			return false
		}
		letters = letters && s[i] > '9'
		// Hyphens in the third and fourth place are the sign of an encoded label.
		if label++; label == 4 && s[i] == '-' && s[i-1] == '-' || label > 60 {
			return false
		}
	}
	return label >= 2 && labels > 0 && letters && s[len(s)-1] != '-'
}

// plainMail reads local@host in lower case.
func plainMail(s string) (Entity, bool) {
	at := strings.IndexByte(s, '@')
	if at <= 0 || s[at-1] == '.' || s[0] == '_' || !plainHost(s[at+1:]) {
		return Entity{}, false
	}
	for i := 0; i < at; i++ {
		if plainBytes[s[i]]&plainLocalByte == 0 {
			return Entity{}, false
		}
	}
	return Entity{Kind: KindMail, Identity: s, Value: s, local: s[:at], host: s[at+1:]}, true
}

// plainURL reads http://host/tail and https://host/tail without port, escapes and
// dot segments.
func plainURL(s string) (Entity, bool) {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "http://"); !ok {
			return Entity{}, false
		}
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 || !plainHost(rest[:slash]) || strings.Contains(rest[slash:], "/.") {
		return Entity{}, false
	}
	for i := slash; i < len(rest); i++ {
		if plainBytes[rest[i]]&plainTailByte == 0 {
			return Entity{}, false
		}
	}
	return Entity{Kind: KindURL, Identity: s, Value: s, host: rest[:slash]}, true
}
