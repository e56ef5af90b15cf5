//! Tests of plugins, without WASM: snapshots as JSON, one at a time in a thread.

use crate::value::{parse, Kind, Value};
use crate::verdict::{Verdict, Wrong};
use std::cell::RefCell;
use std::string::String;
use std::vec::Vec;

std::thread_local! {
    static WORLD: RefCell<Option<Value>> = RefCell::new(None);
    static LOG: RefCell<Vec<String>> = RefCell::new(Vec::new());
}

/// Makes a snapshot of JSON text. It says whether the text is a JSON object.
pub fn load(snapshot: &str) -> bool {
    let v = parse(snapshot);
    LOG.with(|l| l.borrow_mut().clear());
    WORLD.with(|w| *w.borrow_mut() = Some(v.root()));
    v.kind() == Kind::Object
}

/// Configures a plugin with the snapshot's settings, and has it judge the snapshot,
/// as the host does. It returns the verdict, or what is wrong with the settings, as
/// the host gets it.
pub fn judge(evaluate: fn() -> Verdict, configure: fn(Value) -> Result<(), Wrong>, snapshot: &str) -> String {
    assert!(load(snapshot), "the snapshot is no JSON object");
    match configure(crate::settings()) {
        Ok(()) => evaluate().json(),
        Err(e) => e.json(),
    }
}

/// What was logged since the last [`load`].
pub fn logged() -> Vec<String> {
    LOG.with(|l| l.borrow().clone())
}

pub(crate) fn get(path: &str, buf: &mut [u8]) -> (u8, usize) {
    let world = WORLD.with(|w| *w.borrow());
    let v = match world {
        Some(v) => v.at(path),
        None => return (0, 0),
    };
    let text = if v.kind() == Kind::String { v.text().into() } else { v.json() };
    if text.len() <= buf.len() {
        buf[..text.len()].copy_from_slice(text.as_bytes());
    }
    (v.kind() as u8, text.len())
}

pub(crate) fn log(_level: u32, text: &str) {
    LOG.with(|l| l.borrow_mut().push(text.into()));
}
