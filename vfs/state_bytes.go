package vfs

import (
	"bytes"
	"fmt"

	"github.com/seed48025506/belljar/internal/errno"
)

// windowSize is how much of a file is compared at once, a whole number of chunks.
const windowSize = 16 * chunkSize

// maxContent is the longest content that is handed out in one piece.
const maxContent = 1 << 30

func (f *FS) contentOf(s *state) ([]byte, error) {
	size := s.size()
	if size > maxContent {
		return nil, fmt.Errorf("vfs: a file of %d bytes is too long to show (at most %d): %w", size, maxContent, errno.EFBIG)
	}
	var b bytes.Buffer
	b.Grow(int(size))
	for off := int64(0); off < size; off += windowSize {
		p, err := f.window(s, off)
		if err != nil {
			return nil, err
		}
		b.Write(p)
	}
	return b.Bytes(), nil
}

// sameBytes compares two files of one length. Of a file and what was made of
// it, only what was written is looked at, or a byte changed in a huge file
// would cost reading all of it.
func (f *FS) sameBytes(a, b *state) (bool, error) {
	derived := a.node == nil && b.node != nil && b.origin != nil && b.origin.tree() == a.origin.tree()
	for off := int64(0); off < a.size(); off += windowSize {
		if derived {
			if off = b.node.file.written(off); off >= a.size() {
				return true, nil
			}
		}
		p, err := f.window(a, off)
		if err != nil {
			return false, err
		}
		q, err := f.window(b, off)
		if err != nil || !bytes.Equal(p, q) {
			return false, err
		}
	}
	return true, nil
}

// written returns the first chunk from off on, which is where one begins, that
// may not be what the origin has.
func (k *content) written(off int64) int64 {
	next := max(off, k.base&^(chunkSize-1))
	k.chunks.Ascend(off>>chunkBits, func(idx int64, c *chunk) bool {
		if c.gen != nil {
			next = min(next, idx<<chunkBits)
		}
		return c.gen == nil && idx<<chunkBits < next
	})
	return next
}

// window returns up to windowSize bytes, past the deck.
func (f *FS) window(s *state, off int64) ([]byte, error) {
	n := min(s.size()-off, windowSize)
	if s.node == nil {
		return f.raw(s.origin, off)
	}
	p := make([]byte, n)
	var raw []byte // of the base
	for at := off; at < off+n; at += chunkSize {
		to := p[at-off : min(at-off+chunkSize, n)]
		if c, ok := s.node.file.chunks.Get(at >> chunkBits); ok {
			copy(to, c.data)
			continue
		}
		left := s.node.file.base - at
		if left <= 0 {
			continue
		}
		if raw == nil {
			var err error
			if raw, err = f.raw(s.origin, off); err != nil {
				return nil, err
			}
		}
		copy(to[:min(int64(len(to)), left)], raw[at-off:])
	}
	return p, nil
}

// raw returns up to windowSize bytes of a base: what the run read, where it did.
func (f *FS) raw(o *origin, off int64) ([]byte, error) {
	m, _ := f.memos.Get(o.tree())
	n := int(min(o.info.Size-off, windowSize))
	if p := m.extents.from(off); len(p) >= n {
		return p[:n], nil
	}
	var out []byte
	for len(out) < n {
		at := off + int64(len(out))
		p := m.extents.from(at)
		if p == nil {
			b, err := o.mnt.base.Read(o.path, o.info, at, int(min(off+int64(n), m.extents.after(at))-at))
			if err != nil {
				return nil, compareError(o, err)
			}
			p = b.Bytes()
		}
		out = append(out, p[:min(len(p), n-len(out))]...)
	}
	return out, nil
}
