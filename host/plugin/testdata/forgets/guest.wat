;; Remembers that it was asked by a label of the session, and denies from then on. It
;; forgets that where the host keeps no more labels and says "*", unless the settings
;; have "any"; and, where they have "name", under any name but the one of its manifest.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "/session/labels/0")
  (data (i32.const 32) "/settings/any")
  (data (i32.const 48) "/settings/name")
  (data (i32.const 64) "forgets:seen")
  (data (i32.const 128) "{\"code\":\"SEEN\",\"outcome\":\"deny\"}")
  (data (i32.const 192) "{\"labels\":{\"session\":[\"seen\"]},\"outcome\":\"abstain\"}")
  (func (export "callgate_abi_1_0"))
  (func $set (param $at i32) (param $length i32) (result i32)
    (i64.ne (call $get (local.get $at) (local.get $length) (i32.const 2048) (i32.const 0)) (i64.const 0)))
  (func $seen (result i32)
    (local $length i32)
    (local.set $length (i32.wrap_i64 (call $get (i32.const 0) (i32.const 17) (i32.const 1024) (i32.const 64))))
    (if (i32.eq (local.get $length) (i32.const 1)) (then
      (return (i32.and (i32.eq (i32.load8_u (i32.const 1024)) (i32.const 42)) (call $set (i32.const 32) (i32.const 13))))))
    (if (call $set (i32.const 48) (i32.const 14)) (then
      (if (i64.ne (i64.load (i32.const 1024)) (i64.load (i32.const 64))) (then (return (i32.const 0))))))
    (i32.and (i32.gt_u (local.get $length) (i32.const 5)) (i32.and
      (i32.eq (i32.load8_u offset=1019 (local.get $length)) (i32.const 58))
      (i32.eq (i32.load offset=1020 (local.get $length)) (i32.load (i32.const 72))))))
  (func (export "callgate_evaluate") (result i64)
    (if (call $seen) (then (return (i64.const 0x0000008000000020))))
    (i64.const 0x000000c000000033)))
