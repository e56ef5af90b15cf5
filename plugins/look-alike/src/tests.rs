use crate::judge;
use crate::known::{self, Known, Standing};
use crate::look::{self, Scripts};
use crate::scan::{runs, unescaped};
use callgate::testing;

fn known(names: &[&str]) -> Known {
    let mut k = Known::new();
    for n in names {
        k.add(n).unwrap();
    }
    k
}

/// Compares a name with others: "is", "like X" or "".
fn against(names: &[&str], name: &str) -> String {
    match known(names).compare(name).unwrap() {
        Standing::Unknown => String::new(),
        Standing::Is(_) => "is".into(),
        Standing::Like(x) => format!("like {x}"),
    }
}

#[test]
fn names_are_the_same_look_alike_or_are_others() {
    let names = ["m.bank.example", "bank.example", "ada@mail.example", "müller.de", "straße.de", "почта.рф"];
    let table = [
        ("bank.example", "is"),
        ("BANK.example", "is"),
        ("www.bank.example", "is"),
        ("m.bank.example", "is"),
        ("rn.bank.example", "like m.bank.example"),
        ("x.rn.bank.example", "like m.bank.example"),
        ("xbank.example", ""),
        ("bank.example.test", ""),
        ("b\u{430}nk.example", "like bank.example"),
        ("bank.ex\u{430}mple", "like bank.example"),
        ("bank.examp1e", "like bank.example"),
        ("bank.exampIe", "like bank.example"),
        ("BANK.EXAMPIE", "like bank.example"),
        ("BANK.EXAMPTE", ""),
        ("bank.examp\u{29f}e", "like bank.example"),
        ("banł.example", ""),
        ("bąnk.example", "like bank.example"),
        ("ba\u{323}nk.example", "like bank.example"),
        ("www.bąnk.example", "like bank.example"),
        ("ą.bank.example", "is"),
        ("bank・example", "like bank.example"),
        ("bunk・example", ""),
        ("acla@mail.example", "like ada@mail.example"),
        ("ada@mall.example", "like ada@mail.example"),
        ("muller.de", ""),
        ("mūller.de", "like müller.de"),
        ("ą.muller.de", ""),
        ("\u{412}\u{410}N\u{41a}.example", "like bank.example"),
        ("B\u{410}NK.example", "like bank.example"),
        ("𝐛𝐚𝐧𝐤.example", "like bank.example"),
        ("ada@mail.example", "is"),
        ("bob@mail.example", "is"),
        ("\u{430}da@mail.example", "like ada@mail.example"),
        ("ada@rnail.example", "like ada@mail.example"),
        ("bob@rnail.example", "like mail.example"),
        ("MÜLLER.de", "is"),
        ("mu\u{308}ller.de", "is"),
        ("xn--mller-kva.de", "is"),
        ("XN--MLLER-KVA.DE", "is"),
        ("muller.de", ""),
        ("rnüller.de", "like müller.de"),
        ("strasse.de", ""),
        ("stra\u{3b2}e.de", "like straße.de"),
        ("почта.рф", "is"),
        ("почта.рф\u{200b}", "like почта.рф"),
        ("", ""),
        (".", ""),
        ("@", ""),
    ];
    for (name, want) in table {
        assert_eq!(against(&names, name), want, "{name}");
    }
}

/// A name is the same as itself in any case, in NFC, NFD and Punycode, whatever else
/// is known; and a letter looks like one of ASCII if the table of confusables says so.
#[test]
fn laws_of_names() {
    use unicode_normalization::UnicodeNormalization;
    let (mut k, mut same, mut like) = (Known::new(), 0, 0);
    let letters: Vec<String> = ('0'..='z').filter(char::is_ascii_alphanumeric).map(|c| format!("x{c}y.test")).collect();
    let mut ascii = known(&letters.iter().map(String::as_str).collect::<Vec<_>>());
    for c in (0xa1..0x2fa20).filter_map(char::from_u32).filter(|c| c.is_alphabetic()) {
        k.left = known::EFFORT;
        ascii.left = known::EFFORT;
        // Of Han and Hangul, whose letters are many and alike in this, some.
        let (name, many) = (format!("a{c}b.test"), c > '\u{3400}' && c as u32 % 16 != 0);
        if !many && look::text(&name) == name {
            k.add(&name).unwrap();
            let puny = format!("xn--{}.test", punycode::encode(&format!("a{c}b")).unwrap());
            for form in [name.nfd().collect(), puny, name.clone(), name.to_uppercase()] {
                // Capitals of some letters are those of others: of ß they are SS.
                if form.starts_with("xn--") || look::text(&form) == name {
                    assert_eq!(k.compare(&form), Some(Standing::Is(0)), "{c:?} as {form:?}");
                    same += 1;
                }
            }
        }
        let of: String = unicode_security::skeleton(c.encode_utf8(&mut [0; 4])).collect();
        if of.len() == 1 && of.bytes().all(|b| b.is_ascii_alphanumeric()) {
            assert!(matches!(ascii.compare(&format!("x{c}y.test")), Some(Standing::Like(_))), "{c:?}");
            like += 1;
        }
    }
    assert!(same > 30_000 && like > 500, "{same} are the same, {like} look like another");
}

#[test]
fn labels_mix_scripts_or_do_not() {
    let table = [
        ("acme", true, true),
        ("\u{430}cme", false, false),
        ("акме", true, true),
        ("акме-shop", false, false),
        ("αβγ", true, true),
        ("alphα", false, false),
        ("東京カフェのcafe", true, true),
        ("한국kbs", true, true),
        ("中文ㄅabc", true, true),
        ("한국の", false, false),
        ("ไทยshop", false, true),
        ("ไทยрус", false, false),
        ("ᎪᏟme", false, false),
        ("i❤️2", true, true),
        ("می\u{200c}خواهم", true, true),
        ("\u{ff41}cme", true, true),
        ("", true, true),
    ];
    for (label, highly, moderately) in table {
        assert_eq!(!look::mixes(label, Scripts::Highly), highly, "{label}");
        assert_eq!(!look::mixes(label, Scripts::Moderately), moderately, "{label}, moderately");
        assert!(!look::mixes(label, Scripts::Any));
    }
}

#[test]
fn runs_of_a_text() {
    // Behind each / alone, behind each // a URL.
    let table = [
        ("bank.example", "bank.example alone"),
        (" bank.example. ", "bank.example alone"),
        ("https://a:b@bank.example:1/c.d", "https; a url; b@bank.example; 1; c.d"),
        ("Ada <ada@b.test>, c@d.test", "Ada; ada@b.test alone; c@d.test alone"),
        ("see a.test", "see; a.test"),
        ("\\\\a.test\\x", "a.test url; x"),
        ("是a.test。是b.test", "是a.test; 是b.test"),
        ("a\u{3002}test", "a\u{3002}test alone"),
        ("“a.test”", "a.test"),
        ("...", ""),
        ("", ""),
        ("é", "é alone"),
    ];
    for (text, want) in table {
        let got: Vec<String> = runs(text).map(|r| r.text.to_owned() + if r.is_url() { " url" } else { "" } + if r.is_alone() { " alone" } else { "" }).collect();
        assert_eq!(got.join("; "), want, "{text}");
    }
    assert_eq!(unescaped("a%41%d0%b0%"), Some("aA\u{430}%".into()));
    assert_eq!(unescaped("100% %zz"), None);
}

fn says(settings: &str, call: &str) -> String {
    testing::judge(judge, crate::configure, &format!(r#"{{"phase":"call","settings":{settings},"call":{call}}}"#))
}

#[test]
fn what_is_said_shows_what_is_in_a_name() {
    let got = says(r#"{"known":["bank.example"]}"#, "{\"tool\":\"t\",\"arguments\":{\"to\":[\"x\",\"https://b\u{430}nk.example\"]}}");
    assert_eq!(got, r#"{"at":["/call/arguments/to/1"],"code":"LOOK_ALIKE","outcome":"deny","reason":"b\\u{430}nk.example looks like bank.example"}"#);
    assert_eq!(says(r#"{"known":["bank.example"]}"#, r#"{"tool":"t","arguments":{"to":"https://bank.example"}}"#), r#"{"outcome":"abstain"}"#);
}

#[test]
fn settings_that_are_not_taken() {
    for name in ["https://bank.example", "a b", "bank.example/", "@a", "a@", ".", "bank.example."] {
        let got = says(&format!(r#"{{"known":["x.test","{name}"]}}"#), r#"{"tool":"t","arguments":{}}"#);
        assert!(got.starts_with(r#"{"at":"/settings/known/1""#), "{name}: {got}");
    }
}

/// Any text gives a verdict; a known name put into it stays known.
#[test]
fn any_text_gives_a_verdict() {
    let bits = ["a", "\u{430}", ".", "@", "//", "\\", "%", "%41", "xn--", "xn--a-", "\u{3002}", "\u{200b}", "\u{301}", " ", "<", ",", "\u{fffd}", "😀", "I", "1", "bank.example", "/", ":", "한", "\u{130}"];
    let (mut n, mut denied) = (1u64, 0);
    for _ in 0..4000 {
        let mut s = String::new();
        for _ in 0..12 {
            n = n.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            s.push_str(bits[(n >> 33) as usize % bits.len()]);
        }
        let s = s.replace('\\', "\\\\");
        let got = says(r#"{"known":["bank.example","a@b.test"],"arguments":["x","/y"]}"#, &format!(r#"{{"tool":"{s}","arguments":{{"x":"{s}","y":{{"{s}":["{s}"]}}}}}}"#));
        assert!(got.contains("outcome"), "{s}: {got}");
        denied += got.contains("deny") as usize;
    }
    assert!((100..4000).contains(&denied), "{denied} of 4000 are denied");
}
