;; Grows its memory until it may not, and exits with the number of 16-page steps.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (local $n i32)
    (loop $l
      (if (i32.ne (memory.grow (i32.const 16)) (i32.const -1))
        (then (local.set $n (i32.add (local.get $n) (i32.const 1))) (br $l))))
    (call $exit (local.get $n))))
