package vfs

import "github.com/seed48025506/belljar/internal/errno"

// MaxUnsized is the most that is read of a file that does not know its size,
// in bytes.
const MaxUnsized = 16 << 20

// unsized is the size of such a file on the tape.
const unsized = -1

// sized gives a file that does not know its size one, when it is opened: all
// of it is asked for, and stays as it is from then on. It returns n or what
// took its place.
func (f *FS) sized(n *inode, flags OpenFlags) (*inode, errno.Errno) {
	if n.file == nil || n.base == nil || !n.base.info.Unsized || flags&OpenTrunc != 0 {
		return n, errno.OK
	}
	p, e := f.askWhole(n.base)
	if e != errno.OK {
		return n, e
	}
	info := n.base.info
	info.Unsized, info.Size = false, int64(len(p))
	n = f.mut(n.ino)
	n.base = &origin{mnt: n.base.mnt, path: n.base.path, info: info}
	n.size, n.file = info.Size, newContent(info.Size)
	f.remember(n.base.tree(), func(m *memo) {
		m.stat = &info
		if len(p) > 0 {
			m.extents = m.extents.with(0, p)
		}
	})
	return n, errno.OK
}

// askWhole asks for all of a file.
func (f *FS) askWhole(o *origin) ([]byte, errno.Errno) {
	var a wholeAnswer
	e := f.ask(kindWhole, o.tree(), &a, func() (any, error) {
		b, err := o.mnt.base.Read(o.path, o.info, 0, -1)
		if no := refusal(&err); no != 0 || err != nil {
			return wholeAnswer{Errno: no}, err
		}
		return wholeAnswer{Content: b.Bytes()}, nil
	})
	if e == errno.OK {
		e = errno.Errno(a.Errno)
	}
	return a.Content, e
}
