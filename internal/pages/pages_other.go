//go:build !linux

package pages

import (
	"bytes"
	"fmt"
)

// Image is what memories begin with. It is never changed, and it is safe for
// concurrent use.
type Image struct{ p []byte }

// NewImage keeps a copy of p.
func NewImage(p []byte) (*Image, error) { return &Image{bytes.Clone(p)}, nil }

// Close gives the image back.
func (img *Image) Close() error { return nil }

// Memory is one guest's memory. It belongs to one goroutine at a time.
type Memory struct {
	img *Image
	max int
	buf []byte
}

// Reserve makes a memory of at most max bytes, of which the first are img.
func Reserve(img *Image, max int) (*Memory, error) {
	if max < len(img.p) {
		return nil, fmt.Errorf("pages: %d bytes are less than the image's %d", max, len(img.p))
	}
	return &Memory{img: img, max: max}, nil
}

// Grow returns the memory at a size in bytes; nil if that is more than was
// reserved. It may be at another address than before. What it has not had
// before is zero, or the image's.
func (m *Memory) Grow(size uint64) []byte {
	if size > uint64(m.max) {
		return nil
	}
	n := int(size)
	if n > cap(m.buf) {
		room := n
		if len(m.buf) > 0 {
			room = min(max(n, len(m.buf)/4*5), m.max) // one that grows once will grow again
		}
		grown := make([]byte, n, room)
		had := copy(grown, m.buf)
		if had < len(m.img.p) {
			copy(grown[had:], m.img.p[had:])
		}
		m.buf = grown
	}
	m.buf = m.buf[:n]
	return m.buf
}

// Reset makes the memory what it was when it was reserved.
func (m *Memory) Reset() error {
	m.buf = nil
	return nil
}

// Free gives the memory back.
func (m *Memory) Free() error { return m.Reset() }
