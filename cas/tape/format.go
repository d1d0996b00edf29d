package tape

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"github.com/seed48025506/belljar/cas"
)

// The version that this package writes. It reads every minor version of Major.
const (
	Major uint16 = 1
	Minor uint16 = 0
)

// Limits of the format.
const (
	// InlineLimit is the largest payload, in bytes, that is kept on the tape
	// itself; a larger one is in the store.
	InlineLimit = 4 << 10
	// MaxFrame is the largest frame, in bytes before compression. It bounds
	// what a hostile length can cost.
	MaxFrame = 16 << 20
)

const (
	magic      = "BELLJAR\n"
	prefixLen  = len(magic) + 4
	frameLen   = 16 // stored, raw, flags, crc
	flushAt    = 64 << 10
	flagPacked = 1
)

// link is the digest that chains a frame to all before it.
func link(prev cas.Digest, head, body []byte) (d cas.Digest) {
	h := blake3.New()
	_, _ = h.Write(prev[:])
	_, _ = h.Write(head)
	_, _ = h.Write(body)
	h.Sum(d[:0])
	return d
}

// Encoders are costly to make and are kept for the next tape.
var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}}

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxFrame))
	if err != nil {
		panic(err)
	}
	return d
}}

// frameWriter writes the prefix and the frames.
type frameWriter struct {
	w    io.Writer
	prev cas.Digest
	raw  []byte // records of the frame in the making
	out  []byte
	err  error
}

func newFrameWriter(w io.Writer) *frameWriter {
	f := &frameWriter{w: w}
	prefix := make([]byte, 0, prefixLen)
	prefix = append(prefix, magic...)
	prefix = binary.LittleEndian.AppendUint16(prefix, Major)
	prefix = binary.LittleEndian.AppendUint16(prefix, Minor)
	f.prev = cas.Sum(prefix)
	f.write(prefix)
	return f
}

func (f *frameWriter) write(p []byte) {
	if f.err != nil {
		return
	}
	if _, err := f.w.Write(p); err != nil {
		f.err = fmt.Errorf("tape: write: %w", err)
	}
}

// add puts an encoded record into the frame and ends the frame when it is full.
func (f *frameWriter) add(rec []byte) {
	f.raw = append(f.raw, rec...)
	if len(f.raw) >= flushAt {
		f.flush()
	}
}

// flush ends the frame. An empty frame is not written.
func (f *frameWriter) flush() {
	if len(f.raw) == 0 || f.err != nil {
		return
	}
	enc := encoders.Get().(*zstd.Encoder)
	packed := enc.EncodeAll(f.raw, f.out[:0])
	encoders.Put(enc)
	f.out = packed
	body, flags := packed, uint32(flagPacked)
	if len(packed) >= len(f.raw) {
		body, flags = f.raw, 0
	}
	var head [frameLen]byte
	binary.LittleEndian.PutUint32(head[0:], uint32(len(body)))
	binary.LittleEndian.PutUint32(head[4:], uint32(len(f.raw)))
	binary.LittleEndian.PutUint32(head[8:], flags)
	binary.LittleEndian.PutUint32(head[12:], crc32.ChecksumIEEE(head[:12]))
	f.prev = link(f.prev, head[:], body)
	f.write(head[:])
	f.write(body)
	f.write(f.prev[:])
	f.raw = f.raw[:0]
}

// frameReader reads what frameWriter wrote and trusts none of it.
type frameReader struct {
	r      io.Reader
	prev   cas.Digest
	offset int64
	frames int
}

func (f *frameReader) corrupt(what string) error {
	return &CorruptError{Offset: f.offset, What: what}
}

func (f *frameReader) torn() error {
	return &IncompleteError{Offset: f.offset, Frames: f.frames, Torn: true}
}

// prefix reads the first bytes of a tape.
func (f *frameReader) prefix() error {
	p := make([]byte, prefixLen)
	n, err := io.ReadFull(f.r, p)
	if err != nil {
		if !bytes.HasPrefix([]byte(magic), p[:min(n, len(magic))]) {
			return f.corrupt("this is no belljar tape")
		}
		return f.end(err)
	}
	if string(p[:len(magic)]) != magic {
		return f.corrupt(fmt.Sprintf("this is no belljar tape: it begins with %q", p[:len(magic)]))
	}
	major := binary.LittleEndian.Uint16(p[len(magic):])
	if major != Major {
		return &VersionError{Major: major, Minor: binary.LittleEndian.Uint16(p[len(magic)+2:])}
	}
	f.prev = cas.Sum(p)
	f.offset = int64(prefixLen)
	return nil
}

// end turns the end of the bytes into the error that says so.
func (f *frameReader) end(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return f.torn()
	}
	return fmt.Errorf("tape: read at byte %d: %w", f.offset, err)
}

// next returns the records of the next frame, or io.EOF after the last.
func (f *frameReader) next() ([]byte, error) {
	var head [frameLen]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, f.end(err)
	}
	stored, raw, flags, err := f.head(head[:])
	if err != nil {
		return nil, err
	}
	body := make([]byte, int(stored)+cas.Size)
	if _, err := io.ReadFull(f.r, body); err != nil {
		return nil, f.end(err)
	}
	sum := cas.Digest(body[stored:])
	body = body[:stored]
	if link(f.prev, head[:], body) != sum {
		return nil, f.corrupt(fmt.Sprintf("frame %d does not match its digest", f.frames+1))
	}
	if body, err = f.unpack(body, raw, flags); err != nil {
		return nil, err
	}
	f.prev = sum
	f.offset += int64(frameLen) + int64(stored) + cas.Size
	f.frames++
	return body, nil
}

func (f *frameReader) head(head []byte) (stored, raw, flags uint32, err error) {
	if binary.LittleEndian.Uint32(head[12:]) != crc32.ChecksumIEEE(head[:12]) {
		return 0, 0, 0, f.corrupt(fmt.Sprintf("the head of frame %d does not match its checksum", f.frames+1))
	}
	stored = binary.LittleEndian.Uint32(head[0:])
	raw = binary.LittleEndian.Uint32(head[4:])
	flags = binary.LittleEndian.Uint32(head[8:])
	if raw > MaxFrame || stored > MaxFrame || raw == 0 {
		return 0, 0, 0, f.corrupt(fmt.Sprintf("frame %d says that it has %d bytes, of which %d are stored; at most %d",
			f.frames+1, raw, stored, MaxFrame))
	}
	if flags > flagPacked {
		return 0, 0, 0, f.corrupt(fmt.Sprintf("frame %d has unknown flags %#x", f.frames+1, flags))
	}
	return stored, raw, flags, nil
}

func (f *frameReader) unpack(body []byte, raw, flags uint32) ([]byte, error) {
	if flags&flagPacked != 0 {
		dec := decoders.Get().(*zstd.Decoder)
		out, err := dec.DecodeAll(body, make([]byte, 0, min(raw, 1<<20)))
		decoders.Put(dec)
		if err != nil {
			return nil, f.corrupt(fmt.Sprintf("frame %d cannot be decompressed: %v", f.frames+1, err))
		}
		body = out
	}
	if len(body) != int(raw) {
		return nil, f.corrupt(fmt.Sprintf("frame %d has %d bytes, its head says %d", f.frames+1, len(body), raw))
	}
	return body, nil
}
