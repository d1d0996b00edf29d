package vfs

import (
	"io/fs"

	"github.com/seed48025506/belljar/internal/errno"
)

// OpenAt opens the file or directory at path, seen from the directory at, and
// creates a file if flags say so. Paths are relative to at and cannot leave
// it (EPERM). A symlink that is not followed is ELOOP. perm is for a file that
// is created.
func (f *FS) OpenAt(at Ino, path string, flags OpenFlags, perm fs.FileMode) (*File, errno.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	create := flags&OpenCreate != 0
	l := keep
	if flags&OpenFollow != 0 && !(create && flags&OpenExcl != 0) {
		l = chase
	}
	p, e := f.resolve(at, path, l)
	if e != errno.OK {
		return nil, e
	}
	if p.node == nil {
		if !create {
			return nil, errno.ENOENT
		}
		return f.create(p, flags, perm)
	}
	n, e := f.sized(p.node, flags)
	if e != errno.OK {
		return nil, e
	}
	return f.openNode(n, flags)
}

// create makes the file that OpenAt did not find.
func (f *FS) create(p place, flags OpenFlags, perm fs.FileMode) (*File, errno.Errno) {
	switch {
	case p.slash:
		return nil, errno.EISDIR
	case flags&OpenDirectory != 0:
		return nil, errno.EINVAL
	}
	n, e := f.add(p, TypeFile, perm)
	if e != errno.OK {
		return nil, e
	}
	n.file = newContent(0)
	return f.handle(n), errno.OK
}

// openNode opens what OpenAt found.
func (f *FS) openNode(n *inode, flags OpenFlags) (*File, errno.Errno) {
	changes := flags&(OpenWrite|OpenTrunc) != 0
	switch {
	case flags&OpenCreate != 0 && flags&OpenExcl != 0:
		return nil, errno.EEXIST
	case n.typ == TypeSymlink:
		return nil, errno.ELOOP
	case n.typ == TypeDir:
		if changes || flags&OpenCreate != 0 && flags&OpenDirectory == 0 {
			return nil, errno.EISDIR
		}
		return f.handle(n), errno.OK
	case flags&OpenDirectory != 0:
		return nil, errno.ENOTDIR
	case n.typ != TypeFile:
		return nil, errno.ENXIO
	case changes && n.mnt.readOnly:
		return nil, errno.EROFS
	}
	if flags&OpenTrunc != 0 {
		n = f.mut(n.ino)
		if e := f.truncate(n, 0); e != errno.OK {
			return nil, e
		}
	}
	return f.handle(n), errno.OK
}

// StatAt returns the attributes of what is at path.
func (f *FS) StatAt(at Ino, path string, how How) (Stat, errno.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, e := f.existing(at, path, how.last())
	if e != errno.OK {
		return Stat{}, e
	}
	if n, e = f.stated(n); e != errno.OK {
		return Stat{}, e
	}
	return n.stat(), errno.OK
}

// existing resolves a path to something that is there.
func (f *FS) existing(at Ino, path string, l last) (*inode, errno.Errno) {
	p, e := f.resolve(at, path, l)
	if e == errno.OK && p.node == nil {
		e = errno.ENOENT
	}
	return p.node, e
}

// SetTimesAt sets access and modification time, in nanoseconds since the
// epoch; nil leaves one as it is.
func (f *FS) SetTimesAt(at Ino, path string, how How, atim, mtim *int64) errno.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, e := f.existing(at, path, how.last())
	if e != errno.OK {
		return e
	}
	return f.setTimes(n, atim, mtim)
}

// ReadlinkAt returns the target of the symlink at path; EINVAL if it is none.
func (f *FS) ReadlinkAt(at Ino, path string) (string, errno.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, e := f.existing(at, path, keep)
	if e != errno.OK {
		return "", e
	}
	if n.typ != TypeSymlink {
		return "", errno.EINVAL
	}
	return f.readlink(n)
}
