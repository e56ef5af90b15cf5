;; Calls itself without an end.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func $deep (param i32) (result i32)
    (i32.add (i32.const 1) (call $deep (i32.add (i32.const 1) (local.get 0)))))
  (func (export "callgate_evaluate") (result i64)
    (drop (call $deep (i32.const 0)))
    (i64.const 0x0000040000000015)))
