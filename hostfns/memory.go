package hostfns

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/seed48025506/belljar/internal/errno"
)

// maxPathLen bounds a path before it is copied, in bytes.
const maxPathLen = 4096

// bytes returns n bytes of guest memory, or nil and EFAULT where they are not
// all inside it. n is of the guest and can be anything.
func (g *Guest) bytes(ptr, n uint64) ([]byte, errno.Errno) {
	if ptr > uint64(len(g.mem)) || n > uint64(len(g.mem))-ptr {
		return nil, errno.EFAULT
	}
	return g.mem[ptr : ptr+n : ptr+n], errno.OK
}

func (g *Guest) putU32(ptr uint64, v uint32) errno.Errno {
	p, e := g.bytes(ptr, 4)
	if e == errno.OK {
		binary.LittleEndian.PutUint32(p, v)
	}
	return e
}

func (g *Guest) putU64(ptr, v uint64) errno.Errno {
	p, e := g.bytes(ptr, 8)
	if e == errno.OK {
		binary.LittleEndian.PutUint64(p, v)
	}
	return e
}

// path copies a path out of guest memory.
func (g *Guest) path(ptr, n uint64) (string, errno.Errno) {
	p, e := g.bytes(ptr, n)
	if e != errno.OK {
		return "", e
	}
	if n > maxPathLen {
		return "", errno.ENAMETOOLONG
	}
	s := string(p)
	if strings.IndexByte(s, 0) >= 0 {
		return "", errno.EINVAL
	}
	if !utf8.ValidString(s) {
		return "", errno.EILSEQ
	}
	return s, errno.OK
}

// iovecs is the guest's array of buffers: {ptr u32, len u32} each.
type iovecs []byte

// maxIovecs is IOV_MAX of Linux; wasi-libc does not send more.
const maxIovecs = 1024

// iovecs checks the array and every buffer that it names, so that a call that
// fails has done nothing.
func (g *Guest) iovecs(ptr, n uint64) (iovecs, errno.Errno) {
	if n > maxIovecs {
		return nil, errno.EINVAL
	}
	v, e := g.bytes(ptr, n*8)
	if e != errno.OK {
		return nil, e
	}
	var total uint64
	for i := range int(n) {
		at, length := iovecs(v).entry(i)
		if _, e := g.bytes(at, length); e != errno.OK {
			return nil, e
		}
		total += length
	}
	if total > 1<<32-1 {
		return nil, errno.EINVAL // the count that is returned has 32 bits
	}
	return v, errno.OK
}

func (v iovecs) len() int { return len(v) / 8 }

func (v iovecs) entry(i int) (ptr, length uint64) {
	return uint64(binary.LittleEndian.Uint32(v[i*8:])), uint64(binary.LittleEndian.Uint32(v[i*8+4:]))
}

// buffer returns buffer i. The guest may have made a buffer overlap the array
// and a read may have changed it meanwhile, so it is checked again.
func (g *Guest) buffer(v iovecs, i int) ([]byte, errno.Errno) {
	ptr, length := v.entry(i)
	return g.bytes(ptr, length)
}
