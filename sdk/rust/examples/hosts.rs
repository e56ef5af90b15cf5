//! A host allow-list for the argument url. ../../testdata/README.md has its rules.

use callgate::{abstain, call, deny, log, wrong, Kind, Value, Verdict, Wrong, INFO};
use std::cell::RefCell;

const MAX_URL: usize = 4096;
const MAX_HOST: usize = 253;
const MAX_HOSTS: usize = 64;

thread_local! {
    // A module has one thread, and tests have many.
    static HOSTS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

fn configure(settings: Value) -> Result<(), Wrong> {
    let list = settings.get("hosts");
    let mut hosts = Vec::new();
    for item in list.items() {
        if hosts.len() == MAX_HOSTS {
            return Err(wrong(list, "want 64 host names at most"));
        }
        let host = item.text();
        if host.is_empty() || host.len() > MAX_HOST || !host.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-')) {
            return Err(wrong(item, "want a host name in lower case, such as corp.example"));
        }
        hosts.push(host);
    }
    if hosts.is_empty() {
        return Err(wrong(list, "want a list of host names, such as corp.example"));
    }
    HOSTS.with(|h| *h.borrow_mut() = hosts);
    Ok(())
}

fn passes(url: &str) -> bool {
    if url.len() > MAX_URL || !url.bytes().all(|c| c.is_ascii_graphic() && c != b'\\') {
        return false;
    }
    let url = url.to_ascii_lowercase();
    let rest = match url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) {
        Some(rest) => rest,
        None => return false,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    HOSTS.with(|h| h.borrow().contains(&host)) && port.map_or(true, |p| (1..=5).contains(&p.len()) && p.bytes().all(|c| c.is_ascii_digit()))
}

fn judge() -> Verdict {
    let url = call::argument("/url").fetch();
    let kind = url.kind();
    if kind == Kind::Absent || kind == Kind::String && passes(url.text()) {
        return abstain();
    }
    if kind == Kind::String && url.text().len() <= MAX_URL {
        log(INFO, url.text());
    }
    deny("HOST").because("url names no host that is listed").at(&url.pointer())
}

callgate::plugin!(judge, configure);
