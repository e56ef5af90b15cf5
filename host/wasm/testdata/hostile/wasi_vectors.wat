;; Writes 8,191 vectors that are all of its memory.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (local $at i32)
    (loop $again
      (i32.store (local.get $at) (i32.const 0))
      (i32.store offset=4 (local.get $at) (i32.const 65536))
      (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const 65528))))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 8191) (i32.const 65532)))
    (i64.const 0)))
