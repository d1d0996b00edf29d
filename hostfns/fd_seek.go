package hostfns

import (
	"math"

	"github.com/seed48025506/belljar/internal/errno"
)

// whence of the specification.
const (
	whenceSet = 0
	whenceCur = 1
	whenceEnd = 2
)

// fdSeek moves the descriptor's offset and writes the new one, u64. EBADF: a
// directory. ESPIPE: a stream. EINVAL: an unknown whence, or an offset before
// the start or over 2^63-1. ENOTCAPABLE.
func fdSeek(g *Guest, p []uint64) errno.Errno {
	need := rightFdSeek
	if p[2] == whenceCur && p[1] == 0 {
		need = rightFdTell // it only asks
	}
	d, e := g.regular(p[0], need, errno.EBADF, errno.ESPIPE)
	if e != errno.OK {
		return e
	}
	var from int64
	switch p[2] {
	case whenceSet:
	case whenceCur:
		from = d.offset
	case whenceEnd:
		st, e := d.file.Stat()
		if e != errno.OK {
			return e
		}
		from = int64(st.Size)
	default:
		return errno.EINVAL
	}
	by := int64(p[1])
	if by > 0 && from > math.MaxInt64-by || from+by < 0 {
		return errno.EINVAL
	}
	d.offset = from + by
	return g.putU64(p[3], uint64(d.offset))
}

// fdTell writes the descriptor's offset, u64. Errors are those of fd_seek.
func fdTell(g *Guest, p []uint64) errno.Errno {
	d, e := g.regular(p[0], rightFdTell, errno.EBADF, errno.ESPIPE)
	if e != errno.OK {
		return e
	}
	return g.putU64(p[1], uint64(d.offset))
}

// lastAdvice is noreuse, the highest advice of the specification.
const lastAdvice = 5

// fdAdvise takes advice and needs none: all files are in memory. EINVAL: an
// unknown advice, or a range that 63 bits cannot say. EBADF: a directory.
// ESPIPE: a stream.
func fdAdvise(g *Guest, p []uint64) errno.Errno {
	if _, e := g.regular(p[0], rightFdAdvise, errno.EBADF, errno.ESPIPE); e != errno.OK {
		return e
	}
	if p[3] > lastAdvice || p[1] > math.MaxInt64 || p[2] > math.MaxInt64 || p[1]+p[2] > math.MaxInt64 {
		return errno.EINVAL
	}
	return errno.OK
}

// fdAllocate makes a file at least offset+len bytes long. EINVAL: len is 0, or
// the sum does not fit. EBADF: a directory. ESPIPE: a stream. EFBIG, EROFS.
func fdAllocate(g *Guest, p []uint64) errno.Errno {
	d, e := g.regular(p[0], rightFdAllocate, errno.EBADF, errno.ESPIPE)
	if e != errno.OK {
		return e
	}
	if p[1] > math.MaxInt64 || p[2] > math.MaxInt64 {
		return errno.EINVAL
	}
	return d.file.Allocate(int64(p[1]), int64(p[2]))
}

// fdSync has nothing to wait for: all files are in memory.
func fdSync(g *Guest, p []uint64) errno.Errno {
	_, e := g.fd(p[0], rightFdSync)
	return e
}

// fdDatasync is fd_sync, with a right of its own.
func fdDatasync(g *Guest, p []uint64) errno.Errno {
	_, e := g.fd(p[0], rightFdDatasync)
	return e
}

// fdClose closes a descriptor, preopens too. EBADF: there is none.
func fdClose(g *Guest, p []uint64) errno.Errno {
	d := g.fds.get(p[0])
	if d == nil {
		return errno.EBADF
	}
	d.close()
	g.fds.open[p[0]] = nil
	return errno.OK
}

// fdRenumber gives a descriptor the number of another, which is closed. EBADF:
// either is not open.
func fdRenumber(g *Guest, p []uint64) errno.Errno {
	from, to := g.fds.get(p[0]), g.fds.get(p[1])
	if from == nil || to == nil {
		return errno.EBADF
	}
	if p[0] == p[1] {
		return errno.OK
	}
	to.close()
	g.fds.open[p[1]] = from
	g.fds.open[p[0]] = nil
	return errno.OK
}
