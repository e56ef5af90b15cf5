//! Decodes the whole snapshot with serde_json, and looks two members up.

#[link(wasm_import_module = "callgate_v0")]
extern "C" {
    fn get(path: *const u8, path_len: u32, buf: *mut u8, limit: u32) -> u64;
}

static mut TEXT: [u8; 65536] = [0; 65536];
static ABSTAIN: &str = r#"{"outcome":"abstain"}"#;

#[no_mangle]
pub extern "C" fn callgate_abi_0_1() {}

#[no_mangle]
pub extern "C" fn callgate_evaluate() -> u64 {
    let text = unsafe {
        let n = get(core::ptr::null(), 0, TEXT.as_mut_ptr(), TEXT.len() as u32) as u32 as usize;
        &TEXT[..n]
    };
    let v: serde_json::Value = match serde_json::from_slice(text) {
        Ok(v) => v,
        Err(_) => return 0,
    };
    if v["call"]["tool"] == "x" && v["call"]["arguments"]["to"] == "y" {
        return 0;
    }
    (ABSTAIN.as_ptr() as u64) << 32 | ABSTAIN.len() as u64
}
