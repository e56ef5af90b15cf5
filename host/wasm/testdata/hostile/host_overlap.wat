;; Lets get write over the path that it was asked for.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (data (i32.const 0) "/call/server/x")
  (func (export "callgate_evaluate") (result i64)
    (drop (call $get (i32.const 0) (i32.const 14) (i32.const 0) (i32.const 64)))
    (i64.const 0x0000040000000015)))
