package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// state is one side of a comparison: an inode of the tree, or something of a
// base that the tree has not loaded (or no longer has).
type state struct {
	node   *inode
	origin *origin // of node, or the thing itself; nil: it has none
}

func (s *state) typ() Type {
	if s.node != nil {
		return s.node.typ
	}
	return s.origin.info.Type
}

func (s *state) mode() fs.FileMode {
	if s.node != nil {
		return s.node.mode
	}
	return s.origin.info.Perm
}

func (s *state) size() int64 {
	switch {
	case s.typ() == TypeDir:
		return 0
	case s.node != nil:
		return s.node.size
	}
	return s.origin.info.Size
}

// untouched reports whether s is before itself, with nothing done to its
// bytes. (What is in a directory is another question.)
func (s *state) untouched(before *state) bool {
	if s.origin == nil || s.origin.tree() != before.origin.tree() {
		return false
	}
	return s.node == nil || s.node.file == nil || !s.node.file.dirty
}

// beforeIn returns what a base's directory had under a name, nil if nothing.
func (f *FS) beforeIn(dir *origin, name string) (*state, error) {
	o := &origin{mnt: dir.mnt, path: path.Join(dir.path, name)}
	if m, ok := f.memos.Get(o.tree()); ok && m.stat != nil {
		o.info = *m.stat
		return &state{origin: o}, nil
	}
	info, err := dir.mnt.base.Lstat(o.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, compareError(o, err)
	}
	o.info = info
	return &state{origin: o}, nil
}

func compareError(o *origin, err error) error {
	return fmt.Errorf("vfs: compare with the base of /%s: %w", o.tree(), named(err, o.tree()))
}

// afterIn returns what a directory of the tree has under a live name.
func (f *FS) afterIn(dir *inode, name string, e dirent) (*state, error) {
	if n := f.get(e.ino); n != nil {
		return &state{node: n, origin: n.base}, nil
	}
	return f.beforeIn(dir.base, name)
}

// childOf returns what the directory s has under a name, nil if nothing.
func (f *FS) childOf(s *state, name string) (*state, error) {
	switch {
	case s == nil || s.typ() != TypeDir:
		return nil, nil
	case s.node == nil:
		return f.beforeIn(s.origin, name)
	}
	if e, known := s.node.dir.names.Get(name); known {
		if e.ino == 0 {
			return nil, nil
		}
		return f.afterIn(s.node, name, e)
	}
	if s.node.dir.complete {
		return nil, nil
	}
	return f.beforeIn(s.origin, name)
}

// namesOf returns the names in s, none if it is no directory.
func (f *FS) namesOf(s *state) ([]string, error) {
	if s == nil || s.typ() != TypeDir {
		return nil, nil
	}
	var names []string
	if s.node != nil {
		s.node.dir.names.Scan(func(name string, e dirent) bool {
			if e.ino != 0 {
				names = append(names, name)
			}
			return true
		})
		if s.node.dir.complete {
			return names, nil
		}
	}
	list, err := f.listBase(s.origin)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names, nil
}

func (f *FS) listBase(o *origin) ([]Entry, error) {
	if m, ok := f.memos.Get(o.tree()); ok && m.listed {
		return m.list, nil
	}
	list, err := o.mnt.base.ReadDir(o.path)
	if err != nil {
		return nil, compareError(o, err)
	}
	return slices.DeleteFunc(list, func(e Entry) bool { return !nameOK(e.Name) }), nil
}

// side makes the exported form.
func (f *FS) side(s *state) (*Side, error) {
	out := &Side{Type: s.typ(), Mode: s.mode(), Size: s.size()}
	switch out.Type {
	case TypeSymlink:
		target, err := f.targetOf(s)
		out.Target = target
		return out, err
	case TypeFile:
		out.Content = func() ([]byte, error) { return f.contentOf(s) }
	}
	return out, nil
}

func (f *FS) targetOf(s *state) (string, error) {
	if s.node != nil && (s.node.target != "" || s.origin == nil) {
		return s.node.target, nil
	}
	if m, ok := f.memos.Get(s.origin.tree()); ok && m.target != "" {
		return m.target, nil
	}
	target, err := s.origin.mnt.base.ReadLink(s.origin.path)
	if err != nil {
		return "", compareError(s.origin, err)
	}
	return target, nil
}

// same reports whether two states of one type are equal but for what
// directories hold.
func (f *FS) same(a, b *state) (bool, error) {
	switch a.typ() {
	case TypeSymlink:
		x, err := f.targetOf(a)
		if errors.Is(err, ErrAbsent) {
			return false, nil
		}
		y, err2 := f.targetOf(b)
		return x == y, errors.Join(err, err2)
	case TypeFile:
		if a.mode() != b.mode() || a.size() != b.size() {
			return false, nil
		}
		same, err := f.sameBytes(a, b)
		if errors.Is(err, ErrAbsent) {
			return false, nil
		}
		return same, err
	}
	return a.mode() == b.mode(), nil
}
