//! Decodes the whole snapshot with serde_json, into the members that it looks at.

use serde::Deserialize;
use std::{borrow::Cow, collections::HashMap};

#[derive(Deserialize)]
struct Snapshot<'a> {
    #[serde(borrow)]
    call: Call<'a>,
    #[serde(borrow)]
    session: Session<'a>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    arguments: HashMap<Cow<'a, str>, serde_json::Value>,
}

#[derive(Deserialize)]
struct Session<'a> {
    #[serde(borrow)]
    recent: Vec<Recent<'a>>,
}

#[derive(Deserialize)]
#[allow(dead_code)] // as the guest in Go, it decodes more than it looks at
struct Recent<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    server: Cow<'a, str>,
    #[serde(borrow)]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    outcome: Cow<'a, str>,
}

#[link(wasm_import_module = "callgate_v0")]
extern "C" {
    fn get(path: *const u8, path_len: u32, buf: *mut u8, limit: u32) -> u64;
}

static mut TEXT: [u8; 65536] = [0; 65536];
static ABSTAIN: &str = r#"{"outcome":"abstain"}"#;

#[no_mangle]
pub extern "C" fn callgate_abi_1_0() {}

#[no_mangle]
pub extern "C" fn callgate_evaluate() -> u64 {
    let text = unsafe {
        let n = get(core::ptr::null(), 0, TEXT.as_mut_ptr(), TEXT.len() as u32) as u32 as usize;
        &TEXT[..n]
    };
    let s: Snapshot = match serde_json::from_slice(text) {
        Ok(s) => s,
        Err(_) => return 0,
    };
    if s.call.tool == "x" || s.session.recent.is_empty() || s.call.arguments.contains_key("\n") {
        return 0;
    }
    (ABSTAIN.as_ptr() as u64) << 32 | ABSTAIN.len() as u64
}
