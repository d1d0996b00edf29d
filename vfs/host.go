package vfs

import (
	"io/fs"
	"path"
	"strings"

	"github.com/seed48025506/belljar/internal/errno"
)

// fromRoot turns a path as the host side writes it ("/a/b", "a/b", "" for the
// root) into one for the resolver.
func fromRoot(p string) string { return "./" + strings.TrimLeft(p, "/") }

// WriteFile makes or replaces the content of the file at p, a slash path from
// the root, following symlinks. perm is for a file that is new. Errors are
// *fs.PathError.
func (f *FS) WriteFile(p string, data []byte, perm fs.FileMode) error {
	h, e := f.OpenAt(f.root, fromRoot(p), OpenCreate|OpenTrunc|OpenWrite|OpenFollow, perm)
	if e != errno.OK {
		return failed("open", p, e)
	}
	defer h.Close()
	_, e = h.WriteAt(data, 0)
	return failed("write", p, e)
}

// ReadFile returns the content of the file at p, a slash path from the root,
// following symlinks. Over 1 GiB is EFBIG.
func (f *FS) ReadFile(p string) ([]byte, error) {
	return view{f}.ReadFile(path.Clean(strings.TrimLeft(p, "/")))
}

// MkdirAll makes the directory p, a slash path from the root, and those above
// it that are missing. One that is there is no error.
func (f *FS) MkdirAll(p string, perm fs.FileMode) error {
	p = strings.Trim(path.Clean("/"+p), "/")
	for i := 0; i < len(p); {
		if next := strings.IndexByte(p[i:], '/'); next >= 0 {
			i += next
		} else {
			i = len(p)
		}
		e := f.MkdirAt(f.root, p[:i], perm)
		if e == errno.EEXIST || e == errno.EROFS {
			st, no := f.StatAt(f.root, p[:i], Follow)
			switch {
			case no == errno.OK && st.Type == TypeDir:
				e = errno.OK
			case no == errno.OK:
				e = errno.ENOTDIR
			}
		}
		if e != errno.OK {
			return failed("mkdir", p[:i], e)
		}
		i++
	}
	return nil
}

// Remove removes the file, symlink or empty directory at p, a slash path from
// the root.
func (f *FS) Remove(p string) error {
	e := f.UnlinkAt(f.root, fromRoot(p))
	if e == errno.EISDIR {
		e = f.RmdirAt(f.root, fromRoot(p))
	}
	return failed("remove", p, e)
}

// Symlink makes a symlink at p, a slash path from the root.
func (f *FS) Symlink(target, p string) error {
	return failed("symlink", p, f.SymlinkAt(target, f.root, fromRoot(p)))
}
