package policy

import (
	"fmt"
	"strings"
)

// mailProviders are domains at which anybody can have an address.
var mailProviders = map[string]bool{
	"gmail.com": true, "googlemail.com": true, "outlook.com": true, "hotmail.com": true, "live.com": true, "msn.com": true,
	"yahoo.com": true, "ymail.com": true, "aol.com": true, "icloud.com": true, "me.com": true, "mac.com": true,
	"proton.me": true, "protonmail.com": true, "pm.me": true, "gmx.de": true, "gmx.net": true, "gmx.com": true, "web.de": true,
	"mail.com": true, "mail.ru": true, "yandex.ru": true, "yandex.com": true, "qq.com": true, "163.com": true, "126.com": true,
	"zoho.com": true, "fastmail.com": true, "tutanota.com": true, "tuta.io": true, "hey.com": true,
}

// wideTrust says why strangers can be trusted by an entry of trusted:, or "".
func wideTrust(s string) string {
	prefix, domain := trustedPattern(s)
	if mailProviders[asciiDomain(domain)] && strings.HasPrefix(prefix, "*@") {
		return "anybody can have an address at this provider"
	}
	return ""
}

// voidGlob says why half a tool's key matches no name, or "".
func voidGlob(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7E {
			return "it has characters beyond ASCII, and no name with one can be pinned"
		}
	}
	return backwards(s)
}

// voidPath says why no value of a slot matches a pattern, or "".
func voidPath(slot, s string) string {
	if slot == "path" || slot == "cwd" {
		return backwards(s)
	}
	return ""
}

// backwards finds a class whose range ends before it begins, and so is empty.
func backwards(s string) string {
	inside, last := false, rune(0)
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; {
		case c == '\\':
			i++
			if i < len(runes) {
				last = runes[i]
			}
		case !inside:
			inside, last = c == '[', 0
		case c == ']' && last != 0:
			inside = false
		case c == '-' && last != 0 && i+1 < len(runes) && runes[i+1] != ']':
			if runes[i+1] < last {
				return fmt.Sprintf("the range %c-%c is empty", last, runes[i+1])
			}
		default:
			last = c
		}
	}
	return ""
}
