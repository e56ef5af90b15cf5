;; Abstains, and does nothing else: what an evaluation costs before a plugin does
;; anything.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "{\"outcome\":\"abstain\"}")
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64) (i64.const 0x0000001000000015)))
