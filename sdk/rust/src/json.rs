//! JSON, where it stands.

use alloc::{borrow::Cow, string::String, vec::Vec};

pub fn space(s: &[u8], mut i: usize) -> usize {
    while i < s.len() && matches!(s[i], b' ' | b'\n' | b'\t' | b'\r') {
        i += 1;
    }
    i
}

/// The end of the string that starts at i.
pub fn quoted(s: &[u8], mut i: usize) -> Option<usize> {
    i += 1;
    while i < s.len() {
        match s[i] {
            b'\\' => i += 1,
            b'"' => return Some(i + 1),
            _ => {}
        }
        i += 1;
    }
    None
}

/// The end of the value that starts at i. What is between is taken to be JSON.
pub fn skip(s: &[u8], i: usize) -> Option<usize> {
    let (mut i, mut depth) = (space(s, i), 0usize);
    while i < s.len() {
        match s[i] {
            b'"' => i = quoted(s, i)?,
            b'{' | b'[' => {
                depth += 1;
                i += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                i += 1;
            }
            b',' | b':' | b' ' | b'\n' | b'\t' | b'\r' => {
                i += 1;
                continue;
            }
            _ => {
                while i < s.len() && !matches!(s[i], b',' | b':' | b']' | b'}' | b'"' | b' ' | b'\n' | b'\t' | b'\r') {
                    i += 1;
                }
            }
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

fn hex4(s: &[u8], i: usize) -> Option<u32> {
    let mut r = 0;
    for &c in s.get(i..i + 4)? {
        r = r << 4 | (c as char).to_digit(16)?;
    }
    Some(r)
}

/// Reads the escape at i, and how many bytes it takes; None: a lone surrogate.
fn escape(s: &[u8], i: usize) -> (Option<char>, usize) {
    let c = match s[i + 1] {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let high = match hex4(s, i + 2) {
                Some(r) => r,
                None => return (None, 6.min(s.len() - i)),
            };
            if let Some(c) = char::from_u32(high) {
                return (Some(c), 6);
            }
            if high < 0xdc00 && s.get(i + 6) == Some(&b'\\') && s.get(i + 7) == Some(&b'u') {
                if let Some(low @ 0xdc00..=0xdfff) = hex4(s, i + 8) {
                    return (char::from_u32(0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00))), 12);
                }
            }
            return (None, 6);
        }
        c => c as char,
    };
    (Some(c), 2)
}

/// The text of a string's lexeme, and whether UTF-8 can hold it: a lone surrogate
/// becomes U+FFFD.
pub fn unquote(lexeme: &str) -> (Cow<'_, str>, bool) {
    if lexeme.len() < 2 {
        return (Cow::Borrowed(""), false);
    }
    let s = &lexeme[1..lexeme.len() - 1];
    if !s.contains('\\') {
        return (Cow::Borrowed(s), true);
    }
    let (mut out, mut whole, mut from, mut i) = (String::with_capacity(s.len()), true, 0, 0);
    let bytes = s.as_bytes();
    while i + 1 < bytes.len() {
        if bytes[i] != b'\\' {
            i += 1;
            continue;
        }
        let (c, n) = escape(bytes, i);
        out.push_str(&s[from..i]);
        out.push(c.unwrap_or('\u{fffd}'));
        whole &= c.is_some();
        i += n;
        from = i;
    }
    out.push_str(&s[from..]);
    (Cow::Owned(out), whole)
}

fn digits(s: &[u8], first: usize) -> Option<usize> {
    let mut i = first;
    while i < s.len() && s[i].is_ascii_digit() {
        i += 1;
    }
    (i > first).then_some(i)
}

fn number(s: &[u8], mut i: usize) -> Option<usize> {
    i += (s.get(i) == Some(&b'-')) as usize;
    let first = i;
    i = digits(s, i)?;
    if s[first] == b'0' && i > first + 1 {
        return None;
    }
    if s.get(i) == Some(&b'.') {
        i = digits(s, i + 1)?;
    }
    if matches!(s.get(i), Some(b'e' | b'E')) {
        i += 1;
        i += matches!(s.get(i), Some(b'+' | b'-')) as usize;
        i = digits(s, i)?;
    }
    Some(i)
}

/// The end of the string, number or literal at i.
fn scalar(s: &[u8], mut i: usize) -> Option<usize> {
    let rest = s.get(i..)?;
    for word in ["true", "false", "null"] {
        if rest.starts_with(word.as_bytes()) {
            return Some(i + word.len());
        }
    }
    if rest.first() != Some(&b'"') {
        return number(s, i);
    }
    loop {
        i += 1;
        match *s.get(i)? {
            b'"' => return Some(i + 1),
            0..=0x1f => return None,
            b'\\' => {
                i += 1;
                match *s.get(i)? {
                    b'u' => {
                        hex4(s, i + 1)?;
                    }
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    _ => return None,
                }
            }
            _ => {}
        }
    }
}

/// Says whether s is one JSON text (RFC 8259), however deep.
pub fn valid(text: &str) -> bool {
    check(text.as_bytes()).is_some()
}

fn check(s: &[u8]) -> Option<()> {
    let mut open: Vec<u8> = Vec::new(); // the brackets that are open
    let mut due = true; // a value, else what follows one
    let mut i = 0;
    loop {
        i = space(s, i);
        let top = open.last().copied();
        if !due {
            let top = match top {
                None => return (i == s.len()).then_some(()),
                Some(top) => top,
            };
            let c = *s.get(i)?;
            i += 1;
            if c == b',' {
                due = true;
            } else if c == top + 2 {
                open.pop(); // } is two above {, and ] above [
            } else {
                return None;
            }
            continue;
        }
        if top == Some(b'{') {
            if s.get(i) != Some(&b'"') {
                return None;
            }
            i = space(s, scalar(s, i)?);
            if s.get(i) != Some(&b':') {
                return None;
            }
            i = space(s, i + 1);
        }
        if let Some(&c @ (b'{' | b'[')) = s.get(i) {
            open.push(c);
            i = space(s, i + 1);
            due = s.get(i) != Some(&(c + 2));
            continue;
        }
        i = scalar(s, i)?;
        due = false;
    }
}

/// Writes a string (RFC 8259, section 7).
pub fn quote(out: &mut String, s: &str) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\0'..='\u{1f}' => {
                out.push_str(if c < '\u{10}' { "\\u000" } else { "\\u001" });
                out.push(char::from(b"0123456789abcdef"[c as usize & 15]));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}
