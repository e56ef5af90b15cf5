;; Asks for the snapshot in its start function, where there is none, and writes what it is told.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func $start
    (i64.store (i32.const 0) (call $get (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 64)))
    (if (i64.ne (i64.load (i32.const 0)) (i64.const 0)) (then (unreachable))))
  (start $start)
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
