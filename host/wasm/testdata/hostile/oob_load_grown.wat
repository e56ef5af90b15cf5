;; Loads from pages that it has not grown to: they are there, and empty, everywhere.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (drop (i32.load (i32.const 0x800000)))
    (i64.const 0x0000040000000015)))
