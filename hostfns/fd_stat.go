package hostfns

import (
	"encoding/binary"
	"math"

	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vfs"
)

// fdFdstatGet writes what a descriptor is:
//
//	[filetype u8][pad][flags u16][pad 4][rights u64][inheriting rights u64]
func fdFdstatGet(g *Guest, p []uint64) errno.Errno {
	d := g.fds.get(p[0])
	if d == nil {
		return errno.EBADF
	}
	out, e := g.bytes(p[1], 24)
	if e != errno.OK {
		return e
	}
	clear(out)
	out[0] = byte(d.typ)
	binary.LittleEndian.PutUint16(out[2:], d.flags)
	binary.LittleEndian.PutUint64(out[8:], uint64(d.base))
	binary.LittleEndian.PutUint64(out[16:], uint64(d.inheriting))
	return errno.OK
}

// fdFdstatSetFlags sets a descriptor's flags: append, dsync, nonblock, rsync,
// sync. EINVAL: any other bit.
func fdFdstatSetFlags(g *Guest, p []uint64) errno.Errno {
	d, e := g.fd(p[0], rightFdFdstatSetFlags)
	if e != errno.OK {
		return e
	}
	if p[1]&^fdFlagsAll != 0 {
		return errno.EINVAL
	}
	d.flags = uint16(p[1])
	return errno.OK
}

// fdFdstatSetRights takes rights away. ENOTCAPABLE: it would add some.
func fdFdstatSetRights(g *Guest, p []uint64) errno.Errno {
	d := g.fds.get(p[0])
	if d == nil {
		return errno.EBADF
	}
	base, inheriting := rights(p[1]), rights(p[2])
	if base&^d.base != 0 || inheriting&^d.inheriting != 0 {
		return errno.ENOTCAPABLE
	}
	d.base, d.inheriting = base, inheriting
	return errno.OK
}

// putFilestat writes a filestat:
//
//	[dev u64][ino u64][filetype u8][pad 7][nlink u64][size u64][atim u64][mtim u64][ctim u64]
func (g *Guest) putFilestat(ptr uint64, st vfs.Stat) errno.Errno {
	out, e := g.bytes(ptr, 64)
	if e != errno.OK {
		return e
	}
	le := binary.LittleEndian
	le.PutUint64(out[0:], st.Dev)
	le.PutUint64(out[8:], uint64(st.Ino))
	le.PutUint64(out[16:], uint64(st.Type))
	le.PutUint64(out[24:], st.Nlink)
	le.PutUint64(out[32:], st.Size)
	le.PutUint64(out[40:], uint64(st.Atim))
	le.PutUint64(out[48:], uint64(st.Mtim))
	le.PutUint64(out[56:], uint64(st.Ctim))
	return errno.OK
}

// fdFilestatGet writes the filestat of a descriptor. A stream is a character
// device and has nothing else to show.
func fdFilestatGet(g *Guest, p []uint64) errno.Errno {
	d, e := g.fd(p[0], rightFdFilestatGet)
	if e != errno.OK {
		return e
	}
	if d.stream != notStream {
		return g.putFilestat(p[1], vfs.Stat{Type: d.typ, Nlink: 1})
	}
	st, e := d.file.Stat()
	if e != errno.OK {
		return e
	}
	return g.putFilestat(p[1], st)
}

// fdFilestatSetSize sets a file's size in bytes. EBADF: a directory. EINVAL: a
// stream, or a size over 2^63-1. EFBIG, EROFS, ENOTCAPABLE.
func fdFilestatSetSize(g *Guest, p []uint64) errno.Errno {
	d, e := g.regular(p[0], rightFdFilestatSetSize, errno.EBADF, errno.EINVAL)
	if e != errno.OK {
		return e
	}
	if p[1] > math.MaxInt64 {
		return errno.EINVAL
	}
	return d.file.Truncate(int64(p[1]))
}

// fstflags of the specification.
const (
	setAtim    = 1 << 0
	setAtimNow = 1 << 1
	setMtim    = 1 << 2
	setMtimNow = 1 << 3
)

// times reads the arguments of the two functions that set times. EINVAL: a
// time is to be set both to a value and to now, or an unknown flag.
func (g *Guest) times(atim, mtim, flags uint64) (a, m *int64, e errno.Errno) {
	both := func(x, y uint64) bool { return flags&x != 0 && flags&y != 0 }
	if flags > 15 || both(setAtim, setAtimNow) || both(setMtim, setMtimNow) {
		return nil, nil, errno.EINVAL
	}
	_, now, err := g.cfg.Clock.Moment()
	if err != nil {
		return nil, nil, g.abort(err)
	}
	if flags&setAtim != 0 {
		a = clampTime(atim)
	} else if flags&setAtimNow != 0 {
		a = &now
	}
	if flags&setMtim != 0 {
		m = clampTime(mtim)
	} else if flags&setMtimNow != 0 {
		m = &now
	}
	return a, m, errno.OK
}

func clampTime(t uint64) *int64 {
	v := int64(min(t, math.MaxInt64))
	return &v
}

// fdFilestatSetTimes sets the times of what a descriptor has open.
func fdFilestatSetTimes(g *Guest, p []uint64) errno.Errno {
	d, e := g.fd(p[0], rightFdFilestatSetTimes)
	if e != errno.OK {
		return e
	}
	a, m, e := g.times(p[1], p[2], p[3])
	if e != errno.OK {
		return e
	}
	return d.file.SetTimes(a, m)
}

// fdPrestatGet writes what kind of preopen a descriptor is, a directory, and
// how long its name is:
//
//	[tag u8 = 0][pad 3][name length u32]
//
// EBADF: it is no preopen.
func fdPrestatGet(g *Guest, p []uint64) errno.Errno {
	d := g.fds.get(p[0])
	if d == nil || !d.preopen {
		return errno.EBADF
	}
	return g.putU64(p[1], uint64(len(d.name))<<32)
}

// fdPrestatDirName writes a preopen's name, without a NUL. ENAMETOOLONG: it
// does not fit. EBADF: it is no preopen.
func fdPrestatDirName(g *Guest, p []uint64) errno.Errno {
	d := g.fds.get(p[0])
	if d == nil || !d.preopen {
		return errno.EBADF
	}
	if p[2] < uint64(len(d.name)) {
		return errno.ENAMETOOLONG
	}
	out, e := g.bytes(p[1], uint64(len(d.name)))
	if e == errno.OK {
		copy(out, d.name)
	}
	return e
}

// direntSize is the length of a dirent's head:
//
//	[next cookie u64][ino u64][name length u32][filetype u8][pad 3]
const direntSize = 24

// fdReaddir writes directory entries, each a head and a name, from a cookie
// on, and how many bytes it used, u32. An entry that does not fit is cut off;
// a buffer that is full says that there is more. EBADF: no descriptor.
// ENOTDIR: no directory.
func fdReaddir(g *Guest, p []uint64) errno.Errno {
	d, e := g.dir(p[0], rightFdReaddir)
	if e != errno.OK {
		return e
	}
	buf, e := g.bytes(p[1], p[2])
	if e != errno.OK {
		return e
	}
	used := 0
	e = d.file.ReadDir(p[3], func(entry vfs.Dirent) bool {
		var head [direntSize]byte
		binary.LittleEndian.PutUint64(head[0:], entry.Next)
		binary.LittleEndian.PutUint64(head[8:], uint64(entry.Ino))
		binary.LittleEndian.PutUint32(head[16:], uint32(len(entry.Name)))
		head[20] = byte(entry.Type)
		used += copy(buf[used:], head[:])
		used += copy(buf[used:], entry.Name)
		return used < len(buf)
	})
	if e != errno.OK {
		return e
	}
	return g.putU32(p[4], uint32(used))
}
