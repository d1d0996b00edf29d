package rewrite

// The bits of the canonical NaN: positive, quiet, nothing else.
var (
	nanF32 = []byte{0x00, 0x00, 0xc0, 0x7f}
	nanF64 = []byte{0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x7f}
)

// CanonicalNaN makes every NaN that arithmetic produces the canonical one.
// WebAssembly leaves its sign and payload to the engine and the processor, so
// without this pass they can differ between machines. NaNs that are loaded,
// reinterpreted or only have their sign changed are the program's own and stay.
func (m *Module) CanonicalNaN() {
	m.eachBody(m.canonical)
}

// canonical passes one function.
func (m *Module) canonical(i int, b *Body) {
	var kinds [3]bool // F32, F64, V128
	walk(b.Expr, func(in *instr) {
		if k, ok := producesNaN(in.op); ok {
			kinds[scratchOf(k)] = true
		}
	})
	if kinds == [3]bool{} || uint64(m.Funcs[i]) >= uint64(len(m.Types)) {
		return
	}
	var scratch [3]uint32
	next := uint32(len(m.Types[m.Funcs[i]].Params))
	for _, l := range b.Locals {
		next += l.Count
	}
	for k, t := range []ValueType{F32, F64, V128} {
		if kinds[k] {
			b.Locals = append(b.Locals[:len(b.Locals):len(b.Locals)], Local{1, t})
			scratch[k], next = next, next+1
		}
	}
	out := make([]byte, 0, len(b.Expr)*2)
	walk(b.Expr, func(in *instr) {
		out = append(out, b.Expr[in.start:in.end]...)
		if k, ok := producesNaN(in.op); ok {
			out = appendCanonical(out, k, scratch[scratchOf(k)])
		}
	})
	b.Expr = out
}

// nanKind says what an instruction may make a NaN in.
type nanKind uint8

const (
	scalar32 nanKind = iota
	scalar64
	vector32
	vector64
)

func scratchOf(k nanKind) int { return int(min(k, vector32)) }

// producesNaN reports whether the bits of a NaN result are not determined.
func producesNaN(op uint32) (nanKind, bool) {
	if op>>24 == prefixSIMD {
		return simdProducesNaN(op & 0xffffff)
	}
	switch {
	case op >= 0x8d && op <= 0x97: // f32.ceil to f32.max
		return scalar32, true
	case op >= 0x9b && op <= 0xa5: // f64.ceil to f64.max
		return scalar64, true
	case op == 0xb6: // f32.demote_f64
		return scalar32, true
	case op == 0xbb: // f64.promote_f32
		return scalar64, true
	}
	return 0, false
}

func simdProducesNaN(sub uint32) (nanKind, bool) {
	switch {
	case sub == 94: // f32x4.demote_f64x2_zero
		return vector32, true
	case sub == 95: // f64x2.promote_low_f32x4
		return vector64, true
	case sub >= 103 && sub <= 106: // f32x4.ceil, floor, trunc, nearest
		return vector32, true
	case sub == 116 || sub == 117 || sub == 122 || sub == 148: // f64x2.ceil, floor, trunc, nearest
		return vector64, true
	case sub >= 227 && sub <= 233: // f32x4.sqrt, add, sub, mul, div, min, max
		return vector32, true
	case sub >= 239 && sub <= 245: // the same of f64x2
		return vector64, true
	}
	// pmin and pmax return one of their operands, bit for bit.
	return 0, false
}

// appendCanonical appends: x == x ? x : NaN, without a branch.
func appendCanonical(p []byte, k nanKind, scratch uint32) []byte {
	p = appendU32(append(p, opLocalTee), scratch)
	p = appendNaN(p, k)
	p = appendU32(append(p, opLocalGet), scratch)
	p = appendU32(append(p, opLocalGet), scratch)
	switch k {
	case scalar32:
		return append(p, opF32Eq, opSelect)
	case scalar64:
		return append(p, opF64Eq, opSelect)
	case vector32:
		p = appendU32(append(p, prefixSIMD), 65) // f32x4.eq
	case vector64:
		p = appendU32(append(p, prefixSIMD), 71) // f64x2.eq
	}
	return appendU32(append(p, prefixSIMD), 82) // v128.bitselect
}

func appendNaN(p []byte, k nanKind) []byte {
	switch k {
	case scalar32:
		return append(append(p, opF32Const), nanF32...)
	case scalar64:
		return append(append(p, opF64Const), nanF64...)
	}
	p = appendU32(append(p, prefixSIMD), 12) // v128.const
	for len16 := len(p) + 16; len(p) < len16; {
		if k == vector32 {
			p = append(p, nanF32...)
		} else {
			p = append(p, nanF64...)
		}
	}
	return p
}
