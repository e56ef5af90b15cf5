package abi

import (
	"fmt"
	"strings"
)

// MaxServerName is the most bytes of a server's name.
const MaxServerName = 64

// CheckServerName says what is wrong with the name that an operator gives a
// server. A policy could not say anything of a server with another name, and a
// key of one that holds a slash would be read as another server's.
func CheckServerName(s string) error {
	ok := s != "" && len(s) <= MaxServerName
	for i := 0; ok && i < len(s); i++ {
		c := s[i]
		ok = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && strings.IndexByte("._ -", c) >= 0
	}
	if ok {
		return nil
	}
	shown := s
	if len(shown) > MaxServerName {
		shown = shown[:MaxServerName] + "…"
	}
	return fmt.Errorf("%q is not the exact name of a server; want letters, digits, '.', '_', '-' and spaces, the first a letter or digit, at most %d", shown, MaxServerName)
}
