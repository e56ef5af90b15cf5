package main

// extra is what compatibility decomposition and UTS #39 do not say, or say
// otherwise: the look-alikes that spoofed names are really written with. They
// come before both. UTS #39 counts every I as a look-alike of l; here a capital
// goes with its small letter, as ASCII I does.
var extra = []struct {
	image byte
	of    string
}{
	{'a', "аαɑᴀᎪꭺⱥ⍺АΑ"},
	{'b', "вβʙᏴᏼƀЬьВΒ"},
	{'c', "сϲᴄⅽᏟꮯⲥСϹƈ"},
	{'d', "ԁᴅđᎠꭰɖɗᏧꮷ"},
	{'e', "еεᴇᎬꭼєҽɛЕΕ℮"},
	{'f', "ƒғꜰẝք"},
	{'g', "ɡցɢᏀꮐǥᶃ"},
	{'h', "һհʜħᎻꮋнНΗ"},
	{'i', "іιıɩɪᎥꭵІΙӏɨⲒⲓ"},
	{'j', "јϳᴊᎫꭻȷɉЈ"},
	{'k', "кκᴋᏦꮶКΚƙⲕ"},
	{'l', "łʟᏞꮮɫƚǀӀլ"},
	{'m', "мμᴍᎷꮇМΜɱⲙ"},
	{'n', "ոηɴпŋɲΝռ"},
	{'o', "оοօᴏøσОΟⲟჿɵ"},
	{'p', "рρᴘᏢꮲРΡϱⲣþ"},
	{'q', "ԛզɋգ"},
	{'r', "гʀᎡꭱɾɍᴦⲅ"},
	{'s', "ѕꜱᏚꮪᏕꮥʂЅ"},
	{'t', "тτᴛᎢꭲТΤŧƭⲧ"},
	{'u', "υսᴜцʋꭎ"},
	{'v', "ѵνᴠᏙꮩѷ"},
	{'w', "ԝωᴡшᎳꮃᏔꮤաɯ"},
	{'x', "хχХΧⲭ"},
	{'y', "уγʏүУΥҮყỿɏ"},
	{'z', "ζᴢᏃꮓΖƶʐ"},
	{'.', "。․۔܁܂‧·ꓸ"},
	{'-', "‐‑‒–—―−﹘⁃˗"},
	{'/', "⁄∕⧸╱"},
	{'\\', "∖⧵⧹"},
	{':', "∶ː꞉׃։"},
	{'\'', "’‘ʼʹ′՚"},
	{'"', "“”″"},
	{',', "‚،"},
	{'*', "∗⁎"},
	{'<', "˂‹"},
	{'>', "˃›"},
}

// ligatures are the letters that are plainly two ASCII letters. Of the other
// characters with a prototype of several letters, each looks as much like
// something else, so they keep to themselves.
const ligatures = "æœꜳꜵꜷꜹꜻꜽꝏʣʦʪʫᵫӕ"

// apart are the scripts of which no letter is taken for an ASCII letter: those
// written from right to left, where UTS #39 takes the commonest letters of
// Arabic for l and o, and those without blanks between words, where a letter in
// front of an address would become a part of it.
const apart = " " +
	"Adlm Ahom Arab Armi Avst Bali Batk Bopo Bugi Cakm Cham Chrs Cprt Elym Gara Hang Hani Hatr Hebr Hira Hung Java Kana Khar Khmr Kits Lana " +
	"Laoo Lydi Mand Mani Mend Merc Mero Mymr Narb Nbat Nkoo Nshu Orkh Ougr Palm Phli Phlp Phnx Prti Rohg Samr Sarb Sidt Sogd Sogo Syrc Tale " +
	"Talu Tang Tavt Thaa Thai Tibt Yezi Yiii "
