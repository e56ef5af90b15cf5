;; Fills a table.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (table 1 funcref)
  (func (export "callgate_evaluate") (result i64)
    (table.fill 0 (i32.const 0) (ref.null func) (i32.const 1))
    (i64.const 0x0000040000000015)))
