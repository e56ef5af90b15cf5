;; Does not get as far as its first evaluation.
(module
  (memory (export "memory") 1)
  (func $spin (loop $again (br $again)))
  (start $spin)
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64) (i64.const 0)))
