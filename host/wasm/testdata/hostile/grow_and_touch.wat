;; Takes all of its memory and writes to each page of it, then answers.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (local $at i32)
    (drop (memory.grow (i32.const 255)))
    (loop $again
      (i32.store (i32.add (local.get $at) (i32.const 4000)) (i32.const -1))
      (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4096))) (i32.const 0x1000000))))
    (i64.const 0x0000040000000015)))
