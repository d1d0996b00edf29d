package vfs

import (
	"cmp"
	"io/fs"
	"slices"
)

// ChangeKind says what became of a path.
type ChangeKind uint8

// The kinds of change.
const (
	Added ChangeKind = iota + 1
	Modified
	Deleted
)

// String returns "added", "modified" or "deleted".
func (k ChangeKind) String() string {
	switch k {
	case Added:
		return "added"
	case Modified:
		return "modified"
	case Deleted:
		return "deleted"
	}
	return "unknown"
}

// Side is a path before or after. Content is for files (Type TypeFile) only;
// symlinks have Target. Content may be called at any later time; it is an
// error for a file over 1 GiB, for a base that changed, and, in a replay, for
// bytes of the base that the run never read (ErrAbsent).
type Side struct {
	Type    Type
	Mode    fs.FileMode // permission bits
	Size    int64
	Target  string
	Content func() ([]byte, error)
}

// Change is one path that differs from the base. Before is nil for Added,
// After for Deleted. A path whose type changed (file -> symlink) is Modified
// with both sides.
type Change struct {
	Path   string // slash-separated, relative to the root, no leading slash
	Kind   ChangeKind
	Before *Side
	After  *Side
}

// Changes lists, sorted by path bytes, what differs from the bases:
// directories included; a deleted directory is listed with all it held;
// identical rewrites are left out; times do not count. Reads of a base made
// only to compare do not go on the tape (they bypass the deck). Where a replay
// cannot compare, because the run never read what it overwrote, the path is
// listed as Modified; where it cannot list a directory that was moved or
// replaced unread, Changes fails with ErrAbsent.
//
// The result is of one moment: later changes to f do not show in it.
func (f *FS) Changes() ([]Change, error) {
	f.mu.Lock()
	snap := f.clone(Config{}) // never written to, so it needs no lock
	f.mu.Unlock()
	c := comparison{snap: snap}
	if err := c.touched("", snap.get(snap.root)); err != nil {
		return nil, err
	}
	slices.SortFunc(c.out, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return c.out, nil
}

// comparison walks the tree only where the run changed it.
type comparison struct {
	snap *FS
	out  []Change
}

// touched compares a directory that is where it was before the run: its base
// cannot differ in names that nothing was done to.
func (c *comparison) touched(p string, n *inode) error {
	inPlace := n.base != nil && n.base.tree() == p
	var err error
	n.dir.names.Scan(func(name string, e dirent) bool {
		child := join(p, name)
		node := c.snap.get(e.ino)
		if node != nil && node.dir != nil && node.dir.preset {
			err = c.touched(child, node)
			return err == nil
		}
		if e.based && inPlace && node == nil {
			return true // only ever listed
		}
		var before, after *state
		if e.had && inPlace {
			before, err = c.snap.beforeIn(n.base, name)
		}
		if err == nil && e.ino != 0 {
			after, err = c.snap.afterIn(n, name, e)
		}
		if err == nil {
			err = c.pair(child, before, after)
		}
		return err == nil
	})
	return err
}

// pair compares what was at a path with what is. Either may be nil.
func (c *comparison) pair(p string, before, after *state) error {
	switch {
	case before == nil && after == nil:
		return nil
	case before == nil || after == nil || before.typ() != after.typ():
		if err := c.emit(p, before, after); err != nil {
			return err
		}
		return c.children(p, before, after)
	}
	if after.untouched(before) {
		if after.typ() == TypeDir && after.node != nil {
			return c.touched(p, after.node)
		}
		return nil
	}
	same, err := c.snap.same(before, after)
	if err == nil && !same {
		err = c.emit(p, before, after)
	}
	if err != nil {
		return err
	}
	return c.children(p, before, after)
}

// children pairs the names of two directories; either may be none.
func (c *comparison) children(p string, before, after *state) error {
	was, err := c.snap.namesOf(before)
	if err != nil {
		return err
	}
	is, err := c.snap.namesOf(after)
	if err != nil {
		return err
	}
	all := slices.Concat(was, is)
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		b, err := c.snap.childOf(before, name)
		if err != nil {
			return err
		}
		a, err := c.snap.childOf(after, name)
		if err != nil {
			return err
		}
		if err := c.pair(join(p, name), b, a); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) emit(p string, before, after *state) error {
	ch := Change{Path: p, Kind: Modified}
	var err error
	if before != nil {
		if ch.Before, err = c.snap.side(before); err != nil {
			return err
		}
	} else {
		ch.Kind = Added
	}
	if after != nil {
		if ch.After, err = c.snap.side(after); err != nil {
			return err
		}
	} else {
		ch.Kind = Deleted
	}
	c.out = append(c.out, ch)
	return nil
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
