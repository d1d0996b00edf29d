;; Grows a table by 2^20 elements at a time and exits with how often it could.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (table $t 1 funcref)
  (func (export "_start") (local $n i32)
    (loop $again
      (if (i32.ne (table.grow $t (ref.null func) (i32.const 1048576)) (i32.const -1)) (then
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $n) (i32.const 100))))))
    (call $exit (local.get $n))))
