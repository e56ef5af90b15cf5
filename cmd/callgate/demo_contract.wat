;; The contract of `callgate demo`: denies a mail whose body has the word of its
;; settings. A text that does not fit into its memory is denied, too.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 2)
  (data (i32.const 0) "/call/arguments/body")
  (data (i32.const 32) "/settings/word")
  (data (i32.const 64) "{\"outcome\":\"abstain\"}")
  (data (i32.const 128) "{\"outcome\":\"deny\",\"code\":\"CONFIDENTIAL\",\"at\":[\"/call/arguments/body\"],\"reason\":\"the body has the word that may not leave\"}")
  (func (export "callgate_abi_1_0"))
  ;; Says whether the word, of $m bytes at 1024, stands at $at.
  (func $here (param $at i32) (param $m i32) (result i32)
    (local $i i32)
    (block $no
      (loop $next
        (if (i32.ge_u (local.get $i) (local.get $m)) (then (return (i32.const 1))))
        (br_if $no (i32.ne
          (i32.load8_u (i32.add (local.get $at) (local.get $i)))
          (i32.load8_u (i32.add (i32.const 1024) (local.get $i)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (i32.const 0))
  (func (export "callgate_evaluate") (result i64)
    (local $n i32) (local $m i32) (local $at i32)
    (local.set $m (i32.wrap_i64 (call $get (i32.const 32) (i32.const 14) (i32.const 1024) (i32.const 256))))
    (local.set $n (i32.wrap_i64 (call $get (i32.const 0) (i32.const 20) (i32.const 4096) (i32.const 120000))))
    (if (i32.or (i32.gt_u (local.get $n) (i32.const 120000)) (i32.or (i32.gt_u (local.get $m) (i32.const 256)) (i32.eqz (local.get $m))))
      (then (return (i64.const 0x000000800000007a))))
    (block $none
      (loop $next
        (br_if $none (i32.gt_u (i32.add (local.get $at) (local.get $m)) (local.get $n)))
        (if (call $here (i32.add (i32.const 4096) (local.get $at)) (local.get $m))
          (then (return (i64.const 0x000000800000007a))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i64.const 0x0000004000000015)))
