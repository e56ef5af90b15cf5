package main

// index finds where texts hold parts of codings. It looks for the first characters
// of each part by a hash of them in small letters.
type index struct {
	codings []*coding
	gram    int // how many characters are hashed
	heads   *[1 << hashes]int32
	entries []entry
}

// entry is a place in a coding, and the next one with the same hash.
type entry struct {
	key         uint64
	coding, pos int32
	next        int32
}

// hashes is how many heads there are, in bits.
const hashes = 17

func newIndex(codings []*coding, gram int) *index {
	x := &index{codings: codings, gram: gram, heads: new([1 << hashes]int32)}
	n := 1
	for _, c := range codings {
		n += len(c.text)
	}
	x.entries = make([]entry, 1, n)
	for i, c := range codings {
		for p := 0; p+gram <= len(c.text); p++ {
			key := uint64(0)
			for _, b := range []byte(c.text[p : p+gram]) {
				key = key<<8 | uint64(small[b])
			}
			h := hash(key)
			x.entries = append(x.entries, entry{key, int32(i), int32(p), x.heads[h]})
			x.heads[h] = int32(len(x.entries) - 1)
		}
	}
	return x
}

func hash(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> (64 - hashes) & (1<<hashes - 1) }

// part is the characters of a secret, from a up to b, that a text holds between two
// of its places.
type part struct {
	secret, a, b int
	start, end   int
}

// parts visits the parts that a text holds, each as long as it is there.
func (x *index) parts(text string, joined bool, visit func(part)) {
	mask, heads := uint64(1)<<(8*x.gram)-1, x.heads
	var key uint64
	for i := range len(text) {
		key = (key<<8 | uint64(small[text[i]])) & mask
		if e := heads[hash(key)]; e != 0 && i+1 >= x.gram {
			x.match(text, i+1-x.gram, key, e, joined, visit)
		}
	}
}

// match visits what begins at a place of a text, and is not within a part that
// began before.
func (x *index) match(text string, start int, key uint64, e int32, joined bool, visit func(part)) {
	for ; e != 0; e = x.entries[e].next {
		n := &x.entries[e]
		if n.key != key {
			continue
		}
		c, p := x.codings[n.coding], int(n.pos)
		if c.joined && !joined {
			continue
		}
		same := func(at, of int) bool { return c.text[of] == text[at] || c.anyCase && c.text[of] == small[text[at]] }
		if !c.anyCase && c.text[p:p+x.gram] != text[start:start+x.gram] {
			continue
		}
		if start > 0 && p > 0 && same(start-1, p-1) {
			continue
		}
		end, q := start+x.gram, p+x.gram
		for end < len(text) && q < len(c.text) && same(end, q) {
			end++
			q++
		}
		if a, b := c.covers(p, q); b-a >= c.least {
			visit(part{c.secret, a, b, start, end})
		}
	}
}
