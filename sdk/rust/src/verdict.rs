use crate::json;
use crate::names::*;
use crate::value::Value;
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// How many bytes of pointers a verdict names as its causes: as many as leave room
/// for everything else, however they are escaped.
const MOST_AT: usize = 32768;

/// What a plugin answers. Make one with [`abstain`], [`ask`] or [`deny`]. Effects
/// and codes must be in the manifest: what is not there denies.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    outcome: &'static str,
    code: String,
    reason: String,
    at: Vec<String>,
    at_bytes: usize,
    redact: Vec<String>,
    hide: Vec<String>,
    call_labels: Vec<String>,
    session_labels: Vec<String>,
    calls: Option<i64>,
    tags: Vec<(String, String)>,
}

/// Says nothing against it.
pub fn abstain() -> Verdict {
    Verdict { outcome: "abstain", ..Verdict::default() }
}

/// Wants a person to decide; only in phase call.
pub fn ask(code: &str) -> Verdict {
    Verdict { outcome: "ask", code: code.into(), ..Verdict::default() }
}

/// Refuses.
pub fn deny(code: &str) -> Verdict {
    Verdict { outcome: "deny", code: code.into(), ..Verdict::default() }
}

fn cut(s: &str, n: usize) -> &str {
    s.char_indices().nth(n).map_or(s, |(end, _)| &s[..end])
}

impl Verdict {
    /// Gives a verdict that abstains, but redacts or hides, a code.
    pub fn code(mut self, code: &str) -> Verdict {
        self.code = code.into();
        self
    }
    /// Says why, to the operator; no model reads it. What is over 1,024 characters
    /// is cut off.
    pub fn because(mut self, reason: &str) -> Verdict {
        self.reason = cut(reason, MAX_REASON_RUNES).into();
        self
    }
    /// Names what caused the verdict, by a pointer into the snapshot. What is over
    /// what the host takes is left out: up to 256, of up to 4,096 characters, and of
    /// 32 KiB in all.
    pub fn at(mut self, pointer: &str) -> Verdict {
        let fits = cut(pointer, MAX_POINTER_RUNES).len() == pointer.len() && self.at_bytes + pointer.len() <= MOST_AT;
        if self.at.len() < MAX_POINTERS && fits {
            self.at.push(pointer.into());
            self.at_bytes += pointer.len();
        }
        self
    }
    /// Labels the data of this call. The host writes the plugin's name and a colon
    /// before a label: up to 64 letters, digits, '.', '_' and '-'. Another, and more
    /// than 32, deny.
    pub fn label_call(mut self, label: &str) -> Verdict {
        self.call_labels.push(label.into());
        self
    }
    /// Labels the session, like label_call.
    pub fn label_session(mut self, label: &str) -> Verdict {
        self.session_labels.push(label.into());
        self
    }
    /// Puts a marker of the host in place of a value below /result. More than 256
    /// deny, and so does a verdict of more than 256 KiB.
    pub fn redact(mut self, pointer: &str) -> Verdict {
        self.redact.push(pointer.into());
        self
    }
    /// Leaves an item out of a list, by name, of resources by URI or its template.
    /// More than 1,024 deny, and so does a verdict of more than 256 KiB.
    pub fn hide(mut self, name: &str) -> Verdict {
        self.hide.push(name.into());
        self
    }
    /// Leaves the session at most so many more calls of this tool.
    pub fn budget(mut self, calls: i64) -> Verdict {
        self.calls = Some(calls.max(0));
        self
    }
    /// Notes something in the ledger. What is over 16 notes is left out, what is
    /// over 256 characters is cut off.
    pub fn tag(mut self, name: &str, text: &str) -> Verdict {
        let (name, text) = (cut(name, MAX_TAG_RUNES), cut(text, MAX_TAG_RUNES));
        if let Some(old) = self.tags.iter_mut().find(|t| t.0 == name) {
            old.1 = text.into();
        } else if self.tags.len() < MAX_TAGS {
            self.tags.push((name.into(), text.into()));
        }
        self
    }
    /// The verdict as the host gets it, members sorted by name.
    pub fn json(&self) -> String {
        let mut w = Writer::default();
        w.strs("at", &self.at);
        if let Some(calls) = self.calls {
            let mut b = Writer::default();
            b.raw("calls", &calls.to_string());
            w.raw("budget", &b.end());
        }
        w.str("code", &self.code);
        w.strs("hide", &self.hide);
        let mut labels = Writer::default();
        labels.strs("call", &self.call_labels);
        labels.strs("session", &self.session_labels);
        if !labels.0.is_empty() {
            w.raw("labels", &labels.end());
        }
        w.str("outcome", self.outcome);
        w.str("reason", &self.reason);
        w.strs("redact", &self.redact);
        if !self.tags.is_empty() {
            let mut t = Writer::default();
            for (name, text) in &self.tags {
                t.name(name);
                json::quote(&mut t.0, text);
            }
            w.raw("tags", &t.end());
        }
        w.end()
    }
}

/// What is wrong with settings.
#[derive(Clone, Debug)]
pub struct Wrong {
    at: String,
    text: String,
}

/// An error about a setting, for configure to return.
pub fn wrong(setting: Value, text: &str) -> Wrong {
    Wrong { at: setting.pointer(), text: text.into() }
}

impl Wrong {
    pub fn json(&self) -> String {
        let mut w = Writer::default();
        w.str("at", &self.at);
        w.str("error", &self.text);
        w.end()
    }
}

/// One JSON object.
#[derive(Default)]
struct Writer(String);

impl Writer {
    fn name(&mut self, name: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        json::quote(&mut self.0, name);
        self.0.push(':');
    }
    fn raw(&mut self, name: &str, json: &str) {
        self.name(name);
        self.0.push_str(json);
    }
    fn str(&mut self, name: &str, s: &str) {
        if !s.is_empty() {
            self.name(name);
            json::quote(&mut self.0, s);
        }
    }
    fn strs(&mut self, name: &str, list: &[String]) {
        if list.is_empty() {
            return;
        }
        self.name(name);
        for (i, s) in list.iter().enumerate() {
            self.0.push(if i == 0 { '[' } else { ',' });
            json::quote(&mut self.0, s);
        }
        self.0.push(']');
    }
    fn end(mut self) -> String {
        self.0.push(if self.0.is_empty() { '{' } else { '}' });
        if self.0 == "{" {
            self.0.push('}');
        }
        self.0
    }
}
