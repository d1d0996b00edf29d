package tape

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/seed48025506/belljar/cas"
)

// Encoders are costly to make and are kept for the next tape. The window is
// small because a frame is: a larger one only costs memory.
var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(2*flushAt))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}}

// frameWriter writes the prefix and the frames. Each frame is one Write, so
// that an unbuffered file costs one system call for it.
type frameWriter struct {
	w    io.Writer
	prev cas.Digest
	raw  []byte // records of the frame in the making
	zip  []byte // kept for its memory
	out  []byte // what the next Write begins with: the prefix, at first
	n    int64  // bytes written
	err  error  // the first of w, after which nothing is written
}

func newFrameWriter(w io.Writer, minor uint16) *frameWriter {
	p := append(make([]byte, 0, 1024), magic...)
	p = binary.LittleEndian.AppendUint16(p, Major)
	p = binary.LittleEndian.AppendUint16(p, minor)
	return &frameWriter{w: w, prev: cas.Sum(p), out: p}
}

// add puts an encoded record into the frame and ends the frame when it is full.
func (f *frameWriter) add(rec []byte) error {
	if len(rec) > MaxRecord {
		return fmt.Errorf("tape: a record of %d bytes is over the limit of %d; shorten the key, the arguments or the environment",
			len(rec), MaxRecord)
	}
	f.raw = append(f.raw, rec...)
	if len(f.raw) >= flushAt {
		return f.flush()
	}
	return f.err
}

// flush ends the frame. An empty frame is not written.
func (f *frameWriter) flush() error {
	if len(f.raw) == 0 || f.err != nil {
		return f.err
	}
	body, flags := f.pack()
	var head [frameLen]byte
	binary.LittleEndian.PutUint32(head[0:], uint32(len(body)))
	binary.LittleEndian.PutUint32(head[4:], uint32(len(f.raw)))
	binary.LittleEndian.PutUint32(head[8:], flags)
	binary.LittleEndian.PutUint32(head[12:], crc32.ChecksumIEEE(head[:12]))
	f.prev = link(f.prev, head[:], body)
	f.out = append(append(append(f.out, head[:]...), body...), f.prev[:]...)
	n, err := f.w.Write(f.out)
	f.n += int64(n)
	if err != nil {
		f.err = fmt.Errorf("tape: write: %w", err)
	}
	f.raw, f.out = f.raw[:0], f.out[:0]
	return f.err
}

// pack compresses the records where that makes them fewer bytes.
func (f *frameWriter) pack() (body []byte, flags uint32) {
	enc := encoders.Get().(*zstd.Encoder)
	f.zip = enc.EncodeAll(f.raw, f.zip[:0])
	encoders.Put(enc)
	if len(f.zip) < len(f.raw) {
		return f.zip, flagPacked
	}
	return f.raw, 0
}
