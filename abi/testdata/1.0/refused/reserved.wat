;; Exports a name that is the host's.
(module
  (memory (export "memory") 1)
  (global (export "callgate_m1_fuel") (mut i64) (i64.const 0))
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64) (i64.const 0)))
