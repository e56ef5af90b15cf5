;; Answers with a budget below nothing.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22,\22budget\22:{\22calls\22:-1}}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x000004000000002b)))
