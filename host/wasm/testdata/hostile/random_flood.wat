;; Takes random bytes without an end.
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (loop $again (drop (call $random (i32.const 0) (i32.const 65536))) (br $again))
    (unreachable)))
