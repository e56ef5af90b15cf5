;; Starts with one page more than there may be.
(module
  (memory (export "memory") 257)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
