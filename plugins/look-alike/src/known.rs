//! The names that are known, and what looks like one of them.

use crate::look::{self, Alphabet, STOPS};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Known names, and how much may still be looked at.
pub struct Known {
    alphabet: Alphabet,             // of names that are compared with those that are known
    strict: Alphabet,               // and of others, with each other
    texts: BTreeSet<String>,
    keys: BTreeMap<String, String>, // and the name that looks so, as it was set
    bare: BTreeMap<String, String>, // those without marks
    ends: BTreeSet<String>,         // what the keys have behind their last dot
    others: BTreeSet<String>,       // ends of names that are none of those
    begins: [bool; 128],            // small letters that names begin with whose keys do as those
    depth: usize,                   // dots and @ of the one with the most
    pub left: u64,
    line: RefCell<String>,
}

/// How a name stands to those that are known.
#[derive(Debug, PartialEq, Eq)]
pub enum Standing {
    Unknown,
    /// It is known, or from this byte of its text on it is.
    Is(usize),
    /// It looks like this one.
    Like(String),
}

/// How much is looked at in one evaluation: most of the fuel that the manifest asks
/// for. So what is too much is refused by a code, and does not run out of fuel.
pub const EFFORT: u64 = 400_000_000;

/// What it costs in fuel, at the most: to read a text, each byte of it, a name in it,
/// each byte of that. A character, if it has such outside of ASCII, costs a third of
/// this: of those no honest call has many.
const TEXT: u64 = 3_000;
const BYTE: u64 = 260;
const NAME: u64 = 5_000;
const ASCII: u64 = 200;
const OTHER: u64 = 20_000;

/// How many ends are remembered: prose has the same ones again and again.
const MAX_OTHERS: usize = 1024;

/// What has more characters is no name.
const MAX_NAME: usize = 1024;

/// What bounds the parts of a name.
fn parts(c: char) -> bool {
    matches!(c, '.' | '@')
}

impl Known {
    pub fn new() -> Known {
        let (texts, keys, ends) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
        let (alphabet, strict) = (Alphabet::new(true), Alphabet::new(false));
        Known { alphabet, strict, texts, keys, bare: BTreeMap::new(), ends, others: BTreeSet::new(), begins: [false; 128], depth: 0, left: EFFORT, line: RefCell::default() }
    }

    /// Adds a name; of an address its host is known as well. None: they are too many.
    pub fn add(&mut self, name: &str) -> Option<()> {
        if !name.is_ascii() && !self.spell(name) {
            return None;
        }
        for key in look::name(name, &self.alphabet).keys {
            self.depth = self.depth.max(key.matches(parts).count());
            let (end, bare) = (last(&key), look::bare(&key));
            self.alphabet.mark(end, &mut self.begins);
            self.ends.insert(end.to_owned());
            self.ends.insert(last(&bare).to_owned());
            self.bare.entry(bare).or_insert_with(|| name.to_owned());
            self.keys.entry(key).or_insert_with(|| name.to_owned());
        }
        self.texts.insert(look::text(name));
        name.rsplit_once('@').map_or(Some(()), |address| self.add(address.1))
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Counts a text, and with how many bytes it is looked through. It says whether it
    /// still may be.
    pub fn read(&mut self, bytes: usize) -> bool {
        self.spend(TEXT + BYTE * bytes as u64)
    }

    fn spend(&mut self, effort: u64) -> bool {
        let may = effort <= self.left;
        self.left -= effort.min(self.left);
        may
    }

    /// Counts a name that is read letter by letter.
    pub fn spell(&mut self, name: &str) -> bool {
        self.spend(NAME + OTHER * name.chars().count() as u64)
    }

    /// What a name looks like beside others of its list. None: too much was looked at.
    pub fn keys(&mut self, raw: &str) -> Option<Vec<String>> {
        if !raw.is_ascii() || look::is_puny(raw) {
            return self.spell(raw).then(|| look::name(raw, &self.strict).keys);
        }
        let (mut key, mut written) = (String::new(), String::new());
        self.strict.key(raw, false, &mut key);
        self.strict.key(raw, true, &mut written);
        Some(if key == written { vec![key] } else { vec![key, written] })
    }

    /// Compares a name with those that are known. None: too much was looked at.
    pub fn compare(&mut self, raw: &str) -> Option<Standing> {
        if too_long(raw) {
            return Some(Standing::Unknown);
        }
        if raw.is_ascii() && !look::is_puny(raw) {
            return self.compare_ascii(raw);
        }
        let end = raw.rsplit(|c| parts(c) || STOPS.contains(&c)).next().unwrap_or(raw);
        if self.others.contains(end) {
            return self.spend(NAME).then(|| Standing::Unknown);
        }
        if !self.spell(end) {
            return None;
        }
        let pointed = raw.contains(look::POINTS);
        if !pointed && !look::name(end, &self.alphabet).keys.iter().any(|k| self.ends.contains(last(k)) || self.ends.contains(last(&look::bare(k)))) {
            if self.others.len() < MAX_OTHERS {
                self.others.insert(end.to_owned());
            }
            return Some(Standing::Unknown);
        }
        if !self.spell(raw) {
            return None;
        }
        let name = look::name(raw, &self.alphabet);
        let is = self.is(&name.text);
        let like = name.keys.iter().filter_map(|k| self.like(k).or_else(|| self.like_bare(k, &name.text))).max_by_key(|l| l.0);
        let stands = standing(&name.text, is, like);
        if stands == Standing::Unknown && pointed {
            return Some(match self.compare(&raw.replace(look::POINTS, "."))? {
                Standing::Is(i) => Standing::Like(raw.replace(look::POINTS, ".")[i..].to_owned()),
                other => other,
            });
        }
        Some(stands)
    }

    fn compare_ascii(&mut self, raw: &str) -> Option<Standing> {
        let end = &raw.as_bytes()[raw.bytes().rposition(|c| c == b'.' || c == b'@').map_or(0, |i| i + 1)..];
        if !end.first().map_or(false, |c| self.begins[c.to_ascii_lowercase() as usize & 127]) {
            return Some(Standing::Unknown);
        }
        if !self.spend(NAME + ASCII * raw.len() as u64) {
            return None;
        }
        let (mut like, mut key) = (None, self.line.borrow_mut());
        self.alphabet.key(raw, false, &mut key);
        if self.ends.contains(last(&key)) {
            like = self.like(&key);
        }
        if like.is_none() {
            return Some(Standing::Unknown);
        }
        let text = raw.to_ascii_lowercase();
        let is = self.is(&text);
        Some(standing(&text, is, like))
    }

    /// The longest end of a text that is known: where it starts.
    fn is(&self, text: &str) -> Option<usize> {
        starts(text, self.depth).filter(|&i| self.texts.contains(&text[i..])).last()
    }

    /// The same without marks: of names that have some. What is spelled in ASCII for
    /// want of them is another name.
    fn like_bare(&self, key: &str, text: &str) -> Option<(usize, &str)> {
        let key = look::bare(key);
        let found = starts(&key, self.depth).enumerate().filter_map(|(n, i)| Some((n, self.bare.get(&key[i..])?.as_str()))).last();
        found.filter(|f| !tail(text, f.0).is_ascii())
    }

    /// The longest end of a key that is one of a known name: its parts, and the name.
    fn like(&self, key: &str) -> Option<(usize, &str)> {
        starts(key, self.depth).enumerate().filter_map(|(n, i)| Some((n, self.keys.get(&key[i..])?.as_str()))).last()
    }
}

/// What has so many parts at the end of a text.
fn tail(text: &str, n: usize) -> &str {
    text.rmatch_indices(parts).nth(n).map_or(text, |(i, c)| &text[i + c.len()..])
}

/// What is known whole is known. An end that is counts for as much as one that looks like it, and less than
/// a longer one: of m.bank.example, rn.bank.example is no host.
fn standing(text: &str, is: Option<usize>, like: Option<(usize, &str)>) -> Standing {
    match (is, like) {
        (Some(0), _) => Standing::Is(0),
        (Some(i), like) if like.map_or(true, |l| l.0 <= text[i..].matches(parts).count()) => Standing::Is(i),
        (_, Some((_, name))) => Standing::Like(name.to_owned()),
        _ => Standing::Unknown,
    }
}

/// Says whether a text has more characters than a name.
pub fn too_long(text: &str) -> bool {
    text.len() > MAX_NAME && text.chars().nth(MAX_NAME).is_some()
}

fn last(key: &str) -> &str {
    key.rsplit(parts).next().unwrap_or(key)
}

/// Where the ends of a text begin, the shortest first: behind each dot and @, and
/// at its start.
fn starts(text: &str, depth: usize) -> impl Iterator<Item = usize> + '_ {
    text.rmatch_indices(parts).map(|(i, c)| i + c.len()).chain(Some(0)).take(depth + 1)
}
