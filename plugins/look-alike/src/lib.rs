//! Names that look like known ones, and are others.

mod judge;
mod known;
mod look;
mod scan;
#[cfg(test)]
mod tests;

use callgate::{wrong, Value, Verdict, Wrong};
use known::Known;
use look::Scripts;
use std::cell::RefCell;

/// What the settings say.
pub struct Settings {
    pub known: Known,
    /// Pointers into the arguments, and names of members; nothing: all.
    pub arguments: Vec<&'static str>,
    pub scripts: Scripts,
    pub asks: bool,
    pub hides: bool,
}

thread_local! {
    // A module has one thread, and tests have many.
    static SETTINGS: RefCell<Settings> = RefCell::new(Settings::new());
}

impl Settings {
    fn new() -> Settings {
        Settings { known: Known::new(), arguments: Vec::new(), scripts: Scripts::Highly, asks: false, hides: true }
    }
}

fn judge() -> Verdict {
    SETTINGS.with(|set| judge::judge(&mut set.borrow_mut()))
}

fn configure(given: Value) -> Result<(), Wrong> {
    let mut set = Settings::new();
    for item in given.get("known").items() {
        let name = item.text();
        let mut runs = scan::runs(name);
        if runs.next().map_or(true, |r| r.text != name) || name.starts_with('@') || name.ends_with('@') {
            return Err(wrong(item, "want a host, an address or the name of a tool, such as bank.example, without scheme and path"));
        }
        if set.known.add(name).is_none() {
            return Err(wrong(item, "want fewer names, of less than 20,000 characters outside of ASCII"));
        }
    }
    for item in given.get("arguments").items() {
        set.arguments.push(item.text());
    }
    set.scripts = match given.get("mixed_scripts").text() {
        "moderately" => Scripts::Moderately,
        "any" => Scripts::Any,
        _ => Scripts::Highly,
    };
    if set.known.is_empty() && set.scripts == Scripts::Any {
        return Err(wrong(given.get("known"), "want names that are known, or mixed_scripts: there is nothing to judge"));
    }
    set.asks = given.get("verdict").text() == "ask";
    set.hides = given.get("lists").text() != "deny";
    set.known.left = known::EFFORT;
    SETTINGS.with(|s| *s.borrow_mut() = set);
    Ok(())
}

callgate::plugin!(judge, configure);
