;; Imports from the names of other hosts.
(module
  (import "env" "abort" (func (param i32 i32 i32 i32)))
  (import "callgate_v1" "get" (func (param i32 i32 i32 i32) (result i64)))
  (import "wasi_snapshot_preview2" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
