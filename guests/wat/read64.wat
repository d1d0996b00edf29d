;; Reads "in" below the first preopen to its end, 4 KiB at a time, and fails
;; if there are not 64 MiB.
(module
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 2)
  (data (i32.const 64) "in")
  (func (export "_start") (local $n i32) (local $e i32)
    (local.set $e (call $open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 2) (i32.const 0)
      (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 96)))
    (if (local.get $e) (then (call $exit (local.get $e))))
    (i32.store (i32.const 0) (i32.const 65536))
    (i32.store (i32.const 4) (i32.const 4096))
    (loop $again
      (local.set $e (call $read (i32.load (i32.const 96)) (i32.const 0) (i32.const 1) (i32.const 100)))
      (if (local.get $e) (then (call $exit (local.get $e))))
      (local.set $n (i32.add (local.get $n) (i32.load (i32.const 100))))
      (br_if $again (i32.load (i32.const 100))))
    (call $exit (i32.ne (local.get $n) (i32.const 67108864)))))
