;; Asks for 4 GiB at its start.
(module (memory (export "memory") 65536) (func (export "_start")))
