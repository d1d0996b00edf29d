package vfs

import "github.com/seed48025506/belljar/internal/errno"

// RenameAt moves a name, over what is at the new one: a file over a file or
// symlink, a directory over an empty directory. Two names of one file are
// left as they are. It works across mounts, because to a guest they are one
// device.
func (f *FS) RenameAt(oldAt Ino, oldPath string, newAt Ino, newPath string) errno.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, e := f.resolve(oldAt, oldPath, refuse)
	if e != errno.OK {
		return e
	}
	to, e := f.resolve(newAt, newPath, refuse)
	switch {
	case e != errno.OK:
		return e
	case from.node == nil:
		return errno.ENOENT
	case from.dir == nil || to.dir == nil:
		return errno.EINVAL // "." or ".."
	}
	if e := f.mayMove(from, to); e != errno.OK {
		return e
	}
	if to.node != nil && to.node.ino == from.node.ino {
		return errno.OK
	}
	if to.node != nil {
		if e := f.mayReplace(from, to); e != errno.OK {
			return e
		}
	}
	f.move(from, to)
	return errno.OK
}

// mayMove checks all but what is at the new name.
func (f *FS) mayMove(from, to place) errno.Errno {
	isDir := from.node.typ == TypeDir
	switch {
	case from.dir.mnt.readOnly || to.dir.mnt.readOnly:
		return errno.EROFS
	case to.dir.nlink == 0:
		return errno.ENOENT
	case !isDir:
		if to.slash && to.node == nil {
			return errno.ENOTDIR
		}
		return errno.OK
	case from.node.dir.preset:
		return errno.EBUSY
	case f.within(to.dir, from.node.ino):
		return errno.EINVAL
	}
	return errno.OK
}

// within reports whether d is the directory top or below it.
func (f *FS) within(d *inode, top Ino) bool {
	for d != nil {
		if d.ino == top {
			return true
		}
		if d.ino == f.root {
			return false
		}
		d = f.get(d.dir.parent)
	}
	return false
}

// mayReplace checks that what is at the new name can give way.
func (f *FS) mayReplace(from, to place) errno.Errno {
	fromDir, toDir := from.node.typ == TypeDir, to.node.typ == TypeDir
	switch {
	case fromDir && !toDir:
		return errno.ENOTDIR
	case !fromDir && toDir:
		return errno.EISDIR
	case toDir:
		return f.mayRemoveDir(to)
	}
	return errno.OK
}

// move does what has been checked.
func (f *FS) move(from, to place) {
	if to.node != nil {
		f.unlinked(to.node.ino)
	}
	n := f.mut(from.node.ino)
	n.ctim = f.cfg.Now()
	f.changedDir(from.dir.ino).dir.drop(from.name)
	f.enter(to, n)
	if n.typ == TypeDir {
		n.dir.parent = to.dir.ino
	}
}
