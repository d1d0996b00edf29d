package vfs

import "github.com/seed48025506/belljar/internal/errno"

// Dirent is one directory entry. Next is the cookie to continue after it.
type Dirent struct {
	Next uint64
	Ino  Ino
	Type Type
	Name string
}

// Cookies: 1 is after ".", 2 after "..", and seq+2 after an entry.
const (
	cookieDot    = 1
	cookieDotDot = 2
)

// ReadDir calls yield with the entries after cookie (0: from the start, "."
// and ".." first) until it returns false. A cookie stays good while entries
// come and go: an entry that was there all along shows exactly once. Entries
// of a base come in byte order, then what was made, in the order of making.
// yield runs with the FS locked and must not call into it.
func (h *File) ReadDir(cookie uint64, yield func(Dirent) bool) errno.Errno {
	f := h.fs
	f.mu.Lock()
	defer f.mu.Unlock()
	n, e := h.seen()
	switch {
	case e != errno.OK:
		return e
	case n.typ != TypeDir:
		return errno.ENOTDIR
	}
	if e := f.complete(n.ino); e != errno.OK {
		return e
	}
	n = f.get(n.ino)
	if n.nlink == 0 {
		return errno.OK // removed while open: nothing, not even "."
	}
	if cookie < cookieDot && !yield(Dirent{Next: cookieDot, Ino: n.ino, Type: TypeDir, Name: "."}) {
		return errno.OK
	}
	if cookie < cookieDotDot && !yield(Dirent{Next: cookieDotDot, Ino: n.dir.parent, Type: TypeDir, Name: ".."}) {
		return errno.OK
	}
	n.entriesAfter(cookie, yield)
	return errno.OK
}

// entriesAfter yields the live entries after a cookie. The sequence numbers
// start at 1, so that the first entry is after "..".
func (n *inode) entriesAfter(cookie uint64, yield func(Dirent) bool) {
	after := uint64(0)
	if cookie > cookieDotDot {
		after = cookie - cookieDotDot
	}
	if after+1 == 0 {
		return
	}
	n.dir.order.Ascend(after+1, func(seq uint64, name string) bool {
		e, _ := n.dir.names.Get(name)
		return yield(Dirent{Next: seq + cookieDotDot, Ino: e.ino, Type: e.typ, Name: name})
	})
}
