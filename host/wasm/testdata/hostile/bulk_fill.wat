;; Fills its memory, without an end.
(module
  (memory (export "memory") 256)
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (loop $again
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x1000000))
      (br $again))
    (unreachable)))
