//! What a name looks like, by UTS 39.

use unicode_normalization::UnicodeNormalization;
use unicode_script::Script;
use unicode_security::{mixed_script::AugmentedScriptSet, skeleton};

/// Full stops that IDNA reads as ".".
pub const STOPS: [char; 3] = ['\u{3002}', '\u{ff0e}', '\u{ff61}'];

/// What stands in a name's text for what no honest name has there.
const OTHER: char = '\u{fffd}';

/// A name as it is compared. Two names are the same if their texts are; they look
/// alike if one of their keys is.
pub struct Name {
    pub text: String,
    pub keys: Vec<String>,
}

/// A name's text, and what it shows.
fn read(raw: &str) -> (String, String) {
    let (shown, forged) = decoded(raw);
    let mut text = folded(&shown);
    if forged {
        text.insert(0, OTHER);
    }
    (text, shown)
}

pub fn text(raw: &str) -> String {
    read(raw).0
}

/// Reads a name of any letters.
pub fn name(raw: &str, alphabet: &Alphabet) -> Name {
    let (text, shown) = read(raw);
    let mut forms: Vec<String> = Vec::new();
    for written in [shown.nfkc().collect(), shown] {
        for form in [written.to_lowercase(), tame(&written)] {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    let mut keys: Vec<String> = forms.iter().map(|f| alphabet.skeleton(f)).collect();
    keys.dedup();
    Name { text, keys }
}

/// A key without the marks on Latin letters.
pub fn bare(key: &str) -> String {
    let mut latin = false;
    let stays = |c: &char| {
        let mark = matches!(c, '\u{300}'..='\u{36f}');
        latin = c.is_ascii_alphabetic() || latin && mark;
        !(latin && mark)
    };
    key.chars().filter(stays).collect()
}

/// What looks like a full stop, and is a letter or sign of labels.
pub const POINTS: [char; 6] = ['\u{b7}', '\u{2022}', '\u{2027}', '\u{22c5}', '\u{30fb}', '\u{ff65}'];

/// What looks like the sign behind a host.
pub const SIGNS: [char; 13] =
    ['\u{2044}', '\u{2215}', '\u{2571}', '\u{29f8}', '\u{3033}', '\u{1427}', '\u{ff0f}', '\u{ff20}', '\u{fe6b}', '\u{ff03}', '\u{fe5f}', '\u{ff1a}', '\u{ff3c}'];

/// Says whether a label is one of Punycode, or a part one that ends in it.
pub fn is_puny(part: &str) -> bool {
    part.contains("--") && part.as_bytes().windows(4).any(|w| w.eq_ignore_ascii_case(b"xn--"))
}

/// The longest label that DNS has.
const MAX_LABEL: usize = 63;

/// Decodes the labels of Punycode. They are forged if nobody who encodes names
/// writes them: what they hold is ASCII, or would be encoded in another form.
fn decoded(raw: &str) -> (String, bool) {
    let (mut out, mut forged) = (String::new(), false);
    for part in raw.split_inclusive(['.', '@']) {
        let label = part.trim_end_matches(['.', '@']);
        let puny = label.len() <= MAX_LABEL && label.is_ascii() && label.get(..4).map_or(false, |p| p.eq_ignore_ascii_case("xn--"));
        match if puny { punycode::decode(&label[4..].to_ascii_lowercase()) } else { Err(()) } {
            Ok(text) => {
                forged |= text.is_ascii() || folded(&text) != text;
                out.push_str(&text);
                out.push_str(&part[label.len()..]);
            }
            Err(()) => out.push_str(part),
        }
    }
    (out, forged)
}

/// Folds what is the same in every name: case, and how accents are encoded. A
/// letter that is equivalent to one of ASCII, such as the sign of Kelvin, is not.
fn folded(s: &str) -> String {
    let stays = |c: char| c.is_ascii() || !(c.to_string().nfd().all(|d| d.is_ascii()));
    s.chars().map(|c| if stays(c) { c } else { OTHER }).collect::<String>().to_lowercase().nfc().collect()
}

/// Only among small letters does I look like l.
fn tame(s: &str) -> String {
    let part = |p: &str| if p.bytes().any(|c| c.is_ascii_lowercase()) { p.to_owned() } else { p.replace('I', "i") };
    s.split_inclusive(['.', '@']).map(part).collect()
}

/// What the letters of ASCII look like, made once: small letters have skeletons of
/// their own, rn is that of m. UTS 39 has none for vv, which is written in place of
/// w all the same.
pub struct Alphabet {
    ascii: Vec<String>,
    near: bool,
}

/// Letters that UTS 39 has no skeletons of ASCII for, and signs: small capitals, eth,
/// the long sounds of Japanese and what is set low.
const DRAWN: &str = "ᴀaʙbᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢzðdー-一-ㅡ-ˍ_";

impl Alphabet {
    /// Near is for names that are known: those are few, and posed as with cl for d,
    /// and i for l and 1, too.
    pub fn new(near: bool) -> Alphabet {
        let one = |c: u8| match c.to_ascii_lowercase() as char {
            'w' => "vv".to_owned(),
            'd' if near => "cl".to_owned(),
            'i' if near => "l".to_owned(),
            c => skeleton(c.encode_utf8(&mut [0; 4])).flat_map(char::to_lowercase).collect(),
        };
        Alphabet { ascii: (0..128).map(one).collect(), near }
    }

    /// The skeleton of any text, in small letters.
    fn skeleton(&self, s: &str) -> String {
        let mut out = String::new();
        let s = if self.near { s.chars().map(drawn).collect() } else { s.to_owned() };
        for c in skeleton(&s.replace(STOPS, ".")).flat_map(char::to_lowercase) {
            let c = if self.near { drawn(c) } else { c };
            match self.ascii.get(c as usize) {
                Some(of) => out.push_str(of),
                None => out.push(c),
            }
        }
        out
    }

    /// Marks the small letters that a name of this key may begin with.
    pub fn mark(&self, key: &str, begins: &mut [bool; 128]) {
        for (c, of) in self.ascii.iter().enumerate() {
            begins[c] |= key.chars().next() == of.chars().next();
        }
        begins[b'i' as usize] |= key.starts_with('l'); // as it is written, I can be l
    }

    /// Writes the key of a name of ASCII; as it is written, I can be l.
    pub fn key(&self, name: &str, written: bool, out: &mut String) {
        out.clear();
        for part in name.split_inclusive(['.', '@']) {
            let written = written && part.bytes().any(|c| c.is_ascii_lowercase());
            for c in part.bytes() {
                match self.ascii[c as usize & 127].as_bytes() {
                    _ if written && c == b'I' => out.push('l'),
                    [c] => out.push(*c as char),
                    _ => out.push_str(&self.ascii[c as usize & 127]),
                }
            }
        }
    }
}

/// The letter that a letter of DRAWN is drawn as.
fn drawn(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let mut letters = DRAWN.chars();
    while let (Some(of), Some(to)) = (letters.next(), letters.next()) {
        if of == c {
            return to;
        }
    }
    c
}

/// What one label may mix, by UTS 39, 5.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scripts {
    Highly,
    Moderately,
    Any,
}

/// Says whether a label mixes scripts. What is of all scripts, such as digits and
/// emoji, mixes with each, unlike in the levels of the crate, which are for the
/// identifiers of programs.
pub fn mixes(label: &str, may: Scripts) -> bool {
    if label.is_ascii() || may == Scripts::Any {
        return false;
    }
    let (mut all, mut others) = (AugmentedScriptSet::default(), AugmentedScriptSet::default());
    for c in label.nfkc() {
        let set = AugmentedScriptSet::for_char(c);
        all.intersect_with(set);
        if !set.base.contains_script(Script::Latin) {
            others.intersect_with(set);
        }
    }
    if !all.is_empty() || others.hanb || others.jpan || others.kore {
        return false;
    }
    let beside_latin = |s: Script| s.is_recommended() && s != Script::Cyrillic && s != Script::Greek;
    !(may == Scripts::Moderately && others.base.len() == 1 && others.base.iter().all(beside_latin))
}
