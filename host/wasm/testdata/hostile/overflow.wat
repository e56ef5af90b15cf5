;; Divides the least number by -1.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (drop (i64.div_s (i64.const 0x8000000000000000) (i64.const -1)))
    (i64.const 0x0000040000000015)))
