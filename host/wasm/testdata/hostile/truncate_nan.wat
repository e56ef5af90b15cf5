;; Makes an integer of what is no number.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (drop (i32.trunc_f32_s (f32.const nan)))
    (i64.const 0x0000040000000015)))
