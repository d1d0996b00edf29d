package vfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ConflictError names the paths of a host directory that are not as they were
// when the run first saw them.
type ConflictError struct{ Paths []string }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("vfs: apply: %d path(s) changed meanwhile: %s; nothing was written, run again on the tree as it is",
		len(e.Paths), strings.Join(e.Paths, ", "))
}

// stageName begins the name of the folder in which Apply makes things ready.
const stageName = ".belljar-apply-"

// Apply writes changes to a host directory, all of them or none: content is
// made ready in a folder inside it first, then moved into place, and moved
// back if a move fails. It never leaves the directory. Where a path is not as
// the change found it, the error is a *ConflictError and nothing is written.
// Apply is safe against failure, not against another program that writes into
// the same directory at the same moment.
func Apply(dir string, changes []Change) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("vfs: apply: %w", err)
	}
	defer root.Close()
	a := &applier{root: root}
	if err := a.conflicts(changes); err != nil {
		return err
	}
	if err := a.apply(changes); err != nil {
		return fmt.Errorf("vfs: apply: nothing was changed: %w", errors.Join(err, a.undo()))
	}
	return a.root.RemoveAll(a.stage)
}

// applier keeps what it did, to undo it backwards.
type applier struct {
	root  *os.Root
	stage string
	done  []func() error
	saved int
}

// conflicts compares every path with the state before.
func (a *applier) conflicts(changes []Change) error {
	var bad []string
	for _, c := range changes {
		ok, err := a.is(c.Path, c.Before)
		if err != nil {
			return fmt.Errorf("vfs: apply: %s: %w", c.Path, err)
		}
		if !ok {
			bad = append(bad, c.Path)
		}
	}
	if len(bad) > 0 {
		return &ConflictError{Paths: bad}
	}
	return nil
}

// is reports whether a path of the host is what a side says; nil: nothing.
func (a *applier) is(name string, s *Side) (bool, error) {
	st, err := a.root.Lstat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) || err != nil && s == nil {
		return s == nil, nil
	}
	if err != nil {
		return false, err
	}
	if s == nil || typeOf(st.Mode()) != s.Type {
		return false, nil
	}
	switch s.Type {
	case TypeFile:
		return a.sameContent(name, s)
	case TypeSymlink:
		target, err := a.root.Readlink(filepath.FromSlash(name))
		return target == s.Target, err
	}
	return true, nil
}

func (a *applier) sameContent(name string, s *Side) (bool, error) {
	want, err := s.Content()
	if errors.Is(err, ErrBaseChanged) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	got, err := a.root.ReadFile(filepath.FromSlash(name))
	return bytes.Equal(want, got), err
}

// apply stages, then takes away from the deepest path up, then puts from the
// top down.
func (a *applier) apply(changes []Change) error {
	if err := a.makeStage(); err != nil {
		return err
	}
	ready := make([]string, len(changes))
	for i, c := range changes {
		var err error
		if ready[i], err = a.ready(i, c.After); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	for _, c := range slices.Backward(changes) {
		if err := a.take(c); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	for i, c := range changes {
		if err := a.put(c, ready[i]); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return nil
}

// makeStage makes the folder under the first name that is free.
func (a *applier) makeStage() error {
	for i := range 1000 {
		name := fmt.Sprintf("%s%d", stageName, i)
		err := a.root.Mkdir(name, 0o700)
		if err == nil {
			a.stage = name
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%s0 and a thousand more are there; remove them", stageName)
}

// ready writes what will be at a path into the stage.
func (a *applier) ready(i int, s *Side) (string, error) {
	if s == nil || s.Type == TypeDir {
		return "", nil
	}
	name := path.Join(a.stage, fmt.Sprint("new", i))
	if s.Type == TypeSymlink {
		return name, a.root.Symlink(s.Target, name)
	}
	p, err := s.Content()
	if err != nil {
		return "", err
	}
	if err := a.root.WriteFile(name, p, 0o600); err != nil {
		return "", err
	}
	return name, a.root.Chmod(name, s.Mode.Perm())
}

// take moves what was at a path into the stage, unless a directory stays one.
func (a *applier) take(c Change) error {
	if c.Before == nil || c.Before.Type == TypeDir && c.After != nil && c.After.Type == TypeDir {
		return nil
	}
	a.saved++
	old := path.Join(a.stage, fmt.Sprint("old", a.saved))
	return a.move(c.Path, old)
}

func (a *applier) put(c Change, ready string) error {
	switch {
	case c.After == nil:
		return nil
	case c.After.Type != TypeDir:
		return a.move(ready, c.Path)
	case c.Before != nil && c.Before.Type == TypeDir:
		return a.root.Chmod(filepath.FromSlash(c.Path), c.After.Mode.Perm())
	}
	if err := a.root.Mkdir(filepath.FromSlash(c.Path), c.After.Mode.Perm()|0o700); err != nil {
		return err
	}
	a.done = append(a.done, func() error { return a.root.Remove(filepath.FromSlash(c.Path)) })
	return nil
}

func (a *applier) move(from, to string) error {
	from, to = filepath.FromSlash(from), filepath.FromSlash(to)
	if err := a.root.Rename(from, to); err != nil {
		return err
	}
	a.done = append(a.done, func() error { return a.root.Rename(to, from) })
	return nil
}

// undo moves everything back, last things first.
func (a *applier) undo() error {
	var errs []error
	for _, f := range slices.Backward(a.done) {
		errs = append(errs, f())
	}
	if a.stage != "" && errors.Join(errs...) == nil {
		errs = append(errs, a.root.RemoveAll(a.stage))
	}
	return errors.Join(errs...)
}
