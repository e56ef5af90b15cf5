;; Imports get, with another type.
(module
  (import "callgate_v0" "get" (func (param i32 i32) (result i64)))
  (memory (export "memory") 1)
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64) (i64.const 0)))
