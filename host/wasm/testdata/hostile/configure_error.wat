;; Says that it does not like any settings, in what colours a terminal.
(module
  (memory (export "memory") 8)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (data (i32.const 2048) "{\22error\22:\22no \5cu001b[31m\5cu202e\22,\22at\22:\22/settings\22}")
  (func (export "callgate_configure") (result i64)
    (i64.const 0x0000080000000030))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
