;; Says that it does not like any settings, in 100,000 bytes.
(module
  (memory (export "memory") 8)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (data (i32.const 2048) "{\22error\22:\22")
  (func (export "callgate_configure") (result i64)
    (memory.fill (i32.const 2058) (i32.const 97) (i32.const 100000))
    (i32.store16 (i32.const 102058) (i32.const 0x7d22))
    (i64.const 8796093122220))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
