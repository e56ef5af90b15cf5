;; Is a program, with _start.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "_start"))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
