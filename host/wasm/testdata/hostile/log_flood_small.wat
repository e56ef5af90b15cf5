;; Logs nothing, without an end.
(module
  (import "callgate_v0" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (loop $again (call $log (i32.const 2) (i32.const 0) (i32.const 0)) (br $again))
    (unreachable)))
