;; Has an evaluate that takes a pointer and a length.
(module
  (memory (export "memory") 1)
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (param i32 i32) (result i64) (i64.const 0)))
