package vfs

import (
	"errors"
	"io"
	"io/fs"

	"github.com/seed48025506/belljar/cas"
)

// FromFS returns a base over any fs.FS: embedded files, an archive, a test
// map, the View of another FS. Symlinks are seen if fsys is an fs.ReadLinkFS.
// Files that cannot seek are read from their start for every extent.
func FromFS(fsys fs.FS) Base { return fsBase{fsys} }

type fsBase struct{ fsys fs.FS }

func (b fsBase) Lstat(name string) (Info, error) {
	fi, err := fs.Lstat(b.fsys, name)
	if err != nil {
		return Info{}, notExist(name, err)
	}
	return stamped(fi), nil
}

// notExist turns the refusal of a name that io/fs does not allow (bytes that
// are not UTF-8) into what it means: no such file can be there.
func notExist(name string, err error) error {
	if !fs.ValidPath(name) {
		return fs.ErrNotExist
	}
	return err
}

// stamped uses size and time: an fs.FS has no more to tell.
func stamped(fi fs.FileInfo) Info {
	in := infoOf(fi)
	in.Stamp = Stamp{uint64(in.Size), uint64(in.Mtime)}
	return in
}

func (b fsBase) ReadDir(name string) ([]Entry, error) {
	list, err := fs.ReadDir(b.fsys, name)
	if err != nil {
		return nil, err
	}
	return entriesOf(list), nil
}

func (b fsBase) ReadLink(name string) (string, error) { return fs.ReadLink(b.fsys, name) }

func (b fsBase) Read(name string, info Info, off int64, n int) (*cas.Blob, error) {
	f, err := b.fsys.Open(name)
	if err != nil {
		return nil, changedIfGone(err)
	}
	defer f.Close()
	if err := unchanged(f, info); err != nil {
		return nil, err
	}
	p := make([]byte, n)
	if err := readAt(f, p, off); err != nil {
		return nil, err
	}
	return cas.NewBlob(p), unchanged(f, info)
}

func (b fsBase) Close() error { return nil }

func unchanged(f fs.File, info Info) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if stamped(fi).Stamp != info.Stamp {
		return ErrBaseChanged
	}
	return nil
}

// readAt fills p from off on by the best means that f has.
func readAt(f fs.File, p []byte, off int64) error {
	var err error
	switch r := f.(type) {
	case io.ReaderAt:
		var n int
		if n, err = r.ReadAt(p, off); n == len(p) {
			return nil
		}
	case io.Seeker:
		if _, err = r.Seek(off, io.SeekStart); err == nil {
			_, err = io.ReadFull(f, p)
		}
	default:
		if _, err = io.CopyN(io.Discard, f, off); err == nil {
			_, err = io.ReadFull(f, p)
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrBaseChanged
	}
	return err
}

// changedIfGone reads "not there" of a file that was seen as a change.
func changedIfGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrBaseChanged
	}
	return err
}
