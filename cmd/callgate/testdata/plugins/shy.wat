;; Hides the tool "bad", redacts the first text of every result, and leaves calls
;; alone.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "/phase")
  (data (i32.const 64) "{\"outcome\":\"abstain\"}")
  (data (i32.const 128) "{\"outcome\":\"abstain\",\"hide\":[\"bad\"]}")
  (data (i32.const 192) "{\"outcome\":\"abstain\",\"redact\":[\"/result/content/0/text\"],\"tags\":{\"by\":\"shy\"}}")
  (func (export "callgate_abi_1_0"))
  (func (export "callgate_evaluate") (result i64)
    (drop (call $get (i32.const 0) (i32.const 6) (i32.const 1024) (i32.const 16)))
    (if (i32.eq (i32.load8_u (i32.const 1024)) (i32.const 108)) (then (return (i64.const 0x0000008000000024)))) ;; list
    (if (i32.eq (i32.load8_u (i32.const 1024)) (i32.const 114)) (then (return (i64.const 0x000000c00000004d)))) ;; result
    (i64.const 0x0000004000000015)))
