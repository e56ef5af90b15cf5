;; Calls a function through a table as if it had another type.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (table 1 funcref)
  (elem (i32.const 0) $f)
  (func $f)
  (func (export "callgate_evaluate") (result i64)
    (drop (call_indirect (param i64) (result i64) (i64.const 1) (i32.const 0)))
    (i64.const 0x0000040000000015)))
