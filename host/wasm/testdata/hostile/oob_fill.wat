;; Fills from within its memory to behind it.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (memory.fill (i32.const 0xffffff) (i32.const 1) (i32.const 2))
    (i64.const 0x0000040000000015)))
