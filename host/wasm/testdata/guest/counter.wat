;; Keeps state wherever a guest can: in memory, in a global, in the size of memory,
;; beyond what it asked for. Answers all of it in 20 bytes, which must be the same
;; each time. The start function counts too.
(module
  (memory (export "memory") 2)
  (global $calls (mut i32) (i32.const 0))
  (global $float (mut f64) (f64.const 0.5))
  (func $count
    (i32.store (i32.const 0) (i32.add (i32.const 1) (i32.load (i32.const 0))))
    (global.set $float (f64.mul (global.get $float) (f64.const 2)))
    (global.set $calls (i32.add (i32.const 1) (global.get $calls))))
  (start $count)
  (func (export "callgate_abi_1_0"))
  (func (export "_initialize") (call $count))
  (func (export "callgate_evaluate") (result i64)
    (call $count)
    (drop (memory.grow (i32.const 1)))
    (i32.store (i32.const 131072) (i32.add (i32.const 1) (i32.load (i32.const 131072))))
    (i32.store (i32.const 15728640) (i32.add (i32.const 1) (i32.load (i32.const 15728640))))
    (i32.store (i32.const 64) (i32.load (i32.const 0)))
    (i32.store (i32.const 68) (global.get $calls))
    (i32.store (i32.const 72) (memory.size))
    (i32.store (i32.const 76) (i32.add (i32.load (i32.const 131072)) (i32.load (i32.const 15728640))))
    (i32.store (i32.const 80) (i32.trunc_sat_f64_s (global.get $float)))
    (i64.const 0x0000004000000014)))
