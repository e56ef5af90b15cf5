//! What a plugin of Callgate is written with: a lazy view of the snapshot that the
//! host hands out, and verdicts.
//!
//! ```
//! use callgate::{abstain, call, deny, Verdict};
//!
//! fn judge() -> Verdict {
//!     let to = call::argument("/to");
//!     if to.text() == "a@b.example" {
//!         return abstain();
//!     }
//!     deny("OTHER_RECIPIENT").at(&to.pointer())
//! }
//!
//! callgate::plugin!(judge);
//! # fn main() {}
//! ```
//!
//! Nothing is fetched before it is asked for, and nothing is kept from one
//! evaluation to the next. Built for anything but WASM, snapshots come from
//! [`testing`].
#![no_std]
// The feature serde is not in the Cargo.toml of a copy.
#![allow(unknown_lints, unexpected_cfgs)]

extern crate alloc;
#[cfg(not(target_arch = "wasm32"))]
extern crate std;

mod host;
mod json;
mod names;
#[cfg(all(target_arch = "wasm32", feature = "runtime"))]
mod runtime;
mod snapshot;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod value;
mod verdict;

pub use host::{log, log_enabled};
pub use names::*;
pub use snapshot::{call, definition, list, phase, result, session, settings, taint, time, Finding};
pub use value::{at, parse, Iter, Kind, Value};
pub use verdict::*;

/// Leaves an answer where the host can read it.
#[doc(hidden)]
pub fn answer(json: alloc::string::String) -> u64 {
    let s = alloc::boxed::Box::leak(json.into_boxed_str());
    (s.as_ptr() as usize as u64) << 32 | s.len() as u64
}

#[doc(hidden)]
pub fn configured(done: Result<(), Wrong>) -> alloc::string::String {
    match done {
        Ok(()) => "{\"ok\":true}".into(),
        Err(e) => e.json(),
    }
}

/// Makes functions the module's plugin: `plugin!(judge)` or `plugin!(judge,
/// configure)`, where `judge` is a `fn() -> Verdict` and `configure` a
/// `fn(Value) -> Result<(), Wrong>` that reads the settings, once. What it keeps in
/// statics is there in every evaluation. A panic denies, and is in the log.
#[macro_export]
macro_rules! plugin {
    ($judge:path) => {
        fn callgate_no_settings(_: $crate::Value) -> Result<(), $crate::Wrong> {
            Ok(())
        }
        $crate::plugin!($judge, callgate_no_settings);
    };
    ($judge:path, $configure:path) => {
        #[no_mangle]
        pub extern "C" fn callgate_abi_1_0() {}
        #[no_mangle]
        pub extern "C" fn callgate_evaluate() -> u64 {
            $crate::answer($judge().json())
        }
        #[no_mangle]
        pub extern "C" fn callgate_configure() -> u64 {
            // Memory keeps it for every evaluation.
            ::std::panic::set_hook(::std::boxed::Box::new(|why| $crate::log($crate::ERROR, &::std::string::ToString::to_string(why))));
            $crate::answer($crate::configured($configure($crate::settings())))
        }
    };
}
