;; Drops a segment, which stays dropped.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (elem func $f)
  (func $f)
  (func (export "callgate_evaluate") (result i64)
    (elem.drop 0)
    (i64.const 0x0000040000000015)))
