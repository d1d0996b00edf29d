package vfs

import (
	"math"

	"github.com/tidwall/btree"
)

// A base is asked for stretches of a file: whole chunks, except at its end.
// The first is short, since most files are and headers are all that is read of
// some; each that follows right after the last is twice as long, because then
// the file is being read through, and the question should cost little beside
// the bytes.
const (
	firstExtent   = 4 * chunkSize  // 256 KiB
	longestExtent = 64 * chunkSize // 4 MiB
)

// extents is what is known of a file of a base: stretches that do not overlap,
// by where they begin. It is a value, and its bytes are never changed.
type extents struct{ m *btree.Map[int64, []byte] }

// with returns x with one stretch more.
func (x extents) with(off int64, p []byte) extents {
	m := new(btree.Map[int64, []byte])
	if x.m != nil {
		m = fork(x.m)
	}
	m.Set(off, p)
	return extents{m}
}

// before returns the stretch that begins at off or before it.
func (x extents) before(off int64) (start int64, p []byte) {
	if x.m != nil {
		x.m.Descend(off, func(at int64, q []byte) bool {
			start, p = at, q
			return false
		})
	}
	return start, p
}

// from returns the bytes from off on to the end of the stretch they are in,
// nil if they are not known.
func (x extents) from(off int64) []byte {
	start, p := x.before(off)
	if skip := off - start; skip < int64(len(p)) {
		return p[skip:]
	}
	return nil
}

// after returns where the first stretch beyond off begins.
func (x extents) after(off int64) int64 {
	next := int64(math.MaxInt64)
	if x.m != nil {
		x.m.Ascend(off+1, func(at int64, _ []byte) bool {
			next = at
			return false
		})
	}
	return next
}

// missing returns the stretch to ask for in order to know the chunk at off,
// which is not known, of a file of size bytes.
func (x extents) missing(off, size int64) (start int64, n int) {
	last, p := x.before(off)
	end := last + int64(len(p))
	if p != nil && end == off {
		start, n = off, min(2*len(p), longestExtent)
	} else {
		start, n = max(off&^(firstExtent-1), end), firstExtent
	}
	return start, int(min(int64(n), size-start, x.after(off)-start))
}
