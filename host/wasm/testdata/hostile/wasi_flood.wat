;; Writes to standard output and error without an end.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (i32.store (i32.const 8) (i32.const 0))
    (i32.store (i32.const 12) (i32.const 60000))
    (loop $again
      (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 0)))
      (drop (call $write (i32.const 2) (i32.const 8) (i32.const 1) (i32.const 0)))
      (br $again))
    (unreachable)))
