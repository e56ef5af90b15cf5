//! The three functions of the host, and what stands for them in tests.

use alloc::{string::String, vec, vec::Vec};

#[cfg(target_arch = "wasm32")]
mod imports {
    #[link(wasm_import_module = "callgate_v0")]
    extern "C" {
        pub fn get(path: *const u8, path_len: u32, buf: *mut u8, limit: u32) -> u64;
        pub fn log(level: u32, text: *const u8, len: u32);
        pub fn log_enabled(level: u32) -> u32;
    }
}

#[cfg(target_arch = "wasm32")]
fn get(path: &str, buf: &mut [u8]) -> (u8, usize) {
    let r = unsafe { imports::get(path.as_ptr(), path.len() as u32, buf.as_mut_ptr(), buf.len() as u32) };
    ((r >> 32) as u8, r as u32 as usize)
}

#[cfg(not(target_arch = "wasm32"))]
fn get(path: &str, buf: &mut [u8]) -> (u8, usize) {
    crate::testing::get(path, buf)
}

/// The kind of a value alone.
pub fn kind(path: &str) -> u8 {
    get(path, &mut []).0
}

/// Asks the host for a value, twice if it is large.
pub fn fetch(path: &str) -> (u8, String) {
    let mut small = [0u8; 1024];
    let (kind, n) = get(path, &mut small);
    let bytes: Vec<u8> = if n <= small.len() {
        small[..n].to_vec()
    } else {
        let mut large = vec![0; n];
        get(path, &mut large);
        large
    };
    // The host writes UTF-8, and nothing else.
    (kind, String::from_utf8(bytes).unwrap_or_default())
}

/// Writes a line for the operator. The host keeps 64 KiB and 256 lines of an
/// evaluation.
pub fn log(level: u32, text: &str) {
    #[cfg(target_arch = "wasm32")]
    unsafe {
        imports::log(level, text.as_ptr(), text.len() as u32)
    }
    #[cfg(not(target_arch = "wasm32"))]
    crate::testing::log(level, text)
}

/// Says whether a level is kept, before a costly line is made.
pub fn log_enabled(level: u32) -> bool {
    #[cfg(target_arch = "wasm32")]
    return unsafe { imports::log_enabled(level) } != 0;
    #[cfg(not(target_arch = "wasm32"))]
    return level <= crate::ERROR;
}
