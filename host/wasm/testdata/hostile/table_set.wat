;; Keeps what it wants to remember in a table.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (table 1 funcref)
  (elem declare func $f)
  (func $f)
  (func (export "callgate_evaluate") (result i64)
    (table.set 0 (i32.const 0) (ref.func $f))
    (i64.const 0x0000040000000015)))
