;; Grows its memory, without an end; most of it fails.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (loop $again (drop (memory.grow (i32.const 1))) (br $again))
    (unreachable)))
