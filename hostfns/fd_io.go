package hostfns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vfs"
)

// KindStdin is what a read of standard input is called on the tape. Its key is
// the number of bytes asked for, 4 bytes little-endian; an empty payload is
// the end of input.
const KindStdin tape.Kind = "stdin"

// maxStdin is the most that one read of standard input brings.
const maxStdin = 1 << 20

// fdRead reads from the descriptor's offset into buffers, and writes how many
// bytes there were, u32; 0 is the end.
//
//	iovs: [ptr u32][len u32] … , iovs_len of them
//
// EBADF: not open for reading, as a directory never is. EFAULT, EINVAL: a bad
// buffer.
func fdRead(g *Guest, p []uint64) errno.Errno {
	d, e := g.readable(p[0])
	if e != errno.OK {
		return e
	}
	v, e := g.iovecs(p[1], p[2])
	if e != errno.OK {
		return e
	}
	switch d.stream {
	case notStream:
	case streamIn:
		return g.readStdin(v, p[3])
	default:
		return g.readDevice(d, v, p[3])
	}
	n, e := g.readFile(d, v, d.offset)
	if e != errno.OK {
		return e
	}
	d.offset += int64(n)
	return g.putU32(p[3], uint32(n))
}

func (g *Guest) readable(fd uint64) (*descriptor, errno.Errno) {
	d := g.fds.get(fd)
	switch {
	case d == nil:
		return nil, errno.EBADF
	case d.typ == vfs.TypeDir || d.base&rightFdRead == 0:
		return nil, errno.EBADF // not open for reading
	}
	return d, errno.OK
}

func (g *Guest) writable(fd uint64) (*descriptor, errno.Errno) {
	d := g.fds.get(fd)
	switch {
	case d == nil:
		return nil, errno.EBADF
	case d.typ == vfs.TypeDir || d.base&rightFdWrite == 0:
		return nil, errno.EBADF // not open for writing
	}
	return d, errno.OK
}

// readFile fills the buffers from an offset. What was read before an error
// counts, as POSIX has it.
func (g *Guest) readFile(d *descriptor, v iovecs, off int64) (int, errno.Errno) {
	total := 0
	for i := range v.len() {
		buf, e := g.buffer(v, i)
		if e != errno.OK {
			return total, partial(total, e)
		}
		n, e := d.file.ReadAt(buf, off+int64(total))
		total += n
		if e != errno.OK {
			return total, partial(total, e)
		}
		if n < len(buf) {
			break
		}
	}
	return total, errno.OK
}

// partial turns an error after some success into success.
func partial(done int, e errno.Errno) errno.Errno {
	if done > 0 {
		return errno.OK
	}
	return e
}

// readStdin brings input into the first buffer that is not empty.
func (g *Guest) readStdin(v iovecs, result uint64) errno.Errno {
	for i := range v.len() {
		buf, e := g.buffer(v, i)
		if e != errno.OK {
			return e
		}
		if len(buf) == 0 {
			continue
		}
		n, err := g.stdin(buf[:min(len(buf), maxStdin)])
		if err != nil {
			return g.abort(err)
		}
		g.cfg.Deck.MarkBytes(tape.CodeRead, 0, buf[:n])
		return g.putU32(result, uint32(n))
	}
	return g.putU32(result, 0)
}

// readDevice fills the buffers from a device of ours.
func (g *Guest) readDevice(d *descriptor, v iovecs, result uint64) errno.Errno {
	total := 0
	for i := 0; i < v.len() && d.stream != streamNull; i++ {
		buf, e := g.buffer(v, i)
		if e != errno.OK {
			return e
		}
		if d.stream == streamZero {
			clear(buf)
		} else {
			g.cfg.Random.Fill(buf)
			g.cfg.Deck.MarkBytes(tape.CodeRandom, 0, buf)
		}
		total += len(buf)
	}
	return g.putU32(result, uint32(total))
}

// stdin reads live or from the tape. A reader that gives nothing and no error
// is asked again, within reason.
func (g *Guest) stdin(buf []byte) (int, error) {
	if g.cfg.Stdin == nil {
		return 0, nil
	}
	if g.cfg.Deck.Mode() == tape.Off {
		return g.liveStdin(buf)
	}
	key := binary.LittleEndian.AppendUint32(nil, uint32(len(buf)))
	p, err := g.cfg.Deck.Answer(KindStdin, key, func() ([]byte, error) {
		p := make([]byte, len(buf))
		n, err := g.liveStdin(p)
		return p[:n], err
	})
	return copy(buf, p), err
}

func (g *Guest) liveStdin(buf []byte) (int, error) {
	for range 100 {
		n, err := g.cfg.Stdin.Read(buf)
		if n > 0 || errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, fmt.Errorf("hostfns: read standard input: %w", err)
		}
	}
	return 0, fmt.Errorf("hostfns: read standard input: %w", io.ErrNoProgress)
}

// fdPread is fd_read from an offset that is given; the descriptor's own stays.
// ESPIPE: a stream. EINVAL: an offset over 2^63-1.
func fdPread(g *Guest, p []uint64) errno.Errno {
	d, e := g.readable(p[0])
	if e != errno.OK {
		return e
	}
	if e := positional(d, p[3]); e != errno.OK {
		return e
	}
	v, e := g.iovecs(p[1], p[2])
	if e != errno.OK {
		return e
	}
	n, e := g.readFile(d, v, int64(p[3]))
	if e != errno.OK {
		return e
	}
	return g.putU32(p[4], uint32(n))
}

// positional checks that a descriptor takes offsets, and this one.
func positional(d *descriptor, off uint64) errno.Errno {
	switch {
	case d.stream != notStream:
		return errno.ESPIPE
	case d.base&rightFdSeek == 0:
		return errno.ENOTCAPABLE
	case off > math.MaxInt64:
		return errno.EINVAL
	}
	return errno.OK
}

// fdWrite writes buffers at the descriptor's offset, or at the end where it is
// open for appending, and writes how many bytes it took, u32. Parameters and
// errors are those of fd_read; and EFBIG, EROFS.
func fdWrite(g *Guest, p []uint64) errno.Errno {
	d, e := g.writable(p[0])
	if e != errno.OK {
		return e
	}
	v, e := g.iovecs(p[1], p[2])
	if e != errno.OK {
		return e
	}
	if d.stream != notStream {
		return g.writeStream(d, v, p[3])
	}
	n, end, e := g.writeFile(d, v, d.offset, d.flags&fdAppend != 0)
	if e != errno.OK {
		return e
	}
	d.offset = end
	return g.putU32(p[3], uint32(n))
}

// writeFile writes the buffers and returns the offset behind them.
func (g *Guest) writeFile(d *descriptor, v iovecs, off int64, atEnd bool) (total int, end int64, e errno.Errno) {
	end = off
	for i := range v.len() {
		buf, e := g.buffer(v, i)
		if e != errno.OK {
			return total, end, partial(total, e)
		}
		var n int
		if atEnd {
			n, end, e = d.file.Append(buf)
		} else {
			n, e = d.file.WriteAt(buf, end)
			end += int64(n)
		}
		total += n
		g.cfg.Deck.MarkBytes(tape.CodeWrite, uint64(end), buf[:n])
		if e != errno.OK {
			return total, end, partial(total, e)
		}
	}
	return total, end, errno.OK
}

// writeStream passes the buffers on. A writer that fails is the host's
// trouble: it ends the run and is no errno.
func (g *Guest) writeStream(d *descriptor, v iovecs, result uint64) errno.Errno {
	var w io.Writer
	var name string
	switch d.stream {
	case streamOut:
		w, name = g.cfg.Stdout, "standard output"
	case streamErr:
		w, name = g.cfg.Stderr, "standard error"
	}
	total := 0
	for i := range v.len() {
		buf, e := g.buffer(v, i)
		if e != errno.OK {
			return e
		}
		if w != nil && len(buf) > 0 {
			if _, err := w.Write(buf); err != nil {
				return g.abort(fmt.Errorf("hostfns: write %s: %w", name, err))
			}
		}
		g.cfg.Deck.MarkBytes(tape.CodeWrite, uint64(d.stream), buf)
		total += len(buf)
	}
	return g.putU32(result, uint32(total))
}

// fdPwrite is fd_write at an offset that is given; the descriptor's own stays.
// It writes there even where the descriptor appends, as POSIX says and Linux
// does not. ESPIPE: a stream.
func fdPwrite(g *Guest, p []uint64) errno.Errno {
	d, e := g.writable(p[0])
	if e != errno.OK {
		return e
	}
	if e := positional(d, p[3]); e != errno.OK {
		return e
	}
	v, e := g.iovecs(p[1], p[2])
	if e != errno.OK {
		return e
	}
	n, _, e := g.writeFile(d, v, int64(p[3]), false)
	if e != errno.OK {
		return e
	}
	return g.putU32(p[4], uint32(n))
}
