package vfs

import "github.com/seed48025506/belljar/internal/errno"

// readNode reads from a file: a copy for each chunk, zeros for holes.
func (f *FS) readNode(n *inode, p []byte, off int64) (int, errno.Errno) {
	if off < 0 {
		return 0, errno.EINVAL
	}
	if off >= n.size {
		return 0, errno.OK
	}
	p = p[:min(int64(len(p)), n.size-off)]
	done := 0
	for done < len(p) {
		at := off + int64(done)
		o := int(at & (chunkSize - 1))
		c, e := f.readable(n, at>>chunkBits)
		if e != errno.OK {
			return done, e
		}
		if c != nil && n.gen != f.gen {
			n = f.get(n.ino) // loading it made it ours
		}
		end := min(done+chunkSize-o, len(p))
		if c != nil && o < len(c.data) {
			done += copy(p[done:end], c.data[o:])
		}
		clear(p[done:end])
		done = end
	}
	return done, errno.OK
}

// writeNode writes to a file.
//
// Preconditions: n may be changed.
func (f *FS) writeNode(n *inode, p []byte, off int64) (int, errno.Errno) {
	switch {
	case off < 0:
		return 0, errno.EINVAL
	case off > MaxSize-int64(len(p)):
		return 0, errno.EFBIG
	case len(p) == 0:
		return 0, errno.OK
	}
	done := 0
	var e errno.Errno
	for done < len(p) {
		at := off + int64(done)
		o := int(at & (chunkSize - 1))
		k := min(chunkSize-o, len(p)-done)
		var c *chunk
		if c, e = f.writable(n, at>>chunkBits, o, k); e != errno.OK {
			break
		}
		copy(c.data[o:], p[done:done+k])
		done += k
	}
	if done == 0 {
		return 0, e
	}
	n.size = max(n.size, off+int64(done))
	n.file.dirty = true
	n.touch(f.cfg.Now())
	return done, errno.OK
}

// truncate sets the size.
//
// Preconditions: n may be changed.
func (f *FS) truncate(n *inode, size int64) errno.Errno {
	switch {
	case size < 0:
		return errno.EINVAL
	case size > MaxSize:
		return errno.EFBIG
	}
	if size < n.size {
		n.file.cut(size)
	}
	if size != n.size {
		n.size, n.file.dirty = size, true
	}
	n.touch(f.cfg.Now())
	return errno.OK
}

// setTimes sets what is not nil; the change itself is stamped on ctime.
func (f *FS) setTimes(n *inode, atim, mtim *int64) errno.Errno {
	if n.mnt.readOnly {
		return errno.EROFS
	}
	n, e := f.stated(n)
	if e != errno.OK {
		return e
	}
	n = f.mut(n.ino)
	if atim != nil {
		n.atim = *atim
	}
	if mtim != nil {
		n.mtim = *mtim
	}
	n.ctim = f.cfg.Now()
	return errno.OK
}
