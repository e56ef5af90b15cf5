;; Does what the one letter at /act says, each a way to end an evaluation.
(module
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (import "callgate_v0" "log" (func $log (param i32 i32 i32)))
  (import "callgate_v0" "log_enabled" (func $log_enabled (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "fd_seek" (func $seek (param i32 i64 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (data (i32.const 0) "/act")
  (data (i32.const 16) "{\"outcome\":\"abstain\"}")
  (data (i32.const 64) "a line\n\ff\00 of a log")
  (func (export "callgate_abi_1_0"))
  (func $deep (param i32) (result i32)
    (i32.add (i32.const 1) (call $deep (i32.add (i32.const 1) (local.get 0)))))
  (func $twice (param i32)
    (if (local.get 0) (then
      (call $twice (i32.sub (local.get 0) (i32.const 1)))
      (call $twice (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "callgate_evaluate") (result i64)
    (local $n i32)
    (drop (call $get (i32.const 0) (i32.const 4) (i32.const 8) (i32.const 1)))
    (block $z (block $y (block $x (block $w (block $v (block $u (block $t (block $s (block $r (block $q (block $p (block $o
    (block $n (block $m (block $l (block $k (block $j (block $i (block $h (block $g (block $f (block $e (block $d (block $c (block $b (block $a
      (br_table $a $b $c $d $e $f $g $h $i $j $k $l $m $n $o $p $q $r $s $t $u $v $w $x $y $z
        (i32.sub (i32.load8_u (i32.const 8)) (i32.const 97))))
    ;; a: an answer
    (return (i64.const 0x0000001000000015)))
    ;; b: a trap
    (unreachable))
    ;; c: a loop
    (loop $again (br $again)))
    ;; d: calls without an end
    (drop (call $deep (i32.const 0))) (br $z))
    ;; e: very many calls
    (call $twice (i32.const 60)) (br $z))
    ;; f: an exit with 0
    (call $exit (i32.const 0)) (br $z))
    ;; g: an exit with 1
    (call $exit (i32.const 1)) (br $z))
    ;; h: failure
    (return (i64.const 0)))
    ;; i: an answer that is too long
    (return (i64.const 0x0000001000040001)))
    ;; j: an answer that ends behind memory
    (return (i64.const 0x00ffffff00000002)))
    ;; k: an answer at the highest address
    (return (i64.const 0xffffffff00000001)))
    ;; l: an answer without bytes
    (return (i64.const 0x0000001000000000)))
    ;; m: a path outside of memory
    (drop (call $get (i32.const -4) (i32.const 8) (i32.const 8) (i32.const 8))) (br $z))
    ;; n: a buffer outside of memory
    (drop (call $get (i32.const 0) (i32.const 4) (i32.const 16777208) (i32.const 9))) (br $z))
    ;; o: a buffer that wraps
    (drop (call $get (i32.const 0) (i32.const 4) (i32.const 8) (i32.const -1))) (br $z))
    ;; p: a load outside of memory
    (drop (i32.load (i32.const 16777215))) (br $z))
    ;; q: a division by zero
    (drop (i32.div_u (i32.const 1) (i32.const 0))) (br $z))
    ;; r: a log without an end
    (loop $again (call $log (i32.const 2) (i32.const 64) (i32.const 18)) (br $again)))
    ;; s: 300 lines of log, and an answer
    (loop $again
      (call $log (i32.const 7) (i32.const 64) (i32.const 18))
      (br_if $again (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 300))))
    (return (i64.const 0x0000001000000015)))
    ;; t: one line that is too long, and an answer
    (call $log (i32.const 0) (i32.const 64) (i32.const 200000))
    (return (i64.const 0x0000001000000015)))
    ;; u: more than get delivers
    (loop $again
      (drop (call $get (i32.const 0) (i32.const 0) (i32.const 65536) (i32.const 131072)))
      (br $again)))
    ;; v: memory filled, without an end
    (loop $again (memory.fill (i32.const 65536) (i32.const 1) (i32.const 131072)) (br $again)))
    ;; w: all of memory written to, and an answer
    (memory.fill (i32.const 128) (i32.const 1) (i32.const 16777000))
    (return (i64.const 0x0000001000000015)))
    ;; x: the longest answer
    (return (i64.const 0x0000001000040000)))
    ;; y: what WASI has and the shim has not, and an answer
    (i32.store (i32.const 16) (call $seek (i32.const 1) (i64.const 0) (i32.const 0) (i32.const 0)))
    (i32.store (i32.const 20) (i32.add (call $log_enabled (i32.const 3)) (i32.mul (i32.const 2) (call $log_enabled (i32.const 4)))))
    (return (i64.const 0x0000001000000008)))
    ;; z
    (unreachable)))
