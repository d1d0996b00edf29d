package runtime

import (
	goruntime "runtime"
	"sync"

	"github.com/seed48025506/belljar/internal/pages"
)

// memoryPool has the memories of one module. A guest that ends leaves its
// memory to the next one: reset, it is as good as new and costs less. Its mutex
// is a leaf.
type memoryPool struct {
	image *pages.Image

	mu   sync.Mutex
	free []*guestMemory
}

// guestMemory is a reservation of a size.
type guestMemory struct {
	*pages.Memory
	reserved uint64
}

// get returns a memory that can grow to limit bytes.
func (p *memoryPool) get(limit uint64) (*guestMemory, error) {
	if m := p.reuse(limit); m != nil {
		return m, nil
	}
	reserved := max(limit, DefaultMaxMemory) // which suits most of those to come
	m, err := pages.Reserve(p.image, int(reserved))
	if err != nil && reserved > limit {
		reserved = limit
		m, err = pages.Reserve(p.image, int(reserved))
	}
	if err != nil {
		return nil, err
	}
	return &guestMemory{m, reserved}, nil
}

func (p *memoryPool) reuse(limit uint64) *guestMemory {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 && p.free[n-1].reserved >= limit {
		m := p.free[n-1]
		p.free = p.free[:n-1]
		return m
	}
	return nil
}

// put takes a memory back that no guest uses any more.
func (p *memoryPool) put(m *guestMemory) error {
	if err := m.Reset(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.reserved == DefaultMaxMemory && len(p.free) < 4*goruntime.GOMAXPROCS(0) {
		p.free = append(p.free, m)
		return nil
	}
	return m.Free()
}

// close frees what no guest uses.
func (p *memoryPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.free {
		if err := m.Free(); err != nil {
			return err
		}
	}
	p.free = nil
	return p.image.Close()
}

// linearMemory is the memory of one instance, as wazero asks for it.
type linearMemory struct {
	buf   []byte // as it is now
	limit uint64 // bytes
	mem   *guestMemory
}

// Reallocate implements experimental.LinearMemory. Nil means "no more".
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	m.buf = m.mem.Grow(size)
	return m.buf
}

// Free implements experimental.LinearMemory. The memory goes back to its pool
// when the instance is done for.
func (m *linearMemory) Free() { m.buf = nil }
