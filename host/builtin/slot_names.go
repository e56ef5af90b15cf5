package builtin

// wordList holds names of arguments, squashed. A name matches if it is one of
// them, or ends in one at the start of a word: "target_host" ends in host, and
// "ghost" does not.
type wordList []squashed

// naming compiles names.
func naming(names ...string) wordList {
	list := make(wordList, len(names))
	for i, name := range names {
		list[i] = squash(name)
	}
	return list
}

func (l wordList) match(name string) bool {
	s := squash(name)
	for i := range l {
		w := string(l[i].text())
		if s.n == len(w) && string(s.text()) == w || s.endsIn(w) && startsWord(name, len(w)) {
			return true
		}
	}
	return false
}

// startsWord says whether the last n letters and digits of a name start a word.
func startsWord(name string, n int) bool {
	i := len(name)
	for n > 0 {
		i--
		if i < 0 {
			return false
		}
		if kept(name[i]) {
			n--
		}
	}
	if i == 0 || !kept(name[i-1]) {
		return true
	}
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	if !upper(name[i]) {
		return false
	}
	return !upper(name[i-1]) || i+1 < len(name) && kept(name[i+1]) && !upper(name[i+1])
}

// kept says whether [squash] keeps a byte.
func kept(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
