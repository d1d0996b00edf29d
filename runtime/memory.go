package runtime

// linearMemory is a guest's memory on the Go heap, grown by a quarter at a
// time so that a guest that grows page by page does not copy itself each time.
type linearMemory struct {
	buf   []byte
	limit uint64 // bytes
}

// Reallocate implements experimental.LinearMemory. Nil means "no more".
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	if size > uint64(cap(m.buf)) {
		room := min(max(size, size/4*5), m.limit)
		if len(m.buf) == 0 {
			room = size // most guests never grow
		}
		grown := make([]byte, size, room)
		copy(grown, m.buf)
		m.buf = grown
	}
	m.buf = m.buf[:size]
	return m.buf
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() { m.buf = nil }
