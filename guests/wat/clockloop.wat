;; Reads the monotonic clock as often as its argument says, and nothing else.
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $number (result i32) (local $p i32) (local $n i32)
    (drop (call $args (i32.const 16) (i32.const 1024)))
    (local.set $p (i32.load (i32.const 20)))
    (loop $next
      (if (i32.load8_u (local.get $p))
        (then
          (local.set $n (i32.add (i32.mul (local.get $n) (i32.const 10))
            (i32.sub (i32.load8_u (local.get $p)) (i32.const 48))))
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (br $next))))
    (local.get $n))
  (func (export "_start") (local $i i32)
    (local.set $i (call $number))
    (loop $again
      (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 8)))
      (br_if $again (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))))
