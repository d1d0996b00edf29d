(module (memory (export "memory") 1) (func (export "run")))
