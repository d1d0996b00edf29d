package rewrite

import "slices"

// Module is a module taken apart as far as passes need it. Index spaces are
// those of the format: imports first.
type Module struct {
	Types     []FuncType
	Imports   []Import
	Funcs     []uint32 // types of the module's own functions
	Tables    []Table
	Memories  []Limits
	Globals   []Global
	Exports   []Export
	Start     *uint32
	Elements  []Element
	DataCount *uint32
	Code      []Body // one for each of Funcs
	Data      []Data
	Customs   []Custom
}

// ValueType is a type of the stack.
type ValueType = byte

// The value types of WebAssembly 2.0.
const (
	I32       ValueType = 0x7f
	I64       ValueType = 0x7e
	F32       ValueType = 0x7d
	F64       ValueType = 0x7c
	V128      ValueType = 0x7b
	FuncRef   ValueType = 0x70
	ExternRef ValueType = 0x6f
)

// FuncType is the signature of a function.
type FuncType struct{ Params, Results []ValueType }

// ExternKind says what an import or export is.
type ExternKind = byte

// The kinds of imports and exports.
const (
	KindFunc ExternKind = iota
	KindTable
	KindMemory
	KindGlobal
)

// Import is something from outside. Of Type, Table, Memory and Global the one
// that fits Kind is set.
type Import struct {
	Module, Name string
	Kind         ExternKind
	Type         uint32
	Table        Table
	Memory       Limits
	Global       GlobalType
}

// Limits bound a memory, in pages of 64 KiB, or a table, in elements.
type Limits struct {
	Min    uint32
	Max    uint32 // if HasMax
	HasMax bool
}

// Table is a table of references.
type Table struct {
	Type   ValueType
	Limits Limits
}

// GlobalType is the type of a global.
type GlobalType struct {
	Type    ValueType
	Mutable bool
}

// Global is a global of the module's own. Init is a constant expression with
// its end.
type Global struct {
	GlobalType
	Init []byte
}

// Export is something shown outside.
type Export struct {
	Name  string
	Kind  ExternKind
	Index uint32
}

// Element is an element segment. Flags are those of the format: 1 passive or
// declarative, 2 with a table index or declarative, 4 with expressions.
type Element struct {
	Flags  uint32
	Table  uint32
	Offset []byte    // constant expression, of an active segment
	Kind   ValueType // reftype or elemkind, if Flags&3 is not 0
	Funcs  []uint32  // without Flags&4
	Exprs  [][]byte  // with Flags&4
}

// Active reports whether instantiation copies the segment into its table.
func (e *Element) Active() bool { return e.Flags&1 == 0 }

// Body is the code of a function.
type Body struct {
	Locals []Local
	Expr   []byte // with its end
	Offset int    // of Expr in the module that was decoded; -1: it was added
}

// Local is a run of locals of one type.
type Local struct {
	Count uint32
	Type  ValueType
}

// Data is a data segment. Flags are 0 active, 1 passive, 2 active with a memory
// index.
type Data struct {
	Flags  uint32
	Memory uint32
	Offset []byte // constant expression, of an active segment
	Bytes  []byte
}

// Active reports whether instantiation copies the segment into its memory.
func (d *Data) Active() bool { return d.Flags&1 == 0 }

// Custom is a custom section. After is the id of the section that it follows.
type Custom struct {
	Name  string
	Bytes []byte
	After byte
}

// imported counts imports of a kind, which is where the module's own begin.
func (m *Module) imported(kind ExternKind) uint32 {
	n := uint32(0)
	for _, i := range m.Imports {
		if i.Kind == kind {
			n++
		}
	}
	return n
}

// TypeIndex returns the index of a signature, adding it if it is not there.
func (m *Module) TypeIndex(t FuncType) uint32 {
	for i, u := range m.Types {
		if string(u.Params) == string(t.Params) && string(u.Results) == string(t.Results) {
			return uint32(i)
		}
	}
	m.Types = append(m.Types, t)
	return uint32(len(m.Types) - 1)
}

// AddExport shows something outside, under a name that is like the one that is
// asked for, and returns it.
func (m *Module) AddExport(name string, kind ExternKind, index uint32) string {
	for slices.ContainsFunc(m.Exports, func(e Export) bool { return e.Name == name }) {
		name += "'"
	}
	m.Exports = append(m.Exports, Export{name, kind, index})
	return name
}

// AddGlobal adds a global and returns its index.
func (m *Module) AddGlobal(g Global) uint32 {
	m.Globals = append(m.Globals, g)
	return m.imported(KindGlobal) + uint32(len(m.Globals)-1)
}
