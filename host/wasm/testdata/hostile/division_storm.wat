;; Divides and takes roots, without an end.
(module
  (memory (export "memory") 1)
  (data (i32.const 1024) "{\22outcome\22:\22abstain\22}")
  (func (export "callgate_abi_0_1"))
  (func (export "callgate_evaluate") (result i64)
    (loop $again
      (drop (f64.sqrt (f64.div (f64.const 1e300) (f64.const 3e-300))))
      (drop (i64.rem_u (i64.const -1) (i64.const 3)))
      (br $again))
    (unreachable)))
