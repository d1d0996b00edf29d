;; Asks for two tables of 100 million elements each.
(module
  (memory (export "memory") 1)
  (table $a 100000000 funcref)
  (table $b 100000000 externref)
  (func (export "_start")))
