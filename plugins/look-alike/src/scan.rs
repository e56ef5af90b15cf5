//! Where names stand in a text.

use crate::look::STOPS;

/// A part of a text that can be a host, an address or a name.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub text: &'a str,
    /// It has a dot or an @ in it.
    pub parts: bool,
    whole: &'a str,
    start: usize,
}

impl<'a> Run<'a> {
    /// Says whether it stands behind //, as the host of a URL does.
    pub fn is_url(&self) -> bool {
        let s = self.whole.as_bytes();
        let slash = |c: u8| c == b'/' || c == b'\\';
        self.start > 1 && slash(s[self.start - 1]) && slash(s[self.start - 2])
    }

    /// Says whether it is all of the text, or of one item of a list.
    pub fn is_alone(&self) -> bool {
        let (before, behind) = (&self.whole[..self.start], &self.whole[self.start + self.text.len()..]);
        let open = |c: char| matches!(c, ',' | ';' | '<');
        let close = |c: char| matches!(c, ',' | ';' | '>');
        edge(before.chars().rev(), open) && edge(behind.chars().skip_while(|c| *c == '.'), close)
    }

    /// The text from the run on.
    pub fn onward(&self) -> &'a str {
        &self.whole[self.start..]
    }
}

/// How many blanks are looked across, so that a text of blanks costs no more.
const MAX_BLANKS: usize = 16;

/// Says whether nothing follows but white space, or a sign of a list.
fn edge(side: impl Iterator<Item = char>, sign: impl Fn(char) -> bool) -> bool {
    side.take(MAX_BLANKS).find(|c| !c.is_whitespace()).map_or(true, sign)
}

const fn ascii() -> [bool; 128] {
    let mut table = [false; 128];
    let mut c = 0;
    while c < 128 {
        table[c] = (c as u8).is_ascii_alphanumeric() || matches!(c as u8, b'.' | b'-' | b'_' | b'+' | b'@');
        c += 1;
    }
    table
}

static ASCII: [bool; 128] = ascii();

/// Says whether a character outside of ASCII is one of names: all but white space,
/// quotes and the signs of Chinese and Japanese.
fn joins(c: char, rest: &str) -> bool {
    match c {
        '«' | '»' | '‹' | '›' | '\u{2018}'..='\u{201f}' | '、' | '〈'..='】' | '！' | '（' | '）' | '，' | '：' | '；' | '？' | '［' | '］' | '｛' | '｝' => false,
        // A full stop, behind which another sentence starts without a blank.
        '\u{3002}' | '\u{ff61}' => match rest.chars().next() {
            Some(n) if n.is_ascii() => ASCII[n as usize],
            Some(n) => n < '\u{2e80}' && joins(n, ""),
            None => false,
        },
        _ => !c.is_whitespace(),
    }
}

/// Visits the runs of a text, from left to right.
pub fn runs(text: &str) -> Runs<'_> {
    Runs { text, at: 0 }
}

pub struct Runs<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        loop {
            let start = self.begin();
            let (end, stops) = self.pass(start);
            self.at = end;
            if start == end {
                return None;
            }
            let run = &self.text[start..end];
            if !stops {
                return Some(Run { text: run, parts: false, whole: self.text, start });
            }
            let run = run.trim_end_matches('.');
            let text = run.trim_start_matches('.');
            if !text.is_empty() {
                let parts = text.contains(|c| matches!(c, '.' | '@') || STOPS.contains(&c));
                return Some(Run { text, parts, whole: self.text, start: start + run.len() - text.len() });
            }
        }
    }
}

impl Runs<'_> {
    /// Where the next character of a name is.
    fn begin(&self) -> usize {
        let (s, mut i) = (self.text.as_bytes(), self.at);
        while i < s.len() && self.step(i) == 0 {
            i += match s[i] {
                0..=0x7f => 1,
                0x80..=0xdf => 2,
                _ => 3,
            };
        }
        i
    }

    /// Where the name ends that starts at i, and whether it may have parts.
    fn pass(&self, mut i: usize) -> (usize, bool) {
        let (s, mut stops) = (self.text.as_bytes(), false);
        while i < s.len() {
            let n = self.step(i);
            if n == 0 {
                break;
            }
            stops |= matches!(s[i], b'.' | b'@' | 0xe3 | 0xef);
            i += n;
        }
        (i, stops)
    }

    /// How many bytes the character at i has, 0 if it is none of names. Most leading
    /// bytes have nothing but letters.
    fn step(&self, i: usize) -> usize {
        match self.text.as_bytes()[i] {
            c @ 0..=0x7f => ASCII[c as usize] as usize,
            0xc3..=0xdf => 2,
            0xe0 | 0xe4..=0xee => 3,
            0xf0..=0xff => 4,
            _ => {
                let rest = &self.text[i..];
                let c = rest.chars().next().map_or(' ', |c| c);
                c.len_utf8() * joins(c, &rest[c.len_utf8()..]) as usize
            }
        }
    }
}

/// Undoes %XX, if there is any: what stands in a URL can be written so.
pub fn unescaped(text: &str) -> Option<String> {
    let s = text.as_bytes();
    let digit = |i: usize| s.get(i).and_then(|c| (*c as char).to_digit(16));
    let (mut out, mut i, mut found) = (Vec::new(), 0, false);
    if !s.contains(&b'%') {
        return None;
    }
    while i < s.len() {
        match (s[i], digit(i + 1), digit(i + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                found = true;
                i += 3;
            }
            (c, ..) => {
                out.push(c);
                i += 1;
            }
        }
    }
    found.then(|| String::from_utf8_lossy(&out).into_owned())
}

/// The userinfo of a URL that begins behind //, "" if it has none.
pub fn userinfo(behind: &str) -> &str {
    let end = behind.find(|c: char| matches!(c, '/' | '?' | '#' | '\\') || c.is_whitespace()).unwrap_or(behind.len());
    behind[..end].rfind('@').map_or("", |at| &behind[..at])
}
