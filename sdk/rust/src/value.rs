use crate::{host, json};
use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    string::{String, ToString},
    vec::Vec,
};

/// The kind of a JSON value. `RawString` is a string that UTF-8 can not hold:
/// [`Value::text`] has U+FFFD in place of what can not be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Absent,
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
    RawString,
}

impl Kind {
    fn of(n: u8) -> Kind {
        [Kind::Absent, Kind::Null, Kind::Bool, Kind::Number, Kind::String, Kind::Array, Kind::Object, Kind::RawString][n as usize & 7]
    }
}

// Nothing is given back: the host puts memory back before each evaluation. So
// values are small, and can be copied.
fn keep(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn kept(text: Cow<'static, str>) -> &'static str {
    match text {
        Cow::Borrowed(s) => s,
        Cow::Owned(s) => keep(s),
    }
}

/// Where a value stands: a pointer, or one token below another.
#[derive(Clone, Copy, Debug)]
enum Path {
    Whole(&'static str),
    Name(&'static Path, &'static str),
    Index(&'static Path, usize),
}

impl Path {
    fn leak(self) -> &'static Path {
        Box::leak(Box::new(self))
    }

    fn text(&'static self) -> String {
        let (mut steps, mut p) = (Vec::new(), self);
        loop {
            steps.push(p);
            p = match p {
                Path::Whole(_) => break,
                Path::Name(up, _) | Path::Index(up, _) => up,
            }
        }
        let mut out = String::new();
        for p in steps.into_iter().rev() {
            match p {
                Path::Whole(s) => out.push_str(s),
                Path::Name(_, s) => {
                    out.push('/');
                    out.push_str(&s.replace('~', "~0").replace('/', "~1"));
                }
                Path::Index(_, i) => {
                    out.push('/');
                    out.push_str(&i.to_string());
                }
            }
        }
        out
    }
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Missing,
    Lazy,
    Lexeme(&'static str), // starts with the value
    Text(&'static str),   // a string that the host handed out
}

/// A JSON value of the snapshot, or of JSON in a text of it. It is looked up when
/// it is asked for something: a plugin that reads three arguments makes three calls
/// of the host, whatever else the call has.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    path: Option<&'static Path>,
    name: &'static str,
    form: Form,
    frozen: bool, // inside JSON in a text: nothing below has a pointer of its own
}

const MISSING: Value = Value { path: None, name: "", form: Form::Missing, frozen: false };

/// What a JSON Pointer leads to; "" is the whole snapshot.
pub fn at(pointer: &str) -> Value {
    lazy(Path::Whole(keep(pointer.to_owned())), "")
}

fn lazy(path: Path, name: &'static str) -> Value {
    Value { path: Some(path.leak()), name, form: Form::Lazy, frozen: false }
}

/// Says whether all of a token's escapes are some (RFC 6901, section 3).
fn is_token(token: &str) -> bool {
    token.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}

/// Reads JSON text: what is none is absent.
pub fn parse(text: &str) -> Value {
    if !json::valid(text) {
        return MISSING;
    }
    Value { form: Form::Lexeme(keep(text.to_owned())), frozen: true, ..MISSING }
}

impl Value {
    /// Fetches the value whole, so that looking around in it costs no more calls of
    /// the host.
    pub fn fetch(self) -> Value {
        if !matches!(self.form, Form::Lazy) {
            return self;
        }
        let (kind, text) = host::fetch(&self.pointer());
        let form = match Kind::of(kind) {
            Kind::Absent => Form::Missing,
            Kind::String => Form::Text(keep(text)),
            _ => Form::Lexeme(keep(text)),
        };
        Value { form, ..self }
    }

    /// Only of what a text starts with: it begins at its first byte.
    fn lexeme(self) -> &'static str {
        match self.fetch().form {
            Form::Lexeme(s) => s.trim_start_matches([' ', '\n', '\t', '\r']),
            _ => "",
        }
    }

    pub fn kind(self) -> Kind {
        match self.form {
            Form::Missing => Kind::Absent,
            Form::Text(_) => Kind::String,
            Form::Lazy => Kind::of(host::kind(&self.pointer())),
            Form::Lexeme(_) => match self.lexeme().as_bytes()[0] {
                b'{' => Kind::Object,
                b'[' => Kind::Array,
                b'"' if json::unquote(self.json_ref()).1 => Kind::String,
                b'"' => Kind::RawString,
                b't' | b'f' => Kind::Bool,
                b'n' => Kind::Null,
                _ => Kind::Number,
            },
        }
    }

    /// Says whether there is a value, null included.
    pub fn exists(self) -> bool {
        self.kind() != Kind::Absent
    }

    /// Says whether it is a string, of whatever characters.
    pub fn is_string(self) -> bool {
        matches!(self.kind(), Kind::String | Kind::RawString)
    }

    /// The text of a string, "" of anything else. A lone surrogate in it becomes
    /// U+FFFD.
    pub fn text(self) -> &'static str {
        let v = self.fetch();
        match v.form {
            Form::Text(s) => s,
            _ if v.lexeme().starts_with('"') => kept(json::unquote(v.json_ref()).0),
            _ => "",
        }
    }

    fn json_ref(self) -> &'static str {
        let s = self.lexeme();
        json::skip(s.as_bytes(), 0).map_or("", |end| &s[..end])
    }

    /// The value as the host writes it, "" if it is absent. A number is its lexeme.
    pub fn json(self) -> String {
        let v = self.fetch();
        match v.form {
            Form::Text(s) => {
                let mut out = String::new();
                json::quote(&mut out, s);
                out
            }
            _ => v.json_ref().to_owned(),
        }
    }

    /// Says whether it is true.
    pub fn bool(self) -> bool {
        self.lexeme().starts_with('t')
    }

    /// A whole number that fits into 64 bits.
    pub fn int(self) -> Option<i64> {
        let v = self.fetch();
        if v.kind() != Kind::Number {
            return None;
        }
        v.json_ref().parse().ok()
    }

    /// What serde makes of its JSON.
    #[cfg(feature = "serde")]
    pub fn read<T: serde::de::DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.json())
    }

    /// Where the value stands in the snapshot (RFC 6901); of JSON in a text, where
    /// the text stands.
    pub fn pointer(self) -> String {
        self.path.map_or(String::new(), Path::text)
    }

    /// The name of the member that it is, "" of an item of an array.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The member of an object.
    pub fn get(self, name: &str) -> Value {
        if let (Form::Lazy, Some(up)) = (self.form, self.path) {
            let name = keep(name.to_owned());
            return lazy(Path::Name(up, name), name);
        }
        self.members().find(|m| m.name == name).unwrap_or(MISSING)
    }

    /// The item of an array.
    pub fn index(self, i: usize) -> Value {
        if let (Form::Lazy, Some(up)) = (self.form, self.path) {
            return lazy(Path::Index(up, i), "");
        }
        self.items().nth(i).unwrap_or(MISSING)
    }

    /// Follows a JSON Pointer from the value on.
    pub fn at(self, pointer: &str) -> Value {
        let mut tokens = pointer.split('/');
        if tokens.next() != Some("") {
            return MISSING;
        }
        let mut v = self;
        for token in tokens {
            if !is_token(token) {
                return MISSING;
            }
            let token = token.replace("~1", "/").replace("~0", "~");
            v = if matches!(v.form, Form::Lazy) || v.kind() != Kind::Array {
                v.get(&token)
            } else {
                match token.parse::<usize>() {
                    Ok(i) if i.to_string() == token => v.index(i),
                    _ => MISSING,
                }
            };
        }
        v
    }

    /// Visits the members of an object. What is no object has none.
    pub fn members(self) -> Iter {
        Iter::new(self, Some(Kind::Object))
    }

    /// Visits the items of an array. What is no array has none.
    pub fn items(self) -> Iter {
        Iter::new(self, Some(Kind::Array))
    }

    /// Visits the value and everything below it, each before what is in it.
    pub fn all(self) -> Iter {
        Iter::new(self, None)
    }

    /// Reads a string that holds JSON. What it holds has the pointer of the string.
    pub fn open(self) -> Value {
        Value { path: self.path, name: self.name, ..parse(self.text()) }
    }

    /// For a snapshot of tests: what is in it has pointers.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn root(self) -> Value {
        Value { path: Some(Path::Whole("").leak()), frozen: false, ..self }
    }
}

/// An array or object that an iteration is in.
struct Level {
    path: Option<&'static Path>,
    array: bool,
    next: usize,
}

/// Goes through what is in a value. It does not call itself: the host bounds how
/// deep calls nest, and not how deep JSON does.
pub struct Iter {
    root: Value,
    last: Value,
    text: &'static str,
    i: usize,
    levels: Vec<Level>,
    deep: bool,
    itself: bool,
    enter: bool,
}

impl Iter {
    fn new(v: Value, of: Option<Kind>) -> Iter {
        let root = v.fetch();
        let kind = root.kind();
        let enter = of.map_or(kind == Kind::Array || kind == Kind::Object, |of| of == kind);
        let (deep, itself) = (of.is_none(), of.is_none() && kind != Kind::Absent);
        Iter { root, last: root, text: root.lexeme(), i: 0, levels: Vec::new(), deep, itself, enter }
    }

    fn into(&mut self) {
        self.levels.push(Level { path: self.last.path, array: self.text.as_bytes()[self.i] == b'[', next: 0 });
        self.i += 1;
    }

    /// Goes behind the value that was visited last, or into it.
    fn leave(&mut self) {
        match self.text.as_bytes().get(self.i) {
            Some(b'{' | b'[') if self.deep => self.into(),
            _ => self.i = json::skip(self.text.as_bytes(), self.i).unwrap_or(self.text.len()),
        }
    }

    fn child(&mut self, name: Option<&'static str>) -> Value {
        let frozen = self.root.frozen;
        let mut path = self.root.path;
        if let (Some(level), false) = (self.levels.last_mut(), frozen) {
            path = level.path.map(|up| name.map_or(Path::Index(up, level.next), |name| Path::Name(up, name)).leak());
            level.next += 1;
        }
        self.last = Value { path, name: name.unwrap_or(""), form: Form::Lexeme(&self.text[self.i..]), frozen };
        self.last
    }
}

impl Iterator for Iter {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if core::mem::take(&mut self.itself) {
            return Some(self.root);
        }
        if core::mem::take(&mut self.enter) {
            self.into();
        } else if !self.levels.is_empty() {
            self.leave();
        }
        let s = self.text.as_bytes();
        while let Some(level) = self.levels.last() {
            self.i = json::space(s, self.i);
            match s.get(self.i)? {
                b',' => self.i += 1,
                b'}' | b']' => {
                    self.levels.pop();
                    self.i += 1;
                }
                _ if level.array => return Some(self.child(None)),
                _ => {
                    let end = json::quoted(s, self.i)?;
                    let name = kept(json::unquote(&self.text[self.i..end]).0);
                    self.i = json::space(s, json::space(s, end) + 1);
                    return Some(self.child(Some(name)));
                }
            }
        }
        None
    }
}
