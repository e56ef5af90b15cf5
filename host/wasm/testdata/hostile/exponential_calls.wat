;; Calls itself twice, 60 deep.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func $twice (param i32)
    (if (local.get 0) (then
      (call $twice (i32.sub (local.get 0) (i32.const 1)))
      (call $twice (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "callgate_evaluate") (result i64)
    (call $twice (i32.const 60))
    (i64.const 0x0000040000000015)))
