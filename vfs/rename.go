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
	case f.pathLen(to.dir)+len(to.name) > maxPath:
		return errno.ENAMETOOLONG
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
	return f.fits(from, to)
}

// fits checks that no path becomes too long by the move of a directory.
func (f *FS) fits(from, to place) errno.Errno {
	was, is := f.pathLen(from.dir)+len(from.name), f.pathLen(to.dir)+len(to.name)
	if is > was && is+f.longestBelow(from.node) > maxPath {
		return errno.ENAMETOOLONG
	}
	return errno.OK
}

// longestBelow is the length of the longest path below a directory, as far as
// it is known.
func (f *FS) longestBelow(d *inode) int {
	longest := 0
	d.dir.names.Scan(func(name string, e dirent) bool {
		if e.ino == 0 {
			return true
		}
		n := 1 + len(name)
		if child := f.get(e.ino); child != nil && child.dir != nil {
			n += f.longestBelow(child)
		}
		longest = max(longest, n)
		return true
	})
	return longest
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
		n.dir.parent, n.dir.nameLen = to.dir.ino, len(to.name)
	}
}
