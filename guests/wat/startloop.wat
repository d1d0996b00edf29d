;; The start section's function never returns, so _start is never reached.
(module
  (memory (export "memory") 1)
  (func $init (loop $again (br $again)))
  (start $init)
  (func (export "_start")))
