package vfs

import (
	"io"
	"io/fs"
	"path"

	"github.com/seed48025506/belljar/internal/errno"
)

// viewDir is an open directory of a View.
type viewDir struct {
	*viewFile
	rest   []fs.DirEntry
	listed bool
}

// Read implements fs.File: a directory has no bytes.
func (d *viewDir) Read([]byte) (int, error) { return 0, failed("read", d.name, errno.EISDIR) }

// ReadDir implements fs.ReadDirFile. The entries are those of the first call.
func (d *viewDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.listed {
		list, err := d.list()
		if err != nil {
			return nil, err
		}
		d.rest, d.listed = list, true
	}
	if n > 0 && len(d.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.rest) {
		n = len(d.rest)
	}
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	return out, nil
}

// list returns all entries, in the order of the cookies.
func (f *viewFile) list() ([]fs.DirEntry, error) {
	list := []fs.DirEntry{}
	e := f.h.ReadDir(cookieDotDot, func(d Dirent) bool {
		list = append(list, viewEntry{v: f.v, dir: f.name, name: d.Name, typ: d.Type})
		return true
	})
	return list, failed("readdir", f.name, e)
}

// viewEntry asks for the attributes only when Info is called.
type viewEntry struct {
	v    view
	dir  string
	name string
	typ  Type
}

func (e viewEntry) Name() string               { return e.name }
func (e viewEntry) IsDir() bool                { return e.typ == TypeDir }
func (e viewEntry) Type() fs.FileMode          { return e.typ.fileMode() }
func (e viewEntry) Info() (fs.FileInfo, error) { return e.v.Lstat(path.Join(e.dir, e.name)) }
func (e viewEntry) String() string             { return fs.FormatDirEntry(e) }
