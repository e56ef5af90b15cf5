;; Copies its memory onto itself, without an end.
(module
  (memory (export "memory") 256)
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (loop $again
      (memory.copy (i32.const 1) (i32.const 0) (i32.const 0xffffff))
      (br $again))
    (unreachable)))
