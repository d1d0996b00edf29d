package vfs

import (
	"io/fs"
	"strings"

	"github.com/seed48025506/belljar/internal/errno"
)

// add makes an inode at a place where nothing is.
func (f *FS) add(p place, t Type, perm fs.FileMode) (*inode, errno.Errno) {
	if e := f.mayAdd(p); e != errno.OK {
		return nil, e
	}
	n := f.newInode(t, perm, p.dir.mnt)
	f.enter(p, n)
	return n, errno.OK
}

// mayAdd checks that a name can be made at p.
func (f *FS) mayAdd(p place) errno.Errno {
	switch {
	case p.node != nil:
		return errno.EEXIST
	case p.dir.nlink == 0:
		return errno.ENOENT // the directory itself was removed
	case p.dir.mnt.readOnly:
		return errno.EROFS
	case f.pathLen(p.dir)+len(p.name) > maxPath:
		return errno.ENAMETOOLONG
	}
	return errno.OK
}

// enter puts n into its directory under the name of p.
func (f *FS) enter(p place, n *inode) {
	d := f.changedDir(p.dir.ino)
	d.dir.put(p.name, dirent{ino: n.ino, typ: n.typ})
}

// changedDir returns a directory whose names are about to change.
func (f *FS) changedDir(i Ino) *inode {
	d := f.mut(i)
	if d.dir.unstated {
		// The times are ours from now on; a base that cannot tell its mode
		// has already been reported.
		d, _ = f.stated(d)
	}
	d.touch(f.cfg.Now())
	return d
}

// MkdirAt makes a directory.
func (f *FS) MkdirAt(at Ino, path string, perm fs.FileMode) errno.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, e := f.resolve(at, path, refuse)
	if e == errno.ENOTDIR && strings.HasSuffix(path, "/") {
		// "mkdir name/" where name is a file: the name is taken.
		if _, e2 := f.existing(at, strings.TrimRight(path, "/"), refuse); e2 == errno.OK {
			e = errno.EEXIST
		}
	}
	if e != errno.OK {
		return e
	}
	n, e := f.add(p, TypeDir, perm)
	if e == errno.OK {
		n.dir = newDirectory(p.dir.ino, p.name)
	}
	return e
}

// SymlinkAt makes a symlink. The target may be any bytes but NUL; whether it
// leads out is found when it is followed.
func (f *FS) SymlinkAt(target string, at Ino, path string) errno.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case target == "":
		return errno.ENOENT
	case strings.IndexByte(target, 0) >= 0:
		return errno.EINVAL
	case len(target) > maxPath:
		return errno.ENAMETOOLONG
	}
	p, e := f.resolve(at, path, refuse)
	if e != errno.OK {
		return e
	}
	if p.node == nil && p.slash {
		return errno.ENOENT
	}
	n, e := f.add(p, TypeSymlink, 0o777)
	if e == errno.OK {
		n.target, n.size = target, int64(len(target))
	}
	return e
}

// LinkAt gives a file or symlink a second name. Directories cannot have one
// (EPERM).
func (f *FS) LinkAt(oldAt Ino, oldPath string, how How, newAt Ino, newPath string) errno.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, e := f.existing(oldAt, oldPath, how.last())
	if e != errno.OK {
		return e
	}
	p, e := f.resolve(newAt, newPath, refuse)
	switch {
	case e != errno.OK:
		return e
	case p.node != nil:
		return errno.EEXIST
	case n.typ == TypeDir:
		return errno.EPERM
	case p.slash:
		return errno.ENOENT
	case n.mnt.readOnly:
		return errno.EROFS
	}
	if e := f.mayAdd(p); e != errno.OK {
		return e
	}
	n = f.mut(n.ino)
	n.nlink++
	n.ctim = f.cfg.Now()
	f.enter(p, n)
	return errno.OK
}
