;; Waits until the clock moves.
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (local $was i64)
    (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 0)))
    (local.set $was (i64.load (i32.const 0)))
    (loop $again
      (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 0)))
      (br_if $again (i64.eq (local.get $was) (i64.load (i32.const 0)))))
    (i64.const 0x0000040000000015)))
