package vfs

import (
	"io/fs"

	"github.com/tidwall/btree"
)

// gen is a generation: the identity of one FS between two clonings. It has a
// size, so that two of them never share an address.
type gen struct{ _ byte }

// inode is a file, directory or symlink. It may be changed only by the FS
// whose generation it carries; FS.mut copies it otherwise.
type inode struct {
	gen              *gen
	ino              Ino
	typ              Type
	mode             fs.FileMode
	nlink            uint64
	size             int64
	atim, mtim, ctim int64

	mnt    *mount  // where it was born: read-only or not
	base   *origin // nil: it has none
	dir    *directory
	file   *content
	target string // symlink; "" until read from its base
}

// origin is the place of an inode in a base. It is never changed.
type origin struct {
	mnt  *mount
	path string // in the base, slash-separated, "." for its root
	info Info
}

// tree returns the path that the origin had in the tree before the run.
func (o *origin) tree() string { return o.mnt.tree(o.path) }

// directory is the part of an inode that only directories have.
type directory struct {
	parent   Ino
	nameLen  int // of its own name, in bytes
	names    *btree.Map[string, dirent]
	order    *btree.Map[uint64, string] // live entries only, by seq
	nextSeq  uint64
	complete bool // the base has been listed, or there is none
	unstated bool // a mount's root whose attributes are still to be asked
	preset   bool // made by Mount: there before the run, and busy
}

// dirent is what a directory knows of one name. Four states:
//
//	ino  had  based
//	0    no   no     the base has no such name (kept, so as to ask once)
//	0    yes  no     the base's entry was removed
//	n    yes  yes    the base's entry
//	n    any  no     made or moved here; had: it hides one of the base
type dirent struct {
	ino   Ino
	seq   uint64
	typ   Type
	had   bool
	based bool
}

func newDirectory(parent Ino, name string) *directory {
	return &directory{
		parent: parent, nameLen: len(name), complete: true,
		names: new(btree.Map[string, dirent]), order: new(btree.Map[uint64, string]),
	}
}

// put sets a live entry. A name that is live already keeps its place in the
// order, so a rename over it does not show twice in a running readdir.
func (d *directory) put(name string, e dirent) {
	old, _ := d.names.Get(name)
	if e.seq = old.seq; old.ino == 0 {
		d.nextSeq++
		e.seq = d.nextSeq
	}
	e.had = e.had || old.had
	d.names.Set(name, e)
	d.order.Set(e.seq, name)
}

// drop removes a live entry. A marker stays where the base would otherwise be
// asked again.
func (d *directory) drop(name string) {
	old, ok := d.names.Get(name)
	if !ok {
		return
	}
	d.order.Delete(old.seq)
	if old.had || !d.complete {
		d.names.Set(name, dirent{had: old.had})
		return
	}
	d.names.Delete(name)
}

// fork returns a map that shares everything with m. It only reads m, which
// Copy of the library would not: two clones may fork the same map at once.
// It is right only if m itself is never changed again.
func fork[K interface{ ~string | ~int64 | ~uint64 }, V any](m *btree.Map[K, V]) *btree.Map[K, V] {
	v := *m
	return v.Copy()
}

// copyFor returns n as an inode that g may change, in O(1).
func (n *inode) copyFor(g *gen) *inode {
	c := *n
	c.gen = g
	if n.dir != nil {
		d := *n.dir
		d.names, d.order = fork(d.names), fork(d.order)
		c.dir = &d
	}
	if n.file != nil {
		k := *n.file
		k.chunks, k.last = fork(k.chunks), nil
		c.file = &k
	}
	return &c
}

// stat returns what filestat shows.
func (n *inode) stat() Stat {
	return Stat{
		Dev: 1, Ino: n.ino, Type: n.typ, Mode: n.mode, Nlink: n.nlink, Size: uint64(n.size),
		Atim: n.atim, Mtim: n.mtim, Ctim: n.ctim,
	}
}

// touch sets mtime and ctime.
func (n *inode) touch(now int64) { n.mtim, n.ctim = now, now }
