;; Says that the settings will do, and that they will not.
(module
  (memory (export "memory") 8)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (data (i32.const 2048) "{\22ok\22:true,\22error\22:\22no\22}")
  (func (export "callgate_configure") (result i64)
    (i64.const 0x0000080000000018))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
