;; Polls a clock once, for as many seconds as its argument says.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func $number (result i64) (local $p i32) (local $n i64)
    (drop (call $args (i32.const 16) (i32.const 1024)))
    (local.set $p (i32.load (i32.const 20)))
    (loop $next
      (if (i32.load8_u (local.get $p))
        (then
          (local.set $n (i64.add (i64.mul (local.get $n) (i64.const 10))
            (i64.extend_i32_u (i32.sub (i32.load8_u (local.get $p)) (i32.const 48)))))
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (br $next))))
    (local.get $n))
  (func (export "_start")
    (i32.store (i32.const 2064) (i32.const 1))
    (i64.store (i32.const 2072) (i64.mul (call $number) (i64.const 1000000000)))
    (call $exit (call $poll (i32.const 2048) (i32.const 3072) (i32.const 1) (i32.const 4096)))))
