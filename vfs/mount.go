package vfs

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// mount is one base in the tree. It is never changed after Mount, so clones
// share it.
type mount struct {
	guest    string // where, slash-separated from the root, "" for the root
	base     Base   // nil: an empty mount
	readOnly bool
}

// tree joins a path in the base to where the base is mounted.
func (m *mount) tree(p string) string {
	switch {
	case p == ".":
		return m.guest
	case m.guest == "":
		return p
	}
	return m.guest + "/" + p
}

// Mount puts a base at the path guest of the tree ("/work", "work" and
// "/work/" are the same; "/" is the root), making the directories above it. A
// nil Base is an empty directory that starts out as part of the tree before
// the run. Below a read-only mount every change is EROFS. Directories that
// Mount makes cannot be removed or renamed (EBUSY).
//
// Mounting inside a mount that has a base asks that base (on the tape, if
// there is one) whether the directories above exist.
func (f *FS) Mount(guest string, b Base, readOnly bool) error {
	clean := strings.TrimPrefix(path.Clean("/"+guest), "/")
	if strings.IndexByte(clean, 0) >= 0 || len(clean) > maxPath {
		return fmt.Errorf("vfs: mount at %q: not a path of the tree", guest)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := &mount{guest: clean, base: b, readOnly: readOnly}
	if err := f.mountAt(m); err != nil {
		return fmt.Errorf("vfs: mount at %q: %w", guest, err)
	}
	return nil
}

func (f *FS) mountAt(m *mount) error {
	dir := f.get(f.root)
	if m.guest == "" {
		return f.cover(dir, m)
	}
	names := strings.Split(m.guest, "/")
	for i, name := range names {
		if len(name) > maxName {
			return errNameTooLong(name)
		}
		child, err := f.presetDir(dir, name, i == len(names)-1, m)
		if err != nil {
			return err
		}
		dir = child
	}
	return nil
}

// presetDir steps into name of dir for Mount; the last one becomes m.
func (f *FS) presetDir(dir *inode, name string, last bool, m *mount) (*inode, error) {
	e, errn := f.lookup(dir.ino, name)
	if errn == 0 {
		child, errn := f.load(dir.ino, name, e)
		if errn != 0 {
			return nil, errn
		}
		switch {
		case child.typ != TypeDir:
			return nil, &fs.PathError{Op: "mount", Path: name, Err: errNotDir}
		case !last:
			child = f.mut(child.ino)
			child.dir.preset = true
			return child, nil
		case child.base == nil || child.base.path == ".":
			return child, f.cover(child, m)
		}
	} else if errn != errNoEnt {
		return nil, errn
	}
	child := f.newInode(TypeDir, 0o755, dir.mnt)
	child.dir = newDirectory(dir.ino, name)
	child.dir.preset = true
	f.mut(dir.ino).dir.put(name, dirent{ino: child.ino, typ: TypeDir})
	if last {
		return child, f.cover(child, m)
	}
	return child, nil
}

// cover makes the directory n, which has no base, the root of m. What is in
// it stays.
func (f *FS) cover(n *inode, m *mount) error {
	if n.base != nil {
		return fs.ErrExist
	}
	n = f.mut(n.ino)
	n.mnt, n.dir.preset = m, true
	if m.base != nil {
		n.base = &origin{mnt: m, path: ".", info: Info{Type: TypeDir}}
		n.dir.complete, n.dir.unstated = false, true
	}
	return nil
}
