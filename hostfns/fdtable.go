package hostfns

import (
	"fmt"

	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vfs"
)

// fdflags of the specification.
const (
	fdAppend   = 1 << 0
	fdDsync    = 1 << 1
	fdNonblock = 1 << 2
	fdRsync    = 1 << 3
	fdSyncFlag = 1 << 4
	fdFlagsAll = fdAppend | fdDsync | fdNonblock | fdRsync | fdSyncFlag
)

// stream says which standard stream a descriptor is, or which device. The
// host's devices are never opened: ours stand in for a base's.
type stream uint8

const (
	notStream stream = iota
	streamIn
	streamOut
	streamErr
	streamNull   // /dev/null: empty, takes everything
	streamZero   // /dev/zero: endless zeros, takes everything
	streamRandom // /dev/urandom: from the seed, takes everything
)

// descriptor is an open file, directory or standard stream.
type descriptor struct {
	stream     stream
	file       *vfs.File // nil for streams
	typ        vfs.Type
	offset     int64
	flags      uint16
	base       rights
	inheriting rights
	preopen    bool
	name       string // of a preopen
}

// fdTable maps numbers to descriptors.
type fdTable struct{ open []*descriptor }

func (t *fdTable) get(fd uint64) *descriptor {
	if fd < uint64(len(t.open)) {
		return t.open[fd]
	}
	return nil
}

// add gives a descriptor the lowest free number.
func (t *fdTable) add(d *descriptor, most int) (int, errno.Errno) {
	fd := t.free()
	switch {
	case fd < len(t.open):
		t.open[fd] = d
	case fd >= most:
		return 0, errno.EMFILE
	default:
		t.open = append(t.open, d)
	}
	return fd, errno.OK
}

// full reports whether add would fail, for callers who must know it before
// they do something that cannot be undone.
func (t *fdTable) full(most int) bool {
	fd := t.free()
	return fd == len(t.open) && fd >= most
}

// free is the lowest number without a descriptor.
func (t *fdTable) free() int {
	for fd, d := range t.open {
		if d == nil {
			return fd
		}
	}
	return len(t.open)
}

func (d *descriptor) close() {
	if d.file != nil {
		d.file.Close()
	}
}

func (t *fdTable) closeAll() {
	for fd, d := range t.open {
		if d != nil {
			d.close()
			t.open[fd] = nil
		}
	}
}

// openInitial opens what a guest finds: the streams and the preopens.
func (g *Guest) openInitial() error {
	g.fds.open = []*descriptor{
		{stream: streamIn, typ: vfs.TypeChar, base: rightsStdio | rightFdRead},
		{stream: streamOut, typ: vfs.TypeChar, base: rightsStdio | rightFdWrite},
		{stream: streamErr, typ: vfs.TypeChar, base: rightsStdio | rightFdWrite},
	}
	for _, p := range g.cfg.Preopens {
		if g.cfg.FS == nil {
			return fmt.Errorf("hostfns: preopen %s without a tree", p.GuestPath)
		}
		file, e := g.cfg.FS.OpenAt(p.Ino, ".", vfs.OpenDirectory, 0)
		if e != errno.OK {
			return fmt.Errorf("hostfns: preopen %s: %w", p.GuestPath, e)
		}
		g.fds.open = append(g.fds.open, &descriptor{file: file, typ: vfs.TypeDir, preopen: true,
			name: p.GuestPath, base: rightsDir, inheriting: rightsDir | rightsFile})
	}
	return nil
}

// fd returns a descriptor that has all the rights needed.
func (g *Guest) fd(fd uint64, need rights) (*descriptor, errno.Errno) {
	d := g.fds.get(fd)
	if d == nil {
		return nil, errno.EBADF
	}
	if d.base&need != need {
		return nil, errno.ENOTCAPABLE
	}
	return d, errno.OK
}

// dir returns a directory that has all the rights needed.
func (g *Guest) dir(fd uint64, need rights) (*descriptor, errno.Errno) {
	d := g.fds.get(fd)
	switch {
	case d == nil:
		return nil, errno.EBADF
	case d.typ != vfs.TypeDir:
		return nil, errno.ENOTDIR
	case d.base&need != need:
		return nil, errno.ENOTCAPABLE
	}
	return d, errno.OK
}

// regular returns a regular file that has all the rights needed. Directories
// and streams get the errno that POSIX has for them.
func (g *Guest) regular(fd uint64, need rights, onDir, onStream errno.Errno) (*descriptor, errno.Errno) {
	d := g.fds.get(fd)
	switch {
	case d == nil:
		return nil, errno.EBADF
	case d.typ == vfs.TypeDir:
		return nil, onDir
	case d.stream != notStream:
		return nil, onStream
	case !d.base.has(need):
		return nil, errno.ENOTCAPABLE
	}
	return d, errno.OK
}
