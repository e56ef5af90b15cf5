;; Answers a verdict with tags of objects, each in the other.
(module
  (memory (export "memory") 8)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22,\22tags\22:")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (local $at i32)
    (memory.copy (i32.const 0) (i32.const 1024) (i32.const 28))
    (local.set $at (i32.const 28))
    (loop $again
      (i32.store (local.get $at) (i32.const 0x2261227b))
      (i32.store8 offset=4 (local.get $at) (i32.const 58))
      (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 5))) (i32.const 262000))))
    (i64.or (i64.const 0) (i64.extend_i32_u (local.get $at)))))
