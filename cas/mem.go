package cas

import (
	"bytes"
	"fmt"
	"sync"
)

// Mem is a Store in memory. The zero value is empty and ready for use.
type Mem struct {
	mu    sync.RWMutex
	blobs map[Digest][]byte
}

// NewMem returns an empty store in memory.
func NewMem() *Mem { return &Mem{} }

// Put implements Store.
func (m *Mem) Put(p []byte) (Digest, error) {
	d := Sum(p)
	if ok, _ := m.Has(d); ok { // memory does not fail
		return d, nil
	}
	m.keep(d, bytes.Clone(p))
	return d, nil
}

// Keep implements Keeper.
func (m *Mem) Keep(b *Blob) (Digest, error) {
	m.keep(b.Digest(), b.Bytes())
	return b.Digest(), nil
}

func (m *Mem) keep(d Digest, p []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs == nil {
		m.blobs = map[Digest][]byte{}
	}
	if _, ok := m.blobs[d]; !ok {
		m.blobs[d] = p
	}
}

// Get implements Store.
func (m *Mem) Get(d Digest) ([]byte, error) {
	m.mu.RLock()
	p, ok := m.blobs[d]
	m.mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("cas: payload %s: %w", d, ErrNotFound)
	}
	if got := Sum(p); got != d {
		return nil, &CorruptError{Want: d, Got: got}
	}
	return p, nil
}

// Has implements Store.
func (m *Mem) Has(d Digest) (bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.blobs[d]
	return ok, nil
}
