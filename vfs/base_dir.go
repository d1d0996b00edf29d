package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir returns a base over the host directory path. It is opened once, as an
// os.Root: nothing outside of it can be reached, and a symlink inside it is
// shown to the guest as a symlink and never followed on the host. The files
// are only read.
func Dir(path string) (Base, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("vfs: cannot mount host directory %q: %w", path, err)
	}
	return &dirBase{root: root}, nil
}

type dirBase struct {
	root *os.Root
	open handles
}

// local returns the host's form of name. A name that the host cannot have
// (a backslash on Windows) is not there.
func local(name string) (string, error) {
	p, err := filepath.Localize(name)
	if err != nil {
		return "", fs.ErrNotExist
	}
	return p, nil
}

func (b *dirBase) Lstat(name string) (Info, error) {
	p, err := local(name)
	if err != nil {
		return Info{}, err
	}
	fi, err := b.root.Lstat(p)
	if err != nil {
		return Info{}, err
	}
	return stampedHost(fi), nil
}

// stampedHost adds what the host tells beyond size and time.
func stampedHost(fi fs.FileInfo) Info {
	in := infoOf(fi)
	ino, ctime := hostStamp(fi)
	in.Stamp = Stamp{uint64(fi.Size()), uint64(in.Mtime), ino, ctime}
	return in
}

func (b *dirBase) ReadDir(name string) ([]Entry, error) {
	p, err := local(name)
	if err != nil {
		return nil, err
	}
	f, err := b.root.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	return entriesOf(list), nil
}

func (b *dirBase) ReadLink(name string) (string, error) {
	p, err := local(name)
	if err != nil {
		return "", err
	}
	target, err := b.root.Readlink(p)
	return filepath.ToSlash(target), err
}

// ReadAt looks at the name before and at the open file after, so that both a
// file written to and a file put in its place are found.
func (b *dirBase) ReadAt(name string, info Info, p []byte, off int64) error {
	now, err := b.Lstat(name)
	if err != nil {
		return changedIfGone(err)
	}
	if now.Stamp != info.Stamp || now.Type != info.Type {
		return ErrBaseChanged
	}
	h, err := b.open.get(b.root, name, info.Stamp)
	if err != nil {
		return changedIfGone(err)
	}
	defer b.open.put(h)
	if n, err := h.file.ReadAt(p, off); n < len(p) {
		if errors.Is(err, io.EOF) {
			return ErrBaseChanged
		}
		return err
	}
	fi, err := h.file.Stat()
	if err != nil {
		return err
	}
	if stampedHost(fi).Stamp != info.Stamp {
		return ErrBaseChanged
	}
	return nil
}

func (b *dirBase) Close() error {
	b.open.closeAll()
	return b.root.Close()
}
