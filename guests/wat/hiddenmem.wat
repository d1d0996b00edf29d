;; Asks for 3 GiB and does not say so in its exports.
(module (memory 49152) (func (export "_start")))
