package rewrite

import (
	"fmt"
	"unicode/utf8"
)

// reader reads the binary format. After its first error it reads zeros.
type reader struct {
	b    []byte
	at   int
	base int // where b lies in the module, for messages
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &SyntaxError{Offset: r.base + r.at, Text: fmt.Sprintf(format, args...)}
		r.at = len(r.b)
	}
}

func (r *reader) unsupported(proposal string) {
	if r.err == nil {
		r.err = &UnsupportedError{Offset: r.base + r.at, Proposal: proposal}
		r.at = len(r.b)
	}
}

func (r *reader) more() bool { return r.err == nil && r.at < len(r.b) }

func (r *reader) byte() byte {
	if r.at >= len(r.b) {
		r.fail("it ends in the middle")
		return 0
	}
	c := r.b[r.at]
	r.at++
	return c
}

// bytes returns the next n bytes, which still belong to the module.
func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)-r.at) {
		r.fail("%d bytes are announced, %d are left", n, len(r.b)-r.at)
		return nil
	}
	p := r.b[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return p
}

// u32 reads an unsigned LEB128 of at most 32 bits.
func (r *reader) u32() uint32 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 { // most are short
		r.at++
		return uint32(r.b[r.at-1])
	}
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		if shift == 28 && c > 0x0f {
			break
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.fail("a 32-bit number is too long")
	return 0
}

// skipSigned passes over a signed LEB128 of at most bits bits.
func (r *reader) skipSigned(bits int) {
	for range (bits + 6) / 7 {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail("a %d-bit number is too long", bits)
}

func (r *reader) name() string {
	p := r.bytes(r.u32())
	if !utf8.Valid(p) {
		r.fail("a name is not UTF-8")
	}
	return string(p)
}

// count reads the length of a vector whose items take at least one byte each,
// so that a false one cannot ask for much memory.
func (r *reader) count() int {
	n := r.u32()
	if uint64(n) > uint64(len(r.b)-r.at) {
		r.fail("%d items are announced, %d bytes are left", n, len(r.b)-r.at)
		return 0
	}
	return int(n)
}

// since returns the bytes from a place to here.
func (r *reader) since(start int) []byte { return r.b[start:r.at:r.at] }
