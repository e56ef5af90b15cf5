//! Calls and lists.

use crate::known::{too_long, Known, Standing};
use crate::look::{self, Scripts};
use crate::scan::{runs, unescaped, userinfo, Run};
use crate::Settings;
use callgate::{abstain, ask, call, deny, list, phase, Value, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// What is wrong with a name, the worst last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Mixed(String),
    Alike(String),
    TooMuch,
}

impl Fault {
    fn code(&self) -> &'static str {
        match self {
            Fault::Mixed(_) => "MIXED_SCRIPT",
            Fault::Alike(_) => "LOOK_ALIKE",
            Fault::TooMuch => "TOO_MUCH",
        }
    }

    fn reason(&self) -> &str {
        match self {
            Fault::Mixed(s) | Fault::Alike(s) => s,
            Fault::TooMuch => "it holds more names than are looked at",
        }
    }
}

/// Shows a name so that what is in it is seen.
fn shown(name: &str) -> String {
    let mut out: String = name.chars().take(80).flat_map(char::escape_default).collect();
    if out.len() < name.len() && name.chars().count() > 80 {
        out.push_str("...");
    }
    out
}

fn alike(name: &str, known: &str) -> Fault {
    Fault::Alike(format!("{} looks like {}", shown(name), shown(known)))
}

/// The first label of a text that mixes scripts.
fn mixed(known: &mut Known, text: &str, between: fn(char) -> bool, may: Scripts) -> Option<Fault> {
    for label in text.split(between).filter(|l| !l.is_ascii() && !too_long(l)) {
        if !known.spell(label) {
            return Some(Fault::TooMuch);
        }
        if look::mixes(label, may) {
            return Some(Fault::Mixed(format!("{} mixes scripts", shown(label))));
        }
    }
    None
}

/// The labels of hosts.
fn dots(c: char) -> bool {
    c == '.' || look::STOPS.contains(&c)
}

/// The words of names and of what stands before @.
fn words(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphanumeric()
}

/// Judges all of a text as one name.
pub fn name(set: &mut Settings, text: &str) -> Option<Fault> {
    match set.known.compare(text) {
        None => Some(Fault::TooMuch),
        Some(Standing::Like(known)) => Some(alike(text, &known)),
        Some(Standing::Is(_)) => None,
        Some(Standing::Unknown) => before(set, text).or_else(|| mixed(&mut set.known, text, words, set.scripts)),
    }
}

/// Finds a known name before the domain of another: bank.example.evil.test and
/// bank.example-login.test. What is behind it can be a country's, as in example.com.br.
fn before(set: &mut Settings, host: &str) -> Option<Fault> {
    for (i, sign) in host.match_indices(|c: char| c == '.' || c == '-' || look::SIGNS.contains(&c)) {
        let (name, behind) = (&host[..i], &host[i + sign.len()..]);
        let country = sign == "." && behind.len() == 2 || behind.is_empty();
        if country || !name.contains('.') || too_long(name) {
            continue;
        }
        match set.known.compare(name) {
            None => return Some(Fault::TooMuch),
            Some(Standing::Unknown) => {}
            Some(_) => return Some(Fault::Alike(format!("{} stands before the domain {}", shown(name), shown(behind)))),
        }
    }
    None
}

/// Judges a part of a text.
fn run(set: &mut Settings, r: &Run) -> Option<Fault> {
    let stands = match set.known.compare(r.text) {
        None => return Some(Fault::TooMuch),
        Some(Standing::Like(known)) => return Some(alike(r.text, &known)),
        Some(stands) => stands,
    };
    if stands == Standing::Unknown && (r.is_url() || r.text.contains('@')) {
        let fault = before(set, r.text.rsplit_once('@').map_or(r.text, |a| a.1));
        if fault.is_some() {
            return fault;
        }
    }
    match stands {
        _ if r.text.is_ascii() && !look::is_puny(r.text) => return None,
        // Labels that an owner of a known host gives are no hosts of others.
        Standing::Is(i) if i == 0 || !r.text.contains('@') => return None,
        _ => {}
    }
    let mut rest = r.text;
    let address = r.text.rsplit_once('@').filter(|a| !a.0.is_empty() && !a.1.is_empty());
    if let Some((local, host)) = address {
        if r.is_alone() {
            if let Some(f) = mixed(&mut set.known, local, words, set.scripts) {
                return Some(f);
            }
        }
        rest = host;
    } else if !r.is_url() {
        return None;
    }
    if too_long(rest) || rest.is_ascii() && !look::is_puny(rest) {
        return None;
    }
    if !set.known.spell(rest) {
        return Some(Fault::TooMuch);
    }
    let text = look::text(rest);
    mixed(&mut set.known, &text, dots, set.scripts)
}

/// Judges a text: what of it can be a host or an address.
pub fn text(set: &mut Settings, text: &str) -> Option<Fault> {
    if text.is_empty() {
        return None;
    }
    if !set.known.read(text.len()) {
        return Some(Fault::TooMuch);
    }
    if text.bytes().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let mut worst = None;
    let mut read = text.to_owned();
    for _ in 0..=MAX_ESCAPED {
        for r in runs(&read) {
            let url = r.is_url();
            if url || r.parts {
                worst = worst.max(run(set, &r));
            }
            if url {
                worst = worst.max(posing(set, userinfo(r.onward()), r.onward()));
            }
            if matches!(worst, Some(Fault::Alike(_) | Fault::TooMuch)) {
                return worst;
            }
        }
        read = match unescaped(&read) {
            None => break,
            Some(next) => next,
        };
        if !set.known.read(read.len()) {
            return Some(Fault::TooMuch);
        }
    }
    worst
}

/// How often a text is decoded that is still escaped: addresses stand in addresses.
const MAX_ESCAPED: usize = 3;

/// Finds a known name in what stands before @ in a URL, where people read the host.
fn posing(set: &mut Settings, info: &str, behind: &str) -> Option<Fault> {
    if info.is_empty() {
        return None;
    }
    if !set.known.read(info.len()) {
        return Some(Fault::TooMuch);
    }
    let host = runs(&behind[info.len() + 1..]).next().map_or("", |r| r.text);
    if let Some(Standing::Is(_)) = set.known.compare(host) {
        return None;
    }
    for r in runs(info).filter(|r| r.parts) {
        match set.known.compare(r.text) {
            None => return Some(Fault::TooMuch),
            Some(Standing::Unknown) => {}
            Some(_) => return Some(Fault::Alike(format!("{} stands before the host {}", shown(info), shown(host)))),
        }
    }
    None
}

/// What was found, and where.
#[derive(Default)]
struct Found {
    worst: Option<Fault>,
    at: Vec<String>,
}

impl Found {
    fn add(&mut self, fault: Option<Fault>, at: &dyn Fn() -> String) -> bool {
        let bad = fault.is_some();
        if bad {
            self.at.push(at());
            // The first of the worst is the one whose reason is given.
            if self.worst.as_ref().map_or(true, |w| fault.as_ref().map_or("", Fault::code) != w.code() && fault.as_ref() > Some(w)) {
                self.worst = fault;
            }
        }
        bad
    }

    fn full(&self) -> bool {
        self.worst == Some(Fault::TooMuch) || self.at.len() >= callgate::MAX_POINTERS
    }

    fn mark(&self, mut v: Verdict) -> Verdict {
        for at in &self.at {
            v = v.at(at);
        }
        v.because(self.worst.as_ref().map_or("", Fault::reason))
    }
}

pub fn judge(set: &mut Settings) -> Verdict {
    if phase() == "list" {
        return listed(set);
    }
    let mut found = Found::default();
    let tool = call::get("tool");
    found.add(name(set, tool.text()), &|| tool.pointer());
    let values = call::values();
    let own = !matches!(call::kind(), "" | "tool");
    let mut skip = 0;
    for v in values.all() {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        if set.arguments.is_empty() || own {
            one(set, v, &mut found);
        } else if set.arguments.contains(&v.name()) {
            skip = within(set, v, &mut found);
        }
        if found.full() {
            break;
        }
    }
    for pointer in set.arguments.clone() {
        if pointer.starts_with('/') && !found.full() {
            within(set, values.at(pointer), &mut found);
        }
    }
    match &found.worst {
        None => abstain(),
        Some(f) if set.asks => found.mark(ask(f.code())),
        Some(f) => found.mark(deny(f.code())),
    }
}

/// Judges a value and the name of the member that it is.
fn one(set: &mut Settings, v: Value, found: &mut Found) {
    let fault = text(set, v.name()).max(text(set, v.text()));
    found.add(fault, &|| v.pointer());
}

/// Judges what was set as an argument to judge, and all in it: also what has no
/// dot. It returns how many values are in it.
fn within(set: &mut Settings, v: Value, found: &mut Found) -> usize {
    let mut n = 0;
    for (i, v) in v.all().enumerate() {
        n = i;
        if found.full() {
            continue;
        }
        let s = v.text();
        let whole = if runs(s).nth(1).is_none() { name(set, s.trim()) } else { None };
        let key = if i > 0 { text(set, v.name()) } else { None };
        found.add(whole.max(text(set, s)).max(key), &|| v.pointer());
    }
    n
}

/// Judges what a server lists: each name by itself, and beside the others.
fn listed(set: &mut Settings) -> Verdict {
    let (mut found, mut hidden, mut nameless) = (Found::default(), BTreeSet::new(), false);
    let member = match list::kind() {
        "resources" => "uri",
        "resource_templates" => "uriTemplate",
        _ => "name",
    };
    let items: Vec<Value> = list::items().map(|i| i.get(member)).collect();
    let twins = if member == "name" { twins(set, &items) } else { Some(BTreeMap::new()) };
    let twins = match twins {
        Some(twins) => twins,
        None => return deny(Fault::TooMuch.code()).because(Fault::TooMuch.reason()),
    };
    for item in items {
        let s = item.text();
        let fault = match twins.get(s) {
            Some(other) => Some(alike(s, other)),
            None if member == "name" => name(set, s),
            None => text(set, s),
        };
        if found.add(fault, &|| item.pointer()) {
            nameless |= s.is_empty();
            hidden.insert(s);
        }
    }
    match &found.worst {
        None => abstain(),
        Some(f) if !set.hides || nameless || *f == Fault::TooMuch || hidden.len() > MAX_HIDDEN => found.mark(deny(f.code())),
        Some(f) => {
            let v = found.mark(abstain().code(f.code()));
            hidden.iter().fold(v, |v, name| v.hide(name))
        }
    }
}

/// How many items the host hides for one verdict.
const MAX_HIDDEN: usize = 1024;

/// The names of a list that look like another of it, and which. Of two the one that
/// is known stays, or the only one of ASCII; if that tells nothing, neither does.
fn twins(set: &mut Settings, items: &[Value]) -> Option<BTreeMap<&'static str, String>> {
    let mut groups: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for item in items {
        let s = item.text();
        if too_long(s) {
            continue;
        }
        for key in set.known.keys(s)? {
            groups.entry(key).or_default().insert(s);
        }
    }
    let mut found = BTreeMap::new();
    for names in groups.values().filter(|g| g.len() > 1) {
        let known = |n: &&str, set: &mut Settings| set.known.compare(n) == Some(Standing::Is(0));
        let mut stay: Vec<&str> = names.iter().copied().filter(|n| known(n, set)).collect();
        if stay.is_empty() {
            stay = names.iter().copied().filter(|n| n.is_ascii()).collect();
            stay.truncate(if stay.len() > 1 { 0 } else { 1 });
        }
        for n in names.iter().filter(|n| !stay.contains(n)) {
            let other = stay.first().copied().or_else(|| names.iter().copied().find(|o| o != n));
            found.insert(*n, other.unwrap_or("").to_owned());
        }
    }
    Some(found)
}
