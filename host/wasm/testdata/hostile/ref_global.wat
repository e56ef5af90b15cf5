;; Keeps a reference in a global, which no restore puts back.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (global $g (mut funcref) (ref.null func))
  (elem declare func $f)
  (func $f)
  (func (export "callgate_evaluate") (result i64)
    (global.set $g (ref.func $f))
    (i64.const 0x0000040000000015)))
