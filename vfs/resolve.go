package vfs

import (
	"strings"

	"github.com/seed48025506/belljar/internal/errno"
)

// place is where a path leads: a name in a directory, and what has that name.
type place struct {
	dir   *inode // nil where the path ends in "." or ".." or is the start itself
	name  string
	node  *inode // nil: nothing has that name
	slash bool   // the path ended in a slash
}

// last says what to do about a symlink in the last component.
type last uint8

const (
	keep   last = iota // it is the place, unless a slash follows
	chase              // follow it
	refuse             // it is the place; with a slash after it, ENOTDIR
)

func (how How) last() last {
	if how&Follow != 0 {
		return chase
	}
	return keep
}

// walk is one resolution. It never leaves start: not by "..", not by a
// symlink that is absolute, unless start is the root of the whole tree.
type walk struct {
	f     *FS
	start *inode
	cur   *inode
	rest  string
	links int
	last  last
}

// resolve finds the place that path has, seen from the directory at. A path
// whose last component does not exist is a place without a node.
func (f *FS) resolve(at Ino, path string, l last) (place, errno.Errno) {
	start := f.get(at)
	switch {
	case start == nil:
		return place{}, errno.EBADF
	case start.typ != TypeDir:
		return place{}, errno.ENOTDIR
	case path == "":
		return place{}, errno.ENOENT
	case len(path) > maxPath:
		return place{}, errno.ENAMETOOLONG
	case strings.IndexByte(path, 0) >= 0:
		return place{}, errno.EINVAL
	case path[0] == '/':
		return place{}, errno.EPERM
	}
	w := walk{f: f, start: start, cur: start, rest: path, last: l}
	for {
		p, done, e := w.step()
		if done || e != errno.OK {
			return p, e
		}
	}
}

// step takes one component off the path.
func (w *walk) step() (place, bool, errno.Errno) {
	name, rest, slash := strings.Cut(w.rest, "/")
	rest = strings.TrimLeft(rest, "/")
	final := rest == ""
	w.rest = rest
	switch {
	case len(name) > maxName:
		return place{}, false, errno.ENAMETOOLONG
	case name == "" || name == ".":
		return place{name: ".", node: w.cur, slash: slash}, final, errno.OK
	case name == "..":
		if w.cur.ino == w.start.ino || w.cur.ino == w.f.root {
			return place{}, false, errno.EPERM
		}
		if w.cur = w.f.get(w.cur.dir.parent); w.cur == nil {
			return place{}, false, errno.ENOENT
		}
		return place{name: "..", node: w.cur, slash: slash}, final, errno.OK
	}
	dir := w.cur.ino
	node, e := w.child(name)
	if e == errno.ENOENT && final {
		return place{dir: w.f.get(dir), name: name, slash: slash}, true, errno.OK
	}
	if e != errno.OK {
		return place{}, false, e
	}
	return w.arrive(dir, name, node, final, slash)
}

func (w *walk) child(name string) (*inode, errno.Errno) {
	e, no := w.f.lookup(w.cur.ino, name)
	if no != errno.OK {
		return nil, no
	}
	return w.f.load(w.cur.ino, name, e)
}

// arrive decides what a component that exists is for: the end, a directory to
// go on from, or a symlink to follow.
func (w *walk) arrive(dir Ino, name string, node *inode, final, slash bool) (place, bool, errno.Errno) {
	if node.typ == TypeSymlink && (!final || w.last == chase || w.last == keep && slash) {
		return place{}, false, w.follow(node, slash)
	}
	if node.typ != TypeDir && slash {
		return place{}, false, errno.ENOTDIR
	}
	w.cur = node
	return place{dir: w.f.get(dir), name: name, node: node, slash: slash}, final, errno.OK
}

// follow puts the target of a symlink in front of the rest of the path.
func (w *walk) follow(link *inode, slash bool) errno.Errno {
	if w.links++; w.links > maxLinks {
		return errno.ELOOP
	}
	target, e := w.f.readlink(link)
	switch {
	case e != errno.OK:
		return e
	case target == "":
		return errno.ENOENT
	case strings.IndexByte(target, 0) >= 0:
		return errno.EINVAL
	}
	if target[0] == '/' {
		if w.start.ino != w.f.root {
			return errno.EPERM
		}
		w.cur = w.f.get(w.f.root)
		target = strings.TrimLeft(target, "/")
	}
	if slash {
		target += "/" + w.rest
	}
	w.rest = target
	return errno.OK
}

// nameOK reports whether a directory can hold the name.
func nameOK(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= maxName && !strings.ContainsAny(name, "/\x00")
}

// pathLen is the length of a directory's path from the root, with a slash at
// its end. Paths are bounded because comparing and reporting a tree spells
// them all out: without a bound a chain of directories, each made below the
// last, would cost the square of its length.
func (f *FS) pathLen(d *inode) int {
	n := 0
	for d != nil && d.ino != f.root {
		n += d.dir.nameLen + 1
		d = f.get(d.dir.parent)
	}
	return n
}
