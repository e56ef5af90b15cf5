;; Notes which ABI it is spoken to in: what it was told when it was configured, and
;; is told now. Memory: paths below 32, the answer from 64 on, with six bytes for
;; each version, as they came.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "/abi")
  (data (i32.const 32) "{\"ok\":true}")
  (data (i32.const 64) "{\"outcome\":\"abstain\",\"tags\":{\"configure\":\"      \",\"evaluate\":\"      \"}}")
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_configure") (result i64)
    (drop (call $get (i32.const 0) (i32.const 4) (i32.const 106) (i32.const 6)))
    (i64.const 0x000000200000000b))
  (func (export "callgate_evaluate") (result i64)
    (drop (call $get (i32.const 0) (i32.const 4) (i32.const 126) (i32.const 6)))
    (i64.const 0x0000004000000047)))
