;; Asks how long the snapshot and a member of it are, in turns, so that nothing is remembered.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (data (i32.const 0) "/call")
  (func (export "callgate_evaluate") (result i64)
    (loop $again
      (drop (call $get (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
      (drop (call $get (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 0)))
      (br $again))
    (unreachable)))
