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

	"github.com/seed48025506/belljar/cas"
)

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxFrame))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}}

// frameReader reads what frameWriter wrote and trusts none of it.
type frameReader struct {
	r      io.Reader
	minor  uint16
	prev   cas.Digest
	start  int64 // of the frame that was read last
	offset int64 // where the next one begins
	frames int   // whole ones before offset
}

func (f *frameReader) corrupt(what string) error {
	return &CorruptError{Offset: f.offset, What: what}
}

// prefix reads the first bytes of a tape.
func (f *frameReader) prefix() error {
	p := make([]byte, prefixLen)
	n, err := io.ReadFull(f.r, p)
	if err != nil {
		if !bytes.HasPrefix([]byte(magic), p[:min(n, len(magic))]) {
			return f.corrupt(fmt.Sprintf("this is no belljar tape: it is %q", p[:n]))
		}
		return f.end(err)
	}
	if string(p[:len(magic)]) != magic {
		return f.corrupt(fmt.Sprintf("this is no belljar tape: it begins with %q", p[:len(magic)]))
	}
	f.minor = binary.LittleEndian.Uint16(p[len(magic)+2:])
	major := binary.LittleEndian.Uint16(p[len(magic):])
	if major != Major {
		return &VersionError{Major: major, Minor: f.minor}
	}
	f.prev = cas.Sum(p)
	f.offset = int64(prefixLen)
	return nil
}

// end turns the end of the bytes into the error that says so.
func (f *frameReader) end(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &IncompleteError{Offset: f.offset, Frames: f.frames, Torn: !errors.Is(err, io.EOF)}
	}
	return fmt.Errorf("tape: read at byte %d: %w", f.offset, err)
}

// next returns the records of the next frame, or io.EOF after the last.
func (f *frameReader) next() ([]byte, error) {
	var head [frameLen]byte
	if _, err := io.ReadFull(f.r, head[:]); errors.Is(err, io.EOF) {
		return nil, io.EOF
	} else if err != nil {
		return nil, f.end(err)
	}
	stored, raw, flags, err := f.head(head[:])
	if err != nil {
		return nil, err
	}
	body, err := f.body(int(stored))
	if err != nil {
		return nil, err
	}
	sum := cas.Digest(body[stored:])
	body = body[:stored]
	if link(f.prev, head[:], body) != sum {
		return nil, f.corrupt(fmt.Sprintf("frame %d does not match its digest", f.frames+1))
	}
	if body, err = f.unpack(body, int(raw), flags); err != nil {
		return nil, err
	}
	f.prev, f.start = sum, f.offset
	f.offset += int64(frameLen) + int64(stored) + cas.Size
	f.frames++
	return body, nil
}

// body reads the stored bytes and the digest after them. It takes memory as
// the bytes come in, not on the word of the head.
func (f *frameReader) body(stored int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(min(stored+cas.Size, flushAt) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(f.r, int64(stored+cas.Size)))
	if err == nil && n < int64(stored+cas.Size) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, f.end(err)
	}
	return b.Bytes(), nil
}

func (f *frameReader) head(head []byte) (stored, raw, flags uint32, err error) {
	if binary.LittleEndian.Uint32(head[12:]) != crc32.ChecksumIEEE(head[:12]) {
		return 0, 0, 0, f.corrupt(fmt.Sprintf("the head of frame %d does not match its checksum", f.frames+1))
	}
	stored = binary.LittleEndian.Uint32(head[0:])
	raw = binary.LittleEndian.Uint32(head[4:])
	flags = binary.LittleEndian.Uint32(head[8:])
	if raw == 0 || raw > MaxFrame || stored > raw {
		return 0, 0, 0, f.corrupt(fmt.Sprintf("frame %d says that %d bytes are stored in %d; a frame has 1 to %d and is not stored in more",
			f.frames+1, raw, stored, MaxFrame))
	}
	if flags&^flagPacked != 0 {
		return 0, 0, 0, f.corrupt(fmt.Sprintf("frame %d has unknown flags %#x", f.frames+1, flags))
	}
	return stored, raw, flags, nil
}

func (f *frameReader) unpack(body []byte, raw int, flags uint32) ([]byte, error) {
	if flags&flagPacked != 0 {
		dec := decoders.Get().(*zstd.Decoder)
		out, err := dec.DecodeAll(body, make([]byte, 0, min(raw, 2*flushAt)))
		decoders.Put(dec)
		if err != nil {
			return nil, f.corrupt(fmt.Sprintf("frame %d cannot be decompressed: %v", f.frames+1, err))
		}
		body = out
	}
	if len(body) != raw {
		return nil, f.corrupt(fmt.Sprintf("frame %d has %d bytes, its head says %d", f.frames+1, len(body), raw))
	}
	return body, nil
}
