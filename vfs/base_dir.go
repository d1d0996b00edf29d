package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed48025506/belljar/cas"
)

// Dir returns a base over the host directory path. It is opened once, as an
// os.Root: nothing outside of it can be reached, and a symlink inside it is
// shown to the guest as a symlink and never followed on the host. The files
// are only read.
func Dir(path string) (Base, error) { return (*Cache)(nil).Dir(path) }

// Dir is the function Dir with what was read of unchanged files before, by any
// base of the same cache.
func (c *Cache) Dir(path string) (Base, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("vfs: cannot mount host directory %q: %w", path, err)
	}
	return &dirBase{root: root, cache: c}, nil
}

type dirBase struct {
	root  *os.Root
	open  handles
	cache *Cache

	kernel kernelFiles
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
	in := stampedHost(fi)
	in.Unsized = in.Type == TypeFile && b.kernel.made(b.root, p, in)
	return in, nil
}

// stampedHost adds what the host tells beyond size and time.
func stampedHost(fi fs.FileInfo) Info {
	in := infoOf(fi)
	dev, ino, ctime := hostStamp(fi)
	in.Stamp = Stamp{uint64(fi.Size()), uint64(in.Mtime), dev, ino, ctime}
	return in
}

// changed returns the time at which a file was last changed in any way, in
// nanoseconds since the epoch; 0 where the host does not tell.
func (s Stamp) changed() int64 { return int64(s[4]) }

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

// Read looks at the name before and at the open file after, so that both a
// file written to and a file put in its place are found.
func (b *dirBase) Read(name string, info Info, off int64, n int) (*cas.Blob, error) {
	if n < 0 {
		return readWhole(b.root, name)
	}
	now, err := b.Lstat(name)
	if err != nil {
		return nil, changedIfGone(err)
	}
	if now.Stamp != info.Stamp || now.Type != info.Type {
		return nil, ErrBaseChanged
	}
	return b.cache.get(stretch{info.Stamp, off, n}, func() (*cas.Blob, error) {
		return b.read(name, info, off, n)
	})
}

func (b *dirBase) read(name string, info Info, off int64, n int) (*cas.Blob, error) {
	h, err := b.open.get(b.root, name, info.Stamp)
	if err != nil {
		return nil, changedIfGone(err)
	}
	defer b.open.put(h)
	p := unzeroed(n)
	if got, err := h.file.ReadAt(p, off); got < n {
		if errors.Is(err, io.EOF) {
			return nil, ErrBaseChanged
		}
		return nil, err
	}
	fi, err := h.file.Stat()
	if err != nil {
		return nil, err
	}
	if stampedHost(fi).Stamp != info.Stamp {
		return nil, ErrBaseChanged
	}
	return cas.NewBlob(p), nil
}

func (b *dirBase) Close() error {
	b.open.closeAll()
	return b.root.Close()
}
