;; Grows and writes to each page, until there are no more; then it traps.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (local $at i32)
    (loop $again
      (local.set $at (i32.mul (i32.const 65536) (memory.grow (i32.const 1))))
      (if (i32.lt_s (local.get $at) (i32.const 0)) (then (unreachable)))
      (i32.store (local.get $at) (i32.const 1))
      (br $again))
    (unreachable)))
