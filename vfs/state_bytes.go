package vfs

import (
	"bytes"
	"fmt"

	"github.com/seed48025506/belljar/internal/errno"
)

// maxContent is the longest content that is handed out in one piece.
const maxContent = 1 << 30

func (f *FS) contentOf(s *state) ([]byte, error) {
	size := s.size()
	if size > maxContent {
		return nil, fmt.Errorf("vfs: a file of %d bytes is too long to show (at most %d): %w", size, maxContent, errno.EFBIG)
	}
	var b bytes.Buffer
	b.Grow(int(size))
	for off := int64(0); off < size; off += extentSize {
		p, err := f.window(s, off)
		if err != nil {
			return nil, err
		}
		b.Write(p)
	}
	return b.Bytes(), nil
}

func (f *FS) sameBytes(a, b *state) (bool, error) {
	for off := int64(0); off < a.size(); off += extentSize {
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

// window returns the bytes of one extent, past the deck.
func (f *FS) window(s *state, off int64) ([]byte, error) {
	n := min(s.size()-off, extentSize)
	if s.node == nil {
		return f.rawExtent(s.origin, off)
	}
	p := make([]byte, n)
	var raw []byte
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
			if raw, err = f.rawExtent(s.origin, off); err != nil {
				return nil, err
			}
		}
		copy(to[:min(int64(len(to)), left)], raw[at-off:])
	}
	return p, nil
}

// rawExtent returns one extent of a base: what the run read, if it did.
func (f *FS) rawExtent(o *origin, off int64) ([]byte, error) {
	if m, ok := f.memos.Get(o.tree()); ok && m.extents != nil {
		if p, ok := m.extents.Get(off); ok {
			return p, nil
		}
	}
	p := make([]byte, min(o.info.Size-off, extentSize))
	if err := o.mnt.base.ReadAt(o.path, o.info, p, off); err != nil {
		return nil, compareError(o, err)
	}
	return p, nil
}
