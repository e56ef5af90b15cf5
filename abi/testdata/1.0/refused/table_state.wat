;; Has state in a table, which no restore reaches.
(module
  (memory (export "memory") 1)
  (table 1 funcref)
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64)
    (table.set 0 (i32.const 0) (ref.null func))
    (i64.const 0)))
