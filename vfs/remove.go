package vfs

import "github.com/seed48025506/belljar/internal/errno"

// UnlinkAt removes a name of a file or symlink; a directory is EISDIR. The
// bytes live on until the last name and the last open File are gone.
func (f *FS) UnlinkAt(at Ino, path string) errno.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, e := f.resolve(at, path, refuse)
	switch {
	case e != errno.OK:
		return e
	case p.node == nil:
		return errno.ENOENT
	case p.node.typ == TypeDir:
		return errno.EISDIR
	case p.dir.mnt.readOnly:
		return errno.EROFS
	}
	f.leave(p)
	return errno.OK
}

// RmdirAt removes an empty directory.
func (f *FS) RmdirAt(at Ino, path string) errno.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, e := f.resolve(at, path, refuse)
	switch {
	case e != errno.OK:
		return e
	case p.node == nil:
		return errno.ENOENT
	case p.node.typ != TypeDir:
		return errno.ENOTDIR
	case p.dir == nil && p.name == ".":
		return errno.EINVAL
	case p.dir == nil:
		return errno.ENOTEMPTY
	}
	if e := f.mayRemoveDir(p); e != errno.OK {
		return e
	}
	f.leave(p)
	return errno.OK
}

// mayRemoveDir checks that the directory at p can go.
func (f *FS) mayRemoveDir(p place) errno.Errno {
	switch {
	case p.node.dir.preset:
		return errno.EBUSY
	case p.dir.mnt.readOnly:
		return errno.EROFS
	}
	if p.node.dir.order.Len() > 0 {
		return errno.ENOTEMPTY // no need to list the base to know
	}
	if e := f.complete(p.node.ino); e != errno.OK {
		return e
	}
	if f.get(p.node.ino).dir.order.Len() > 0 {
		return errno.ENOTEMPTY
	}
	return errno.OK
}

// leave takes the name at p away from what has it.
func (f *FS) leave(p place) {
	f.changedDir(p.dir.ino).dir.drop(p.name)
	f.unlinked(p.node.ino)
}

// unlinked counts one name less.
func (f *FS) unlinked(i Ino) {
	n := f.mut(i)
	n.nlink--
	n.ctim = f.cfg.Now()
	f.gone(n)
}
