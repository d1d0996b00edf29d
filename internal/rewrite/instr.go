package rewrite

// instr is one instruction: where its bytes are, and its first index, if it has
// one.
type instr struct {
	op    uint32 // prefixed ones have the prefix in the high byte
	start int    // of the opcode
	imm   int    // of what follows the opcode
	end   int
	index uint32 // first index immediate: function, local, global, label, ...
}

// prefixed makes the op of an instruction behind a prefix byte.
func prefixed(prefix byte, sub uint32) uint32 { return uint32(prefix)<<24 | sub }

// Opcodes that passes look at or write.
const (
	opUnreachable  = 0x00
	opNop          = 0x01
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opReturnCall   = 0x12
	opDrop         = 0x1a
	opSelect       = 0x1b
	opSelectT      = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opI32Load      = 0x28
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opF32Eq        = 0x5b
	opF64Eq        = 0x61
	opI64LtS       = 0x53
	opI64Sub       = 0x7d
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2

	blockEmpty = 0x40 // block type of a block without values

	prefixMisc = 0xfc
	prefixSIMD = 0xfd
)

var (
	opMemoryInit = prefixed(prefixMisc, 8)
	opMemoryCopy = prefixed(prefixMisc, 10)
	opMemoryFill = prefixed(prefixMisc, 11)
	opTableInit  = prefixed(prefixMisc, 12)
	opTableCopy  = prefixed(prefixMisc, 14)
	opTableGrow  = prefixed(prefixMisc, 15)
	opTableFill  = prefixed(prefixMisc, 17)
)

// shape says which immediates follow an opcode of one byte.
type shape uint8

const (
	shapeRefused shape = iota
	shapeNone
	shapeIndex
	shapeBlock
	shapeMemarg
	shapeMemory
	shapeS32
	shapeS64
	shapeFour
	shapeEight
	shapeTwoIndices
	shapeLabels
	shapeTypes
	shapeRefType
	shapePrefix
)

// shapes has the shape of every opcode; what is not listed is refused.
var shapes = func() (t [256]shape) {
	set := func(s shape, from, to int) {
		for op := from; op <= to; op++ {
			t[op] = s
		}
	}
	set(shapeNone, opUnreachable, opNop)
	set(shapeBlock, opBlock, opIf)
	set(shapeNone, opElse, opElse)
	set(shapeNone, opEnd, opEnd)
	set(shapeIndex, opBr, opBrIf)
	set(shapeLabels, opBrTable, opBrTable)
	set(shapeNone, opReturn, opReturn)
	set(shapeIndex, opCall, opCall)
	set(shapeTwoIndices, opCallIndirect, opCallIndirect)
	set(shapeNone, opDrop, opSelect)
	set(shapeTypes, opSelectT, opSelectT)
	set(shapeIndex, opLocalGet, opTableSet)
	set(shapeMemarg, opI32Load, opI64Store32)
	set(shapeMemory, opMemorySize, opMemoryGrow)
	set(shapeS32, opI32Const, opI32Const)
	set(shapeS64, opI64Const, opI64Const)
	set(shapeFour, opF32Const, opF32Const)
	set(shapeEight, opF64Const, opF64Const)
	set(shapeNone, 0x45, 0xc4) // comparisons, arithmetic, conversions
	set(shapeRefType, opRefNull, opRefNull)
	set(shapeNone, opRefIsNull, opRefIsNull)
	set(shapeIndex, opRefFunc, opRefFunc)
	set(shapePrefix, prefixMisc, prefixSIMD)
	return t
}()

// instr reads one instruction into in.
func (r *reader) instr(in *instr) {
	in.start, in.index = r.at, 0
	op := r.byte()
	in.op, in.imm = uint32(op), r.at
	switch shapes[op] {
	case shapeNone:
	case shapeIndex:
		in.index = r.u32()
	case shapeMemarg:
		r.memarg()
	case shapeS32:
		r.skipSigned(32)
	case shapeBlock:
		r.skipSigned(33)
	case shapeS64:
		r.skipSigned(64)
	default:
		r.rare(in, op)
	}
	in.end = r.at
}

// rare reads the immediates of the opcodes that instr leaves to it.
func (r *reader) rare(in *instr, op byte) {
	switch shapes[op] {
	case shapeMemory:
		r.memory()
	case shapeFour:
		r.bytes(4)
	case shapeEight:
		r.bytes(8)
	case shapeTwoIndices:
		in.index = r.u32()
		r.u32()
	case shapeLabels:
		for n := r.count() + 1; n > 0 && r.err == nil; n-- {
			r.u32()
		}
	case shapeTypes:
		vector(r, readValueType)
	case shapeRefType:
		readRefType(r)
	case shapePrefix:
		if op == prefixMisc {
			r.misc(in)
		} else {
			r.simd(in)
		}
	default:
		r.at = in.start
		r.refuse(op)
	}
}

// refuse says which proposal an opcode belongs to.
func (r *reader) refuse(op byte) {
	switch {
	case op == opReturnCall || op == 0x13:
		r.unsupported("tail calls")
	case op >= 0x06 && op <= 0x0a || op == 0x18 || op == 0x19 || op == 0x1f:
		r.unsupported("exception handling")
	case op == 0x14 || op == 0x15 || op >= 0xd3 && op <= 0xd6:
		r.unsupported("typed function references")
	case op == 0xfb:
		r.unsupported("garbage collection")
	case op == 0xfe:
		r.unsupported("threads")
	default:
		r.fail("0x%02x is no instruction", op)
	}
}

func (r *reader) memarg() {
	if align := r.u32(); align >= 64 {
		r.unsupported("several memories")
	}
	r.u32()
}

func (r *reader) memory() {
	if r.byte() != 0 {
		r.unsupported("several memories")
	}
}

// misc reads what follows prefix 0xfc.
func (r *reader) misc(in *instr) {
	sub := r.u32()
	in.op, in.imm = prefixed(prefixMisc, sub), r.at
	switch {
	case sub <= 7: // saturating conversions
	case sub == 8: // memory.init
		in.index = r.u32()
		r.memory()
	case sub == 9 || sub == 13 || sub >= 15 && sub <= 17: // drops, table.grow, size, fill
		in.index = r.u32()
	case sub == 10: // memory.copy
		r.memory()
		r.memory()
	case sub == 11: // memory.fill
		r.memory()
	case sub == 12 || sub == 14: // table.init, table.copy
		in.index = r.u32()
		r.u32()
	case sub >= 19 && sub <= 22:
		r.unsupported("wide arithmetic")
	default:
		r.fail("0xfc %d is no instruction", sub)
	}
}

// simd reads what follows prefix 0xfd.
func (r *reader) simd(in *instr) {
	sub := r.u32()
	in.op, in.imm = prefixed(prefixSIMD, sub), r.at
	switch {
	case sub <= 11 || sub == 92 || sub == 93: // loads and stores
		r.memarg()
	case sub == 12 || sub == 13: // v128.const, i8x16.shuffle
		r.bytes(16)
	case sub >= 21 && sub <= 34: // lanes
		r.byte()
	case sub >= 84 && sub <= 91: // loads and stores of a lane
		r.memarg()
		r.byte()
	case sub >= 256 && sub <= 275:
		r.unsupported("relaxed SIMD")
	case sub > 255:
		r.fail("0xfd %d is no instruction", sub)
	}
}

// walk calls f with each instruction of an expression that Decode has read.
func walk(expr []byte, f func(in *instr)) {
	r := reader{b: expr}
	var in instr
	for r.more() {
		r.instr(&in)
		f(&in)
	}
}
