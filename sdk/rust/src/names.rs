//! What the ABI calls things, and what the host takes of one verdict.

/// The version of the ABI that this crate speaks.
pub const VERSION: &str = "1.0";

/// The phases in which a plugin is asked.
pub const PHASE_CALL: &str = "call";
pub const PHASE_RESULT: &str = "result";
pub const PHASE_LIST: &str = "list";

/// The kinds of a call.
pub const KIND_TOOL: &str = "tool";
pub const KIND_RESOURCE: &str = "resource";
pub const KIND_PROMPT: &str = "prompt";
pub const KIND_COMPLETION: &str = "completion";
pub const KIND_SAMPLING: &str = "sampling";
pub const KIND_ELICITATION: &str = "elicitation";
pub const KIND_ROOTS: &str = "roots";
pub const KIND_METHOD: &str = "method";

/// Where a value came from, as `Finding::origin` says.
pub const ORIGIN_TAINTED: &str = "tainted";
pub const ORIGIN_UNPROVEN: &str = "unproven";
pub const ORIGIN_CLIENT: &str = "client";
pub const ORIGIN_TRUSTED: &str = "trusted";

/// Stands among labels for every label there is: more were given than the host keeps.
pub const ANY_LABEL: &str = "*";

/// The levels of `log`.
pub const DEBUG: u32 = 0;
pub const INFO: u32 = 1;
pub const WARN: u32 = 2;
pub const ERROR: u32 = 3;

/// What the host takes of one verdict. Characters are Unicode code points.
pub const MAX_VERDICT_BYTES: usize = 262144;
pub const MAX_REASON_RUNES: usize = 1024;
pub const MAX_TAGS: usize = 16;
pub const MAX_TAG_RUNES: usize = 256;
pub const MAX_POINTERS: usize = 256;
pub const MAX_POINTER_RUNES: usize = 4096;
pub const MAX_LABELS: usize = 32;
pub const MAX_HIDDEN: usize = 1024;
