package cas

import "sync"

// Blob is bytes that nobody changes any more, with their digest, which is
// computed when somebody first asks for it. It is safe for concurrent use.
type Blob struct {
	p    []byte
	once sync.Once
	d    Digest
}

// NewBlob makes a blob of p. Whoever holds p must not change it from now on.
func NewBlob(p []byte) *Blob { return &Blob{p: p} }

// Bytes returns what the blob holds. The caller must not change it.
func (b *Blob) Bytes() []byte { return b.p }

// Digest returns the name of the bytes.
func (b *Blob) Digest() Digest {
	b.once.Do(func() { b.d = Sum(b.p) })
	return b.d
}
