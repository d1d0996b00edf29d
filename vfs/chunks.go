package vfs

import (
	"github.com/tidwall/btree"

	"github.com/seed48025506/belljar/internal/errno"
)

const (
	chunkBits = 16
	chunkSize = 1 << chunkBits // 64 KiB
)

// chunk is one 64 KiB stretch of a file. Bytes beyond data read as zeros, so
// a small file keeps few. It may be changed only by the generation it
// carries; a chunk of a base carries none.
type chunk struct {
	gen  *gen
	data []byte
}

// content is the bytes of a file: chunks that are there, then, below base,
// the bytes of the file's origin, then zeros. Holes cost nothing.
type content struct {
	chunks  *btree.Map[int64, *chunk]
	base    int64 // the origin shows through below this offset; truncating lowers it
	dirty   bool  // not what the origin has
	last    *chunk
	lastIdx int64 // of last; saves a look-up for every access in a row
}

func newContent(base int64) *content {
	return &content{chunks: new(btree.Map[int64, *chunk]), base: base}
}

// find returns the chunk, nil if there is none yet.
func (n *inode) find(g *gen, idx int64) *chunk {
	k := n.file
	if k.last != nil && k.lastIdx == idx && n.gen == g {
		return k.last
	}
	c, _ := k.chunks.Get(idx)
	if c != nil && n.gen == g {
		k.last, k.lastIdx = c, idx
	}
	return c
}

func (k *content) set(idx int64, c *chunk) {
	k.chunks.Set(idx, c)
	k.last, k.lastIdx = c, idx
}

// readable returns the chunk for reading, loading it from the base if that is
// where it is; nil is a hole.
func (f *FS) readable(n *inode, idx int64) (*chunk, errno.Errno) {
	c := n.find(f.gen, idx)
	if c != nil || idx<<chunkBits >= n.file.base {
		return c, errno.OK
	}
	n = f.mut(n.ino)
	if e := f.loadExtent(n, idx); e != errno.OK {
		return nil, e
	}
	return n.find(f.gen, idx), errno.OK
}

// loadExtent learns the stretch of the base that holds the chunk idx and cuts
// it into chunks, where there are none yet.
//
// Preconditions: n may be changed; idx is below n.file.base.
func (f *FS) loadExtent(n *inode, idx int64) errno.Errno {
	off, p, e := f.extent(n.base, idx<<chunkBits)
	if e != errno.OK {
		return e
	}
	p = p[:min(int64(len(p)), n.file.base-off)]
	slab := make([]chunk, (len(p)+chunkSize-1)/chunkSize)
	for i := range slab {
		at := off>>chunkBits + int64(i)
		if _, there := n.file.chunks.Get(at); there {
			continue
		}
		end := min((i+1)*chunkSize, len(p))
		slab[i].data = p[i*chunkSize : end : end]
		n.file.chunks.Set(at, &slab[i])
	}
	return errno.OK
}

// extent returns a stretch of an origin with the chunk at off, from memory if
// it was asked before, and where it begins.
func (f *FS) extent(o *origin, off int64) (int64, []byte, errno.Errno) {
	m, _ := f.memos.Get(o.tree())
	if p := m.extents.from(off); p != nil {
		return off, p, errno.OK
	}
	start, n := m.extents.missing(off, o.info.Size)
	p, e := f.askRead(o, start, n)
	return start, p, e
}

// writable returns the chunk ready to take n bytes at o.
//
// Preconditions: node may be changed; 0 < o+n <= chunkSize.
func (f *FS) writable(node *inode, idx int64, o, n int) (*chunk, errno.Errno) {
	c := node.find(f.gen, idx)
	if c == nil {
		if left := node.file.base - idx<<chunkBits; left > 0 && (o > 0 || int64(n) < min(left, chunkSize)) {
			if e := f.loadExtent(node, idx); e != errno.OK {
				return nil, e
			}
			c = node.find(f.gen, idx)
		}
	}
	switch {
	case c == nil:
		c = f.newChunk(node, idx, o, n)
	case c.gen != f.gen:
		old := c.data
		c = f.newChunk(node, idx, 0, max(len(old), o+n))
		copy(c.data, old)
	case len(c.data) < o+n:
		c.grow(o, o+n)
	}
	return c, errno.OK
}

// newChunk adds a chunk of length o+n. One that is being filled from its
// start, and is not the first, belongs to a file of some size and gets its
// whole room at once.
func (f *FS) newChunk(node *inode, idx int64, o, n int) *chunk {
	room := roomFor(o + n)
	if idx > 0 && o == 0 && n >= 1024 {
		room = chunkSize
	}
	c := &chunk{gen: f.gen, data: make([]byte, o+n, room)}
	node.file.set(idx, c)
	return c
}

// roomFor rounds up to a power of two from 64 to chunkSize.
func roomFor(n int) int {
	room := 64
	for room < n {
		room *= 2
	}
	return room
}

// grow makes the chunk end bytes long, for a write at o. The bytes between
// the old end and o become zero; what is beyond may hold what a truncation
// left, and is about to be written.
func (c *chunk) grow(o, end int) {
	old := len(c.data)
	if end > cap(c.data) {
		room := make([]byte, end, roomFor(end))
		copy(room, c.data)
		c.data = room
		return
	}
	c.data = c.data[:end]
	if o > old {
		clear(c.data[old:o])
	}
}

// cut drops every byte from size on.
//
// Preconditions: the inode may be changed.
func (k *content) cut(size int64) {
	k.last = nil
	k.base = min(k.base, size)
	first := (size + chunkSize - 1) >> chunkBits
	if first == 0 {
		k.chunks = new(btree.Map[int64, *chunk])
		return
	}
	var beyond []int64
	k.chunks.Ascend(first, func(idx int64, _ *chunk) bool {
		beyond = append(beyond, idx)
		return true
	})
	for _, idx := range beyond {
		k.chunks.Delete(idx)
	}
	idx, o := size>>chunkBits, int(size&(chunkSize-1))
	if c, ok := k.chunks.Get(idx); ok && o > 0 && len(c.data) > o {
		k.chunks.Set(idx, &chunk{gen: c.gen, data: c.data[:o]})
	}
}
