package vfs

import (
	"path"

	"github.com/seed48025506/belljar/internal/errno"
)

// lookup finds a name in a directory. The first time a name is asked of a
// base, the answer is kept, a negative one too.
//
// Preconditions: dir is a directory; name is neither "." nor "..".
func (f *FS) lookup(dir Ino, name string) (dirent, errno.Errno) {
	d := f.get(dir)
	if e, known := d.dir.names.Get(name); known {
		if e.ino == 0 {
			return e, errno.ENOENT
		}
		return e, errno.OK
	}
	if d.dir.complete {
		return dirent{}, errno.ENOENT
	}
	p := path.Join(d.base.path, name)
	info, e := f.askStat(d.base.mnt, p)
	if e == errno.ENOTDIR {
		e = errno.ENOENT
	}
	switch e {
	case errno.OK:
	case errno.ENOENT:
		f.mut(dir).dir.names.Set(name, dirent{})
		return dirent{}, e
	default:
		return dirent{}, e
	}
	ent := dirent{ino: f.newIno(), typ: info.Type, had: true, based: true}
	f.fromBase(d, ent.ino, p, info)
	f.mut(dir).dir.put(name, ent)
	return ent, errno.OK
}

// load returns the inode of an entry. An entry that is known from a listing
// only gets its attributes now.
func (f *FS) load(dir Ino, name string, e dirent) (*inode, errno.Errno) {
	if n := f.get(e.ino); n != nil {
		return n, errno.OK
	}
	d := f.get(dir)
	p := path.Join(d.base.path, name)
	info, no := f.askStat(d.base.mnt, p)
	if no == errno.ENOENT || no == errno.OK && info.Type != e.typ {
		return nil, f.fault(&BaseChangedError{Path: d.base.mnt.tree(p)})
	}
	if no != errno.OK {
		return nil, no
	}
	return f.fromBase(d, e.ino, p, info), errno.OK
}

// fromBase adds the inode for one name of a base. Link counts of a base are
// not kept: whether two of its names are one file is not asked.
func (f *FS) fromBase(dir *inode, i Ino, p string, info Info) *inode {
	n := &inode{
		gen: f.gen, ino: i, typ: info.Type, mode: info.Perm, nlink: 1, mnt: dir.mnt,
		atim: info.Mtime, mtim: info.Mtime, ctim: info.Mtime,
		base: &origin{mnt: dir.base.mnt, path: p, info: info},
	}
	switch info.Type {
	case TypeFile:
		n.size, n.file = info.Size, newContent(info.Size)
	case TypeSymlink:
		n.size = info.Size
	case TypeDir:
		n.dir = newDirectory(dir.ino, path.Base(p))
		n.dir.complete = false
	}
	f.inodes.Set(i, n)
	return n
}

// complete makes every name of a directory known.
func (f *FS) complete(dir Ino) errno.Errno {
	d := f.get(dir)
	if d.dir.complete {
		return errno.OK
	}
	list, e := f.askList(d.base.mnt, d.base.path)
	if e != errno.OK {
		return e
	}
	d = f.mut(dir)
	for _, entry := range list {
		old, known := d.dir.names.Get(entry.Name)
		if known && old.ino == 0 && !old.had {
			// Asked before, it was not there.
			return f.fault(&BaseChangedError{Path: d.base.mnt.tree(path.Join(d.base.path, entry.Name))})
		}
		if !known && nameOK(entry.Name) {
			d.dir.put(entry.Name, dirent{ino: f.newIno(), typ: entry.Type, had: true, based: true})
		}
	}
	d.dir.complete = true
	return errno.OK
}

// stated asks for the attributes of a mount's root, once. It returns n or
// what took its place.
func (f *FS) stated(n *inode) (*inode, errno.Errno) {
	if n.dir == nil || !n.dir.unstated {
		return n, errno.OK
	}
	info, e := f.askStat(n.base.mnt, n.base.path)
	if e != errno.OK {
		return n, e
	}
	n = f.mut(n.ino)
	n.dir.unstated = false
	n.mode, n.atim, n.mtim, n.ctim = info.Perm, info.Mtime, info.Mtime, info.Mtime
	return n, errno.OK
}

// readlink returns the target of a symlink, asking its base once.
func (f *FS) readlink(n *inode) (string, errno.Errno) {
	if n.target != "" || n.base == nil {
		return n.target, errno.OK
	}
	target, e := f.askLink(n.base.mnt, n.base.path)
	if e == errno.OK && target != "" {
		n = f.mut(n.ino)
		n.target, n.size = target, int64(len(target))
	}
	return target, e
}
