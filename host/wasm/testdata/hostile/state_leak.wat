;; Answers how often it was called, from memory, a global and a table of its own.
(module
  (memory (export "memory") 1)
  (func (export "callgate_abi_0_1"))
  (global $n (mut i32) (i32.const 0))
  (func (export "callgate_evaluate") (result i64)
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
    (global.set $n (i32.add (global.get $n) (i32.const 1)))
    (i32.store (i32.const 4) (global.get $n))
    (i32.store (i32.const 8) (memory.grow (i32.const 1)))
    (i64.const 12)))
