;; Logs what is no UTF-8, control characters and what colours a terminal, at a level that is not there.
(module
  (import "callgate_v0" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (data (i32.const 0) "\ff\fe\00\1b[31m\c0\80\ed\a0\80\f4\90\80")
  (func (export "callgate_evaluate") (result i64)
    (call $log (i32.const -1) (i32.const 0) (i32.const 16))
    (i64.const 0x0000040000000015)))
