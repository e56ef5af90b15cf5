;; Asks for a call in configure, where there is none, and traps if it is told of one.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 8)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (data (i32.const 2048) "{\22ok\22:true}     /call")
  (func (export "callgate_configure") (result i64)
    (if (i64.ne (call $get (i32.const 2064) (i32.const 5) (i32.const 0) (i32.const 64)) (i64.const 0)) (then (unreachable)))
    (i64.const 8796093022219))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
