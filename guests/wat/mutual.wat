;; Two functions without a loop that call each other, thirty levels deep, by a
;; table: 2^30 calls and more.
(module
  (memory (export "memory") 1)
  (type $f (func (param i32)))
  (table funcref (elem $a $b))
  (func $a (param $n i32)
    (if (local.get $n) (then
      (call_indirect (type $f) (i32.sub (local.get $n) (i32.const 1)) (i32.const 1))
      (call_indirect (type $f) (i32.sub (local.get $n) (i32.const 1)) (i32.const 0)))))
  (func $b (param $n i32)
    (if (local.get $n) (then
      (call $a (i32.sub (local.get $n) (i32.const 1)))
      (call $a (i32.sub (local.get $n) (i32.const 1))))))
  (func (export "_start") (call $a (i32.const 40))))
