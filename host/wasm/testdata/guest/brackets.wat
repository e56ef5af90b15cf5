;; Loops for ever when the argument a has 40 brackets or more, else abstains.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "/call/arguments/a")
  (data (i32.const 32) "{\"outcome\":\"abstain\"}")
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64)
    (local $at i32) (local $end i32) (local $open i32)
    (local.set $end (i32.wrap_i64 (call $get (i32.const 0) (i32.const 17) (i32.const 1024) (i32.const 4096))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (if (i32.eq (i32.load8_u (i32.add (i32.const 1024) (local.get $at))) (i32.const 91))
          (then (local.set $open (i32.add (local.get $open) (i32.const 1)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (if (i32.ge_u (local.get $open) (i32.const 40)) (then (loop $again (br $again))))
    (i64.const 0x0000002000000015)))
