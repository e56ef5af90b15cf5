;; Says of two ABIs that it was built for them.
(module
  (memory (export "memory") 1)
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64) (i64.const 0)))
