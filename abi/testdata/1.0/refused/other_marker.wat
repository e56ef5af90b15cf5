;; Was built for 0.1, and comes with a manifest of 1.0.
(module
  (memory (export "memory") 1)
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64) (i64.const 0)))
