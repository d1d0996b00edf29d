package vfs

import "io/fs"

// Ino is the number of an inode in one tree. Numbers are given in the order
// of first sight, from 1 (the root), and are the same in every run.
type Ino uint64

// Type is what an inode is, in the numbers of WASI's filetype.
type Type uint8

// The types. A base's character devices show as such, its sockets, pipes and
// block devices as TypeUnknown; none of them can be opened.
const (
	TypeUnknown Type = 0
	TypeBlock   Type = 1
	TypeChar    Type = 2
	TypeDir     Type = 3
	TypeFile    Type = 4
	TypeDgram   Type = 5
	TypeStream  Type = 6
	TypeSymlink Type = 7
)

// String names the type in one word.
func (t Type) String() string {
	switch t {
	case TypeBlock:
		return "block"
	case TypeChar:
		return "char"
	case TypeDir:
		return "dir"
	case TypeFile:
		return "file"
	case TypeDgram:
		return "dgram"
	case TypeStream:
		return "stream"
	case TypeSymlink:
		return "symlink"
	}
	return "unknown"
}

// fileMode returns the type bits that io/fs has for t.
func (t Type) fileMode() fs.FileMode {
	switch t {
	case TypeFile:
		return 0
	case TypeDir:
		return fs.ModeDir
	case TypeSymlink:
		return fs.ModeSymlink
	case TypeChar:
		return fs.ModeDevice | fs.ModeCharDevice
	}
	return fs.ModeIrregular
}

// typeOf folds the type bits of io/fs into what a guest can be shown.
func typeOf(m fs.FileMode) Type {
	switch {
	case m.IsRegular():
		return TypeFile
	case m.IsDir():
		return TypeDir
	case m&fs.ModeSymlink != 0:
		return TypeSymlink
	case m&fs.ModeCharDevice != 0:
		return TypeChar
	}
	return TypeUnknown
}

// Stat is what filestat shows. Times are nanoseconds since the Unix epoch.
// Reading does not move Atim: a read would then be a change. The size of a
// directory is 0, because what a host says there depends on its filesystem.
type Stat struct {
	Dev              uint64 // always 1: one tree is one device
	Ino              Ino
	Type             Type
	Mode             fs.FileMode // permission bits; for Diff and the host side (WASI does not show it)
	Nlink            uint64      // names of a file; 1 for a directory, 0 once removed
	Size             uint64      // bytes
	Atim, Mtim, Ctim int64
}

// How tells a path operation about the last component.
type How uint8

const (
	// Follow a symlink in the last component (lookupflags.symlink_follow).
	Follow How = 1 << iota
)

// OpenFlags say how OpenAt opens. The zero value opens what exists, for
// reading, without following a symlink in the last component.
type OpenFlags uint16

const (
	OpenCreate    OpenFlags = 1 << iota // oflags.creat
	OpenDirectory                       // oflags.directory: ENOTDIR on anything else
	OpenExcl                            // oflags.excl: with OpenCreate, EEXIST on anything there
	OpenTrunc                           // oflags.trunc
	OpenFollow                          // lookupflags.symlink_follow
	OpenWrite                           // the handle will write (EISDIR on directories, EROFS on read-only mounts)
)

// Limits of names, after Linux.
const (
	maxName  = 255  // bytes in one component
	maxPath  = 4096 // bytes in one path, and in the whole path of anything made
	maxLinks = 40   // symlinks followed in one resolution

	// MaxSize is the largest size of a file in bytes; beyond it is EFBIG.
	MaxSize = int64(1) << 62
)

// permOf keeps the permission bits of what a tape says.
func permOf(bits uint32) fs.FileMode { return fs.FileMode(bits) & fs.ModePerm }
