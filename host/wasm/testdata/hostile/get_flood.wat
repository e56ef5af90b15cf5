;; Reads the whole snapshot, over and over.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 256)
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (loop $again (drop (call $get (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0x1000000))) (br $again))
    (unreachable)))
