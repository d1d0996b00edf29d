package vfs

import "github.com/seed48025506/belljar/internal/errno"

// File is an open file or directory. It keeps its inode alive when the last
// name of it is removed, until Close. It has no offset and no rights: those
// belong to the descriptor that a guest holds. Methods on a closed File give
// EBADF.
type File struct {
	fs     *FS
	ino    Ino
	typ    Type
	node   *inode // as last seen; good while it is of the FS's generation
	closed bool
}

// handle opens an inode.
func (f *FS) handle(n *inode) *File {
	f.open[n.ino]++
	return &File{fs: f, ino: n.ino, typ: n.typ, node: n}
}

// In opens the same inode in f, a clone of the tree that h is of: EBADF if it
// is not there.
func (h *File) In(f *FS) (*File, errno.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.get(h.ino)
	if n == nil || n.typ != h.typ {
		return nil, errno.EBADF
	}
	return f.handle(n), errno.OK
}

// Ino returns the inode number.
func (h *File) Ino() Ino { return h.ino }

// Type returns what is open: TypeFile or TypeDir.
func (h *File) Type() Type { return h.typ }

// Stat returns the attributes.
func (h *File) Stat() (Stat, errno.Errno) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	n, e := h.seen()
	if e != errno.OK {
		return Stat{}, e
	}
	n, e = h.fs.stated(n)
	return n.stat(), e
}

// seen returns the inode for reading. An inode of the FS's own generation
// cannot have been replaced in the table, so it is not looked up again.
//
// Preconditions: the FS is locked, as for every unexported method here.
func (h *File) seen() (*inode, errno.Errno) {
	switch {
	case h.closed:
		return nil, errno.EBADF
	case h.node.gen == h.fs.gen:
		return h.node, errno.OK
	}
	h.node = h.fs.get(h.ino)
	return h.node, errno.OK
}

// bytes returns the inode of a file for reading.
func (h *File) bytes() (*inode, errno.Errno) {
	n, e := h.seen()
	switch {
	case e != errno.OK:
		return nil, e
	case n.typ == TypeDir:
		return nil, errno.EISDIR
	}
	return n, errno.OK
}

// changing returns the inode of a file for writing.
func (h *File) changing() (*inode, errno.Errno) {
	n, e := h.bytes()
	switch {
	case e != errno.OK:
		return nil, e
	case n.mnt.readOnly:
		return nil, errno.EROFS
	case n.gen != h.fs.gen:
		n = h.fs.mut(h.ino)
		h.node = n
	}
	return n, errno.OK
}

// ReadAt reads up to len(p) bytes from off on. It is short only at the end of
// the file, where it gives 0 and OK. A negative offset is EINVAL, a base that
// fails EIO.
func (h *File) ReadAt(p []byte, off int64) (int, errno.Errno) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	n, e := h.bytes()
	if e != errno.OK {
		return 0, e
	}
	return h.fs.readNode(n, p, off)
}

// WriteAt writes p at off, making the file longer if need be; what lies
// between the old end and off reads as zeros. Beyond MaxSize it is EFBIG and
// nothing is written.
func (h *File) WriteAt(p []byte, off int64) (int, errno.Errno) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	n, e := h.changing()
	if e != errno.OK {
		return 0, e
	}
	return h.fs.writeNode(n, p, off)
}

// Append writes p at the end. end is the offset after the write.
func (h *File) Append(p []byte) (n int, end int64, e errno.Errno) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	node, e := h.changing()
	if e != errno.OK {
		return 0, 0, e
	}
	n, e = h.fs.writeNode(node, p, node.size)
	return n, node.size, e
}

// Truncate sets the size; what is added reads as zeros and takes no memory.
func (h *File) Truncate(size int64) errno.Errno {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	n, e := h.changing()
	if e != errno.OK {
		return e
	}
	return h.fs.truncate(n, size)
}

// Allocate makes the file at least off+n bytes long and never shorter
// (posix_fallocate). n must be positive.
func (h *File) Allocate(off, n int64) errno.Errno {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	node, e := h.changing()
	switch {
	case e != errno.OK:
		return e
	case off < 0 || n <= 0:
		return errno.EINVAL
	case off > MaxSize-min(n, MaxSize) || n > MaxSize:
		return errno.EFBIG
	case off+n <= node.size:
		return errno.OK
	}
	return h.fs.truncate(node, off+n)
}

// SetTimes sets access and modification time, in nanoseconds since the epoch;
// nil leaves one as it is.
func (h *File) SetTimes(atim, mtim *int64) errno.Errno {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	n, e := h.seen()
	if e != errno.OK {
		return e
	}
	return h.fs.setTimes(n, atim, mtim)
}

// Sync has nothing to wait for: memory is all there is.
func (h *File) Sync() errno.Errno {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	_, e := h.seen()
	return e
}

// Close lets go of the inode. A second Close is EBADF.
func (h *File) Close() errno.Errno {
	f := h.fs
	f.mu.Lock()
	defer f.mu.Unlock()
	n, e := h.seen()
	if e != errno.OK {
		return e
	}
	h.closed, h.node = true, nil
	if f.open[n.ino]--; f.open[n.ino] == 0 {
		delete(f.open, n.ino)
		f.gone(n)
	}
	return errno.OK
}
