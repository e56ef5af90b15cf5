;; Calls itself through a table, without an end.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (table 1 funcref)
  (elem (i32.const 0) $one)
  (func $one (call_indirect (i32.const 0)))
  (func (export "callgate_evaluate") (result i64)
    (call $one)
    (i64.const 0x0000040000000015)))
