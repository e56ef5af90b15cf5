package provenance

// prototype returns the ASCII character that r is easily taken for, in lower
// case, or 0. It covers what compatibility decomposition does not: letters of
// other scripts and punctuation (the subset of UTS #39 confusables that maps a
// non-ASCII character to one ASCII character and is common in spoofed names).
// ASCII is never mapped: 0 and o, or 1 and l, stay different.
func prototype(r rune) byte {
	if r < 0x80 {
		return 0
	}
	if b := letterPrototype(r); b != 0 {
		return b
	}
	return punctuationPrototype(r)
}

func letterPrototype(r rune) byte {
	switch r {
	case 'а', 'α', 'ɑ', 'ᴀ', 'Ꭺ', 'ꭺ', 'ⱥ', '⍺', 'А', 'Α':
		return 'a'
	case 'в', 'β', 'ʙ', 'Ᏼ', 'ᏼ', 'ƀ', 'Ь', 'ь', 'В', 'Β':
		return 'b'
	case 'с', 'ϲ', 'ᴄ', 'ⅽ', 'Ꮯ', 'ꮯ', 'ⲥ', 'С', 'Ϲ', 'ƈ':
		return 'c'
	case 'ԁ', 'ᴅ', 'đ', 'Ꭰ', 'ꭰ', 'ɖ', 'ɗ', 'Ꮷ', 'ꮷ':
		return 'd'
	case 'е', 'ε', 'ᴇ', 'Ꭼ', 'ꭼ', 'є', 'ҽ', 'ɛ', 'Е', 'Ε', '℮':
		return 'e'
	case 'ƒ', 'ғ', 'ꜰ', 'ẝ', 'ք':
		return 'f'
	case 'ɡ', 'ց', 'ɢ', 'Ꮐ', 'ꮐ', 'ǥ', 'ᶃ':
		return 'g'
	case 'һ', 'հ', 'ʜ', 'ħ', 'Ꮋ', 'ꮋ', 'н', 'Н', 'Η':
		return 'h'
	case 'і', 'ι', 'ı', 'ɩ', 'ɪ', 'Ꭵ', 'ꭵ', 'І', 'Ι', 'ӏ', 'ɨ', 'Ⲓ', 'ⲓ':
		return 'i'
	case 'ј', 'ϳ', 'ᴊ', 'Ꭻ', 'ꭻ', 'ȷ', 'ɉ', 'Ј':
		return 'j'
	case 'к', 'κ', 'ᴋ', 'Ꮶ', 'ꮶ', 'К', 'Κ', 'ƙ', 'ⲕ':
		return 'k'
	case 'ł', 'ʟ', 'Ꮮ', 'ꮮ', 'ɫ', 'ƚ', 'ǀ', 'Ӏ', 'լ':
		return 'l'
	case 'м', 'μ', 'ᴍ', 'Ꮇ', 'ꮇ', 'М', 'Μ', 'ɱ', 'ⲙ':
		return 'm'
	case 'ո', 'η', 'ɴ', 'п', 'ŋ', 'ɲ', 'Ν', 'ռ':
		return 'n'
	case 'о', 'ο', 'օ', 'ᴏ', 'ø', 'σ', 'О', 'Ο', 'ⲟ', 'ჿ', 'ɵ':
		return 'o'
	case 'р', 'ρ', 'ᴘ', 'Ꮲ', 'ꮲ', 'Р', 'Ρ', 'ϱ', 'ⲣ', 'þ':
		return 'p'
	case 'ԛ', 'զ', 'ɋ', 'գ':
		return 'q'
	case 'г', 'ʀ', 'Ꭱ', 'ꭱ', 'ɾ', 'ɍ', 'ᴦ', 'ⲅ':
		return 'r'
	case 'ѕ', 'ꜱ', 'Ꮪ', 'ꮪ', 'Ꮥ', 'ꮥ', 'ʂ', 'Ѕ':
		return 's'
	case 'т', 'τ', 'ᴛ', 'Ꭲ', 'ꭲ', 'Т', 'Τ', 'ŧ', 'ƭ', 'ⲧ':
		return 't'
	case 'υ', 'ս', 'ᴜ', 'ц', 'ʋ', 'ꭎ':
		return 'u'
	case 'ѵ', 'ν', 'ᴠ', 'Ꮩ', 'ꮩ', 'ѷ':
		return 'v'
	case 'ԝ', 'ω', 'ᴡ', 'ш', 'Ꮃ', 'ꮃ', 'Ꮤ', 'ꮤ', 'ա', 'ɯ':
		return 'w'
	case 'х', 'χ', 'Х', 'Χ', 'ⲭ':
		return 'x'
	case 'у', 'γ', 'ʏ', 'ү', 'У', 'Υ', 'Ү', 'ყ', 'ỿ', 'ɏ':
		return 'y'
	case 'ζ', 'ᴢ', 'Ꮓ', 'ꮓ', 'Ζ', 'ƶ', 'ʐ':
		return 'z'
	}
	return 0
}

func punctuationPrototype(r rune) byte {
	switch r {
	case '。', '․', '۔', '܁', '܂', '‧', '·', 'ꓸ':
		return '.'
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹘', '⁃', '˗':
		return '-'
	case '⁄', '∕', '⧸', '╱':
		return '/'
	case '∖', '⧵', '⧹':
		return '\\'
	case '∶', 'ː', '꞉', '׃', '։':
		return ':'
	case '’', '‘', 'ʼ', 'ʹ', '′', '՚':
		return '\''
	case '“', '”', '″':
		return '"'
	case '‚', '،':
		return ','
	case '∗', '⁎':
		return '*'
	case '˂', '‹':
		return '<'
	case '˃', '›':
		return '>'
	}
	return 0
}
