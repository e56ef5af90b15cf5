;; A host allow-list for the argument url, in nothing but WebAssembly.
;; ../testdata/README.md has its rules; README.md says what each part is for.
(module
  ;; get(path, path_len, buf, limit) -> kind << 32 | length. If the value is longer
  ;; than limit, nothing is written.
  (import "callgate_v0" "get" (func $get (param i32 i32 i32 i32) (result i64)))
  (import "callgate_v0" "log" (func $log (param i32 i32 i32)))

  ;; 0 texts, 1024 the path of one host, 2048 an answer, 4096 a host, 8192 the URL
  (memory (export "memory") 1)
  (data (i32.const 0) "/call/arguments/url")                              ;; 19 bytes
  (data (i32.const 32) "https://")                                        ;; 8
  (data (i32.const 48) "http://")                                         ;; 7
  (data (i32.const 1024) "/settings/hosts/")                              ;; 16, and an index
  (data (i32.const 128) "{\"outcome\":\"abstain\"}")                      ;; 21
  (data (i32.const 192) "{\"at\":[\"/call/arguments/url\"],\"code\":\"HOST\",\"outcome\":\"deny\",\"reason\":\"url names no host that is listed\"}") ;; 105
  (data (i32.const 384) "{\"ok\":true}")                                  ;; 11
  (data (i32.const 448) "{\"at\":\"/settings/hosts\",\"error\":\"want a list of host names, such as corp.example\"}") ;; 82
  (data (i32.const 576) "{\"at\":\"/settings/hosts\",\"error\":\"want 64 host names at most\"}") ;; 61
  (data (i32.const 704) "\",\"error\":\"want a host name in lower case, such as corp.example\"}") ;; 65
  (data (i32.const 2048) "{\"at\":\"/settings/hosts/")                    ;; 23, and what follows

  (func (export "callgate_abi_1_0"))

  ;; An answer is where it lies and how long it is.
  (func $answer (param $at i32) (param $len i32) (result i64)
    (i64.or (i64.shl (i64.extend_i32_u (local.get $at)) (i64.const 32)) (i64.extend_i32_u (local.get $len))))

  ;; Writes a number below 100 at $at, and returns how many digits it has.
  (func $digits (param $at i32) (param $n i32) (result i32)
    (if (i32.lt_u (local.get $n) (i32.const 10))
      (then
        (i32.store8 (local.get $at) (i32.add (i32.const 48) (local.get $n)))
        (return (i32.const 1))))
    (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.div_u (local.get $n) (i32.const 10))))
    (i32.store8 offset=1 (local.get $at) (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10))))
    (i32.const 2))

  ;; Fetches a host of the settings to 4096: kind << 32 | length.
  (func $host (param $i i32) (result i64)
    (call $get (i32.const 1024) (i32.add (i32.const 16) (call $digits (i32.const 1040) (local.get $i))) (i32.const 4096) (i32.const 253)))

  ;; Says whether the $len bytes at 4096 are a name of a host.
  (func $is_host (param $len i32) (result i32)
    (local $i i32) (local $c i32)
    (if (i32.or (i32.eqz (local.get $len)) (i32.gt_u (local.get $len) (i32.const 253))) (then (return (i32.const 0))))
    (loop $next
      (local.set $c (i32.load8_u offset=4096 (local.get $i)))
      (if (i32.eqz (i32.or
            (i32.or (i32.lt_u (i32.sub (local.get $c) (i32.const 97)) (i32.const 26))      ;; a-z
                    (i32.lt_u (i32.sub (local.get $c) (i32.const 48)) (i32.const 10)))     ;; 0-9
            (i32.lt_u (i32.sub (local.get $c) (i32.const 45)) (i32.const 2))))             ;; - .
        (then (return (i32.const 0))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $len))))
    (i32.const 1))

  (func (export "callgate_configure") (result i64)
    (local $i i32) (local $kind i32) (local $r i64) (local $end i32)
    ;; Items of an object are named, and not numbered: it has to be an array (5).
    (local.set $kind (i32.wrap_i64 (i64.shr_u (call $get (i32.const 1024) (i32.const 15) (i32.const 0) (i32.const 0)) (i64.const 32))))
    (if (i32.ne (local.get $kind) (i32.const 5)) (then (return (call $answer (i32.const 448) (i32.const 82)))))
    (loop $next
      (local.set $r (call $host (local.get $i)))
      (local.set $kind (i32.wrap_i64 (i64.shr_u (local.get $r) (i64.const 32))))
      (if (i32.eqz (local.get $kind)) ;; no more of them
        (then
          (if (i32.eqz (local.get $i)) (then (return (call $answer (i32.const 448) (i32.const 82)))))
          (return (call $answer (i32.const 384) (i32.const 11)))))
      (if (i32.eq (local.get $i) (i32.const 64)) (then (return (call $answer (i32.const 576) (i32.const 61)))))
      (if (i32.or (i32.ne (local.get $kind) (i32.const 4)) (i32.eqz (call $is_host (i32.wrap_i64 (local.get $r)))))
        (then
          (local.set $end (i32.add (i32.const 2071) (call $digits (i32.const 2071) (local.get $i))))
          (memory.copy (local.get $end) (i32.const 704) (i32.const 65))
          (return (call $answer (i32.const 2048) (i32.sub (i32.add (local.get $end) (i32.const 65)) (i32.const 2048))))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; The byte of the URL at $i, a capital letter as a small one.
  (func $lower (param $i i32) (result i32)
    (local $c i32)
    (local.set $c (i32.load8_u offset=8192 (local.get $i)))
    (if (i32.lt_u (i32.sub (local.get $c) (i32.const 65)) (i32.const 26))
      (then (local.set $c (i32.or (local.get $c) (i32.const 32)))))
    (local.get $c))

  ;; Says whether the URL has, from $from on, the $len bytes at $word.
  (func $same (param $from i32) (param $word i32) (param $len i32) (result i32)
    (local $i i32)
    (loop $next
      (if (i32.eq (local.get $i) (local.get $len)) (then (return (i32.const 1))))
      (if (i32.ne (call $lower (i32.add (local.get $from) (local.get $i))) (i32.load8_u (i32.add (local.get $word) (local.get $i))))
        (then (return (i32.const 0))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; Says whether what the URL has from $from to $end is a host of the settings.
  (func $listed (param $from i32) (param $end i32) (result i32)
    (local $i i32) (local $r i64) (local $len i32)
    (local.set $len (i32.sub (local.get $end) (local.get $from)))
    (loop $next
      (local.set $r (call $host (local.get $i)))
      (if (i64.eqz (local.get $r)) (then (return (i32.const 0))))
      (if (i32.eq (i32.wrap_i64 (local.get $r)) (local.get $len))
        (then (if (call $same (local.get $from) (i32.const 4096) (local.get $len)) (then (return (i32.const 1))))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; Says whether a byte ends what names the host: / ? #
  (func $ends (param $c i32) (result i32)
    (i32.or (i32.or (i32.eq (local.get $c) (i32.const 47)) (i32.eq (local.get $c) (i32.const 63))) (i32.eq (local.get $c) (i32.const 35))))

  ;; Says whether the URL of $len bytes passes.
  (func $passes (param $len i32) (result i32)
    (local $i i32) (local $c i32) (local $from i32) (local $colon i32)
    (loop $next ;; printable ASCII without \
      (if (i32.lt_u (local.get $i) (local.get $len))
        (then
          (local.set $c (i32.load8_u offset=8192 (local.get $i)))
          (if (i32.or (i32.ge_u (i32.sub (local.get $c) (i32.const 33)) (i32.const 94)) (i32.eq (local.get $c) (i32.const 92)))
            (then (return (i32.const 0))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $next))))
    ;; What lies behind the URL is zero, and so is no part of a word.
    (if (call $same (i32.const 0) (i32.const 32) (i32.const 8)) (then (local.set $from (i32.const 8))))
    (if (call $same (i32.const 0) (i32.const 48) (i32.const 7)) (then (local.set $from (i32.const 7))))
    (if (i32.eqz (local.get $from)) (then (return (i32.const 0))))
    (local.set $colon (local.get $from))
    (block $host
      (loop $next
        (br_if $host (i32.ge_u (local.get $colon) (local.get $len)))
        (local.set $c (i32.load8_u offset=8192 (local.get $colon)))
        (br_if $host (i32.or (i32.eq (local.get $c) (i32.const 58)) (call $ends (local.get $c))))
        (local.set $colon (i32.add (local.get $colon) (i32.const 1)))
        (br $next)))
    (if (i32.eqz (call $listed (local.get $from) (local.get $colon))) (then (return (i32.const 0))))
    (if (i32.or (i32.ge_u (local.get $colon) (local.get $len)) (i32.ne (local.get $c) (i32.const 58))) (then (return (i32.const 1))))
    ;; A colon: 1 to 5 digits follow.
    (local.set $i (i32.add (local.get $colon) (i32.const 1)))
    (block $port
      (loop $next
        (br_if $port (i32.ge_u (local.get $i) (local.get $len)))
        (local.set $c (i32.load8_u offset=8192 (local.get $i)))
        (br_if $port (call $ends (local.get $c)))
        (if (i32.ge_u (i32.sub (local.get $c) (i32.const 48)) (i32.const 10)) (then (return (i32.const 0))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (i32.lt_u (i32.sub (i32.sub (local.get $i) (local.get $colon)) (i32.const 2)) (i32.const 5)))

  (func (export "callgate_evaluate") (result i64)
    (local $r i64) (local $len i32)
    (local.set $r (call $get (i32.const 0) (i32.const 19) (i32.const 8192) (i32.const 4096)))
    (local.set $len (i32.wrap_i64 (local.get $r)))
    (if (i64.eqz (local.get $r)) (then (return (call $answer (i32.const 128) (i32.const 21))))) ;; absent
    (if (i32.and (i64.eq (i64.shr_u (local.get $r) (i64.const 32)) (i64.const 4)) (i32.le_u (local.get $len) (i32.const 4096)))
      (then
        (if (call $passes (local.get $len)) (then (return (call $answer (i32.const 128) (i32.const 21)))))
        (call $log (i32.const 1) (i32.const 8192) (local.get $len))))
    (call $answer (i32.const 192) (i32.const 105))))
