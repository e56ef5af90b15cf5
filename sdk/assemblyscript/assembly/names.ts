// What the ABI calls things, and what the host takes of one verdict.

/** The version of the ABI that this package speaks. */
export const VERSION = "1.0";

// The phases in which a plugin is asked.
export const PHASE_CALL = "call";
export const PHASE_RESULT = "result";
export const PHASE_LIST = "list";

// The kinds of a call.
export const KIND_TOOL = "tool";
export const KIND_RESOURCE = "resource";
export const KIND_PROMPT = "prompt";
export const KIND_COMPLETION = "completion";
export const KIND_SAMPLING = "sampling";
export const KIND_ELICITATION = "elicitation";
export const KIND_ROOTS = "roots";
export const KIND_METHOD = "method";

// Where a value came from, as Finding.origin says.
export const ORIGIN_TAINTED = "tainted";
export const ORIGIN_UNPROVEN = "unproven";
export const ORIGIN_CLIENT = "client";
export const ORIGIN_TRUSTED = "trusted";

/** Stands among labels for every label there is: more were given than the host keeps. */
export const ANY_LABEL = "*";

// The levels of log.
export const DEBUG: u32 = 0;
export const INFO: u32 = 1;
export const WARN: u32 = 2;
export const ERROR: u32 = 3;

// What the host takes of one verdict. Characters are Unicode code points.
export const MAX_VERDICT_BYTES: i32 = 262144;
export const MAX_REASON_RUNES: i32 = 1024;
export const MAX_TAGS: i32 = 16;
export const MAX_TAG_RUNES: i32 = 256;
export const MAX_POINTERS: i32 = 256;
export const MAX_POINTER_RUNES: i32 = 4096;
export const MAX_LABELS: i32 = 32;
export const MAX_HIDDEN: i32 = 1024;
