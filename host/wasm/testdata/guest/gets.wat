;; Looks up two pointers in turn, a thousand times each: what a crossing costs.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "/call/arguments/to")
  (data (i32.const 64) "/call/tool")
  (data (i32.const 128) "{\"outcome\":\"abstain\"}")
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64)
    (local $n i32)
    (loop $again
      (drop (call $get (i32.const 0) (i32.const 18) (i32.const 1024) (i32.const 1024)))
      (drop (call $get (i32.const 64) (i32.const 10) (i32.const 1024) (i32.const 1024)))
      (br_if $again (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 1000))))
    (i64.const 0x0000008000000015)))
