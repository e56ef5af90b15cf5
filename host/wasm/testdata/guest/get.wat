;; Answers what get says of the pointer at /ask: the packed result in eight bytes,
;; little end first, and the bytes behind it. /limit, one digit, times 16 is how
;; much it takes; without it, 64 KiB.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 4)
  (data (i32.const 0) "/ask")
  (data (i32.const 8) "/limit")
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64)
    (local $n i32) (local $limit i32) (local $r i64)
    (local.set $n (i32.wrap_i64 (call $get (i32.const 0) (i32.const 4) (i32.const 1024) (i32.const 16384))))
    (local.set $limit (i32.const 65536))
    (if (i64.ne (i64.const 0) (call $get (i32.const 8) (i32.const 6) (i32.const 32) (i32.const 1)))
      (then (local.set $limit (i32.mul (i32.const 16) (i32.sub (i32.load8_u (i32.const 32)) (i32.const 48))))))
    (local.set $r (call $get (i32.const 1024) (local.get $n) (i32.const 65544) (local.get $limit)))
    (i64.store (i32.const 65536) (local.get $r))
    (local.set $n (i32.wrap_i64 (local.get $r)))
    (if (i32.gt_u (local.get $n) (local.get $limit)) (then (local.set $n (i32.const 0))))
    (i64.or (i64.const 0x0001000000000000) (i64.extend_i32_u (i32.add (i32.const 8) (local.get $n))))))
