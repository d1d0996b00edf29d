package vfs

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/seed48025506/belljar/internal/errno"
)

// View returns the tree as an fs.FS, for the host side. It has ReadDir, Stat,
// ReadFile, ReadLink and Lstat; its files are io.ReaderAt and io.Seeker. What
// it reads for the first time is asked of the base as a guest's read would be.
func (f *FS) View() fs.FS { return view{f} }

type view struct{ f *FS }

var (
	_ fs.ReadDirFS  = view{}
	_ fs.StatFS     = view{}
	_ fs.ReadFileFS = view{}
	_ fs.ReadLinkFS = view{}
)

// failed makes the error that io/fs wants, nil for OK.
func failed(op, name string, e errno.Errno) error {
	if e == errno.OK {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: e}
}

func (v view) open(op, name string) (*viewFile, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	h, e := v.f.OpenAt(v.f.root, name, OpenFollow, 0)
	if e != errno.OK {
		return nil, failed(op, name, e)
	}
	return &viewFile{v: v, h: h, name: name}, nil
}

// Open implements fs.FS.
func (v view) Open(name string) (fs.File, error) {
	f, err := v.open("open", name)
	if err != nil {
		return nil, err
	}
	if f.h.typ == TypeDir {
		return &viewDir{viewFile: f}, nil
	}
	return f, nil
}

// Stat implements fs.StatFS.
func (v view) Stat(name string) (fs.FileInfo, error) { return v.stat("stat", name, Follow) }

// Lstat implements fs.ReadLinkFS.
func (v view) Lstat(name string) (fs.FileInfo, error) { return v.stat("lstat", name, 0) }

func (v view) stat(op, name string, how How) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	st, e := v.f.StatAt(v.f.root, name, how)
	if e != errno.OK {
		return nil, failed(op, name, e)
	}
	return newFileInfo(name, st), nil
}

// ReadLink implements fs.ReadLinkFS.
func (v view) ReadLink(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	target, e := v.f.ReadlinkAt(v.f.root, name)
	return target, failed("readlink", name, e)
}

// ReadFile implements fs.ReadFileFS.
func (v view) ReadFile(name string) ([]byte, error) {
	f, err := v.open("read", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if f.h.typ == TypeFile && fi.Size() > maxContent {
		return nil, failed("read", name, errno.EFBIG)
	}
	p := make([]byte, fi.Size())
	n, e := f.h.ReadAt(p, 0)
	return p[:n], failed("read", name, e)
}

// ReadDir implements fs.ReadDirFS: sorted by name.
func (v view) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := v.open("readdir", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.list()
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, err
}

// fileInfo is a Stat under a name.
type fileInfo struct {
	name string
	st   Stat
}

func newFileInfo(name string, st Stat) fileInfo { return fileInfo{path.Base(name), st} }

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return int64(i.st.Size) }
func (i fileInfo) Mode() fs.FileMode  { return i.st.Type.fileMode() | i.st.Mode }
func (i fileInfo) ModTime() time.Time { return time.Unix(0, i.st.Mtim).UTC() }
func (i fileInfo) IsDir() bool        { return i.st.Type == TypeDir }
func (i fileInfo) Sys() any           { return i.st }

// viewFile is an open file with an offset.
type viewFile struct {
	v    view
	h    *File
	name string
	off  int64
}

// Stat implements fs.File.
func (f *viewFile) Stat() (fs.FileInfo, error) {
	st, e := f.h.Stat()
	if e != errno.OK {
		return nil, failed("stat", f.name, e)
	}
	return newFileInfo(f.name, st), nil
}

// Read implements fs.File.
func (f *viewFile) Read(p []byte) (int, error) {
	n, e := f.h.ReadAt(p, f.off)
	f.off += int64(n)
	if e == errno.OK && n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, failed("read", f.name, e)
}

// ReadAt implements io.ReaderAt.
func (f *viewFile) ReadAt(p []byte, off int64) (int, error) {
	n, e := f.h.ReadAt(p, off)
	if e == errno.OK && n < len(p) {
		return n, io.EOF
	}
	return n, failed("read", f.name, e)
}

// Seek implements io.Seeker.
func (f *viewFile) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += f.off
	case io.SeekEnd:
		st, e := f.h.Stat()
		if e != errno.OK {
			return 0, failed("seek", f.name, e)
		}
		off += int64(st.Size)
	}
	if off < 0 || whence < io.SeekStart || whence > io.SeekEnd {
		return 0, failed("seek", f.name, errno.EINVAL)
	}
	f.off = off
	return off, nil
}

// Close implements fs.File.
func (f *viewFile) Close() error { return failed("close", f.name, f.h.Close()) }
