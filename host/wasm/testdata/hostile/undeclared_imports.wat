;; Imports a file system, a socket and a function of the host that is not there.
(module
  (import "env" "open" (func (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_connect" (func (param i32) (result i32)))
  (import "callgate_v0" "set" (func (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (i64.const 0x0000040000000015)))
