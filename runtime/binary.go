package runtime

import (
	"errors"
	"fmt"
)

// outline is what must be known of a module and engines do not tell: every
// import, of any kind, and the memory it starts with, exported or not
// (WebAssembly 2.0 core, section 5.5).
type outline struct {
	imports []Import // without signatures
	memory  uint64   // bytes
}

const (
	sectionImport = 2
	sectionMemory = 5
)

var errCut = errors.New("the module is cut off inside a section")

// readOutline reads the import and memory sections. It trusts nothing: it is
// handed bytes that no engine has validated yet.
func readOutline(wasm []byte) (outline, error) {
	var out outline
	r := byteReader{p: wasm[min(8, len(wasm)):]}
	for len(r.p) > 0 && r.err == nil {
		id := r.byte()
		body := byteReader{p: r.bytes(r.u32())}
		switch id {
		case sectionImport:
			body.imports(&out)
		case sectionMemory:
			for n := body.u32(); n > 0 && body.err == nil; n-- {
				out.memory = max(out.memory, body.memoryType())
			}
		}
		if r.err == nil && body.err != nil {
			r.err = fmt.Errorf("section %d: %w", id, body.err)
		}
	}
	return out, r.err
}

// byteReader reads the binary format from p. After the first error every read
// gives zeros.
type byteReader struct {
	p   []byte
	err error
}

func (r *byteReader) imports(out *outline) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		imp := Import{Module: r.name(), Name: r.name()}
		switch kind := r.byte(); kind {
		case 0:
			imp.Kind = ExternFunc
			r.u32()
		case 1:
			imp.Kind = ExternTable
			r.byte()
			r.limits()
		case 2:
			imp.Kind = ExternMemory
			out.memory = max(out.memory, r.memoryType())
		case 3:
			imp.Kind = ExternGlobal
			r.bytes(2)
		default:
			r.fail(fmt.Errorf("import %s has the unknown kind %d", imp, kind))
		}
		if r.err == nil {
			out.imports = append(out.imports, imp)
		}
	}
}

// memoryType returns the least size of a memory in bytes.
func (r *byteReader) memoryType() uint64 { return uint64(r.limits()) << 16 }

func (r *byteReader) limits() (least uint32) {
	flags := r.byte()
	least = r.u32()
	if flags&1 != 0 {
		r.u32()
	}
	return least
}

func (r *byteReader) name() string { return string(r.bytes(r.u32())) }

func (r *byteReader) byte() byte {
	if p := r.bytes(1); len(p) == 1 {
		return p[0]
	}
	return 0
}

func (r *byteReader) bytes(n uint32) []byte {
	if r.err == nil && uint64(n) > uint64(len(r.p)) {
		r.fail(errCut)
	}
	if r.err != nil {
		return nil
	}
	p := r.p[:n]
	r.p = r.p[n:]
	return p
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *byteReader) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v > 0xffffffff {
				break
			}
			return uint32(v)
		}
	}
	r.fail(errors.New("a number is longer than 32 bits"))
	return 0
}

func (r *byteReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.p = nil
}
