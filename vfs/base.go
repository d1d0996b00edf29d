package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/errno"
)

// Base is a tree that an FS is copy-on-write over. Names are slash-separated
// and relative, "." for the root. A Base never follows a symlink in the last
// component, and never changes anything. It is used by every clone of the FS
// it is mounted in, so it must be safe for concurrent use. Whoever makes a
// Base closes it, after the last clone.
//
// A name that is not there is an error that is fs.ErrNotExist. Errors that
// internal/errno.From does not know end the run.
type Base interface {
	// Lstat returns the attributes of name.
	Lstat(name string) (Info, error)
	// ReadDir returns the entries of the directory name, in any order.
	ReadDir(name string) ([]Entry, error)
	// ReadLink returns the target of the symlink name.
	ReadLink(name string) (string, error)
	// Read returns n bytes of the file name from off on, which nobody will
	// change. A file that is not the one that Lstat saw as info, before or
	// after the read, is ErrBaseChanged; so is one that is too short. Of an
	// Unsized file all is asked for, with n < 0: a file over MaxUnsized is
	// errno.EFBIG.
	Read(name string, info Info, off int64, n int) (*cas.Blob, error)
	Close() error
}

// Info is what a base says of one name.
type Info struct {
	Type  Type
	Perm  fs.FileMode // permission bits
	Size  int64       // bytes; used for files and symlinks only
	Mtime int64       // nanoseconds since the Unix epoch
	Stamp Stamp       // to tell a file that changed; never shown, never on the tape
	// Unsized says that Size tells nothing, because the file's content is
	// made when it is opened, as in /proc. A guest sees it as empty until it
	// opens it.
	Unsized bool
}

// Stamp is whatever tells a base that a file is no longer the same. Two
// stamps of one unchanged file are equal.
type Stamp [5]uint64

// Entry is one name in a directory of a base.
type Entry struct {
	Name string
	Type Type
}

// ErrBaseChanged says that a base changed while a run was reading it.
var ErrBaseChanged = errors.New("the base changed during the run")

// ErrAbsent says that a replay asked for something that is in no answer: the
// base itself is not there to be asked.
var ErrAbsent = errors.New("the base is absent in a replay")

// BaseChangedError names what changed. It is ErrBaseChanged.
type BaseChangedError struct {
	Path string // in the tree
}

func (e *BaseChangedError) Error() string {
	return fmt.Sprintf("vfs: /%s: %v; run again, with nothing writing to the mounted tree", e.Path, ErrBaseChanged)
}

// Unwrap makes errors.Is(err, ErrBaseChanged) true.
func (e *BaseChangedError) Unwrap() error { return ErrBaseChanged }

// Absent returns the base to mount when replaying: the answers are on the
// tape, and every question that is not is ErrAbsent.
func Absent() Base { return absent{} }

type absent struct{}

func (absent) Lstat(string) (Info, error)                       { return Info{}, ErrAbsent }
func (absent) ReadDir(string) ([]Entry, error)                  { return nil, ErrAbsent }
func (absent) ReadLink(string) (string, error)                  { return "", ErrAbsent }
func (absent) Read(string, Info, int64, int) (*cas.Blob, error) { return nil, ErrAbsent }
func (absent) Close() error                                     { return nil }

// infoOf turns what io/fs says into an Info without a stamp.
func infoOf(fi fs.FileInfo) Info {
	return Info{Type: typeOf(fi.Mode()), Perm: fi.Mode().Perm(), Size: max(fi.Size(), 0), Mtime: nanos(fi.ModTime())}
}

// entriesOf keeps name and type.
func entriesOf(list []fs.DirEntry) []Entry {
	out := make([]Entry, len(list))
	for i, e := range list {
		out[i] = Entry{Name: e.Name(), Type: typeOf(e.Type())}
	}
	return out
}

// nanos is t in nanoseconds, 0 for times that an int64 cannot hold (the zero
// time of embedded files among them).
func nanos(t time.Time) int64 {
	if y := t.Year(); y < 1678 || y > 2261 {
		return 0
	}
	return t.UnixNano()
}

// expected reports whether e is an answer of a base to a guest, and not a
// failure of the machine.
func expected(e errno.Errno) bool {
	switch e {
	case errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO,
		errno.EFBIG, errno.EAGAIN:
		return true
	}
	return false
}
