;; Remembers that it was asked by a label of the session, and denies from then on. It
;; forgets that where the host keeps no more labels and says "*", unless the settings
;; have "any".
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "/session/labels/0")
  (data (i32.const 32) "/settings/any")
  (data (i32.const 64) "forgets:seen")
  (data (i32.const 128) "{\"code\":\"SEEN\",\"outcome\":\"deny\"}")
  (data (i32.const 192) "{\"labels\":{\"session\":[\"seen\"]},\"outcome\":\"abstain\"}")
  (func (export "callgate_abi_1_0"))
  (func $seen (result i32)
    (local $length i64)
    (local.set $length (i64.and (call $get (i32.const 0) (i32.const 17) (i32.const 1024) (i32.const 64)) (i64.const 0xffffffff)))
    (if (i64.eq (local.get $length) (i64.const 1)) (then (return (i32.and
      (i32.eq (i32.load8_u (i32.const 1024)) (i32.const 42))
      (i64.ne (call $get (i32.const 32) (i32.const 13) (i32.const 2048) (i32.const 0)) (i64.const 0))))))
    (i32.and (i64.eq (local.get $length) (i64.const 12)) (i32.and
      (i64.eq (i64.load (i32.const 1024)) (i64.load (i32.const 64)))
      (i32.eq (i32.load (i32.const 1032)) (i32.load (i32.const 72))))))
  (func (export "callgate_evaluate") (result i64)
    (if (call $seen) (then (return (i64.const 0x0000008000000020))))
    (i64.const 0x000000c000000033)))
