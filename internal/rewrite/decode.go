package rewrite

import "bytes"

// header is the magic number and version 1.
var header = []byte("\x00asm\x01\x00\x00\x00")

// Section ids.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	secTag
)

// order is where a section stands among the others: the data count comes
// before the code.
var order = [...]int{
	secType: 1, secImport: 2, secFunction: 3, secTable: 4, secMemory: 5, secGlobal: 6, secExport: 7,
	secStart: 8, secElement: 9, secDataCount: 10, secCode: 11, secData: 12,
}

// Decode takes a module apart. What it returns shares wasm's memory. Errors
// are *SyntaxError and *UnsupportedError.
func Decode(wasm []byte) (*Module, error) {
	if !bytes.HasPrefix(wasm, header) {
		return nil, notAModule(wasm)
	}
	m := &Module{}
	r := &reader{b: wasm, at: len(header)}
	var last byte
	for r.more() {
		id := r.byte()
		body := r.bytes(r.u32())
		s := &reader{b: body, base: r.at - len(body), err: r.err}
		switch {
		case id == secCustom:
			m.Customs = append(m.Customs, Custom{Name: s.name(), Bytes: s.b[s.at:], After: last})
			s.at = len(s.b)
		case id == secTag:
			s.unsupported("exception handling")
		case int(id) >= len(order) || order[id] <= order[last]:
			s.fail("section %d is unknown or out of order", id)
		default:
			m.section(id, s)
			last = id
		}
		if s.more() {
			s.fail("section %d has %d bytes too many", id, len(s.b)-s.at)
		}
		if s.err != nil {
			return nil, s.err
		}
	}
	if r.err == nil && len(m.Code) != len(m.Funcs) {
		r.fail("%d functions are declared, %d have code", len(m.Funcs), len(m.Code))
	}
	return m, r.err
}

func notAModule(wasm []byte) error {
	switch {
	case len(wasm) >= 8 && string(wasm[:4]) == "\x00asm" && wasm[6] == 1:
		return &UnsupportedError{Offset: 4, Proposal: "the component model"}
	case len(wasm) >= 4 && string(wasm[:4]) == "\x00asm":
		return &SyntaxError{Offset: 4, Text: "it is not version 1"}
	}
	return &SyntaxError{Text: "it does not begin with the magic number of WebAssembly"}
}

func (m *Module) section(id byte, r *reader) {
	switch id {
	case secType:
		m.Types = vector(r, readFuncType)
	case secImport:
		m.Imports = vector(r, readImport)
	case secFunction:
		m.Funcs = vector(r, (*reader).u32)
	case secTable:
		m.Tables = vector(r, readTable)
	case secMemory:
		m.Memories = vector(r, readMemory)
	case secGlobal:
		m.Globals = vector(r, readGlobal)
	case secExport:
		m.Exports = vector(r, readExport)
	case secStart:
		v := r.u32()
		m.Start = &v
	case secElement:
		m.Elements = vector(r, readElement)
	case secDataCount:
		v := r.u32()
		m.DataCount = &v
	case secCode:
		m.Code = vector(r, readBody)
	case secData:
		m.Data = vector(r, readData)
	}
}

// vector reads a length and that many items.
func vector[T any](r *reader, item func(*reader) T) []T {
	n := r.count()
	if n == 0 {
		return nil
	}
	list := make([]T, 0, n)
	for range n {
		if r.err != nil {
			return nil
		}
		list = append(list, item(r))
	}
	return list
}

func readFuncType(r *reader) FuncType {
	switch c := r.byte(); c {
	case 0x60:
		return FuncType{readTypes(r), readTypes(r)}
	case 0x4e, 0x4f, 0x50, 0x5e, 0x5f:
		r.unsupported("garbage collection")
	default:
		r.fail("0x%02x begins no function type", c)
	}
	return FuncType{}
}

func readTypes(r *reader) []ValueType {
	return vector(r, readValueType)
}

func readValueType(r *reader) ValueType {
	switch t := r.byte(); t {
	case I32, I64, F32, F64, V128, FuncRef, ExternRef:
		return t
	case 0x63, 0x64, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x71, 0x72, 0x73:
		r.unsupported("typed references and garbage collection")
	case 0x69, 0x74:
		r.unsupported("exception handling")
	default:
		r.fail("0x%02x is no value type", t)
	}
	return 0
}

func readRefType(r *reader) ValueType {
	t := readValueType(r)
	if r.err == nil && t != FuncRef && t != ExternRef {
		r.fail("0x%02x is no reference type", t)
	}
	return t
}

func readImport(r *reader) Import {
	i := Import{Module: r.name(), Name: r.name(), Kind: r.byte()}
	switch i.Kind {
	case KindFunc:
		i.Type = r.u32()
	case KindTable:
		i.Table = readTable(r)
	case KindMemory:
		i.Memory = readMemory(r)
	case KindGlobal:
		i.Global = readGlobalType(r)
	case 4:
		r.unsupported("exception handling")
	default:
		r.fail("import %q.%q has the unknown kind %d", i.Module, i.Name, i.Kind)
	}
	return i
}

func readTable(r *reader) Table { return Table{Type: readRefType(r), Limits: readLimits(r)} }

func readMemory(r *reader) Limits { return readLimits(r) }

func readLimits(r *reader) Limits {
	flags := r.byte()
	switch {
	case flags&^3 == 4:
		r.unsupported("memory64")
	case flags == 2 || flags == 3:
		r.unsupported("threads")
	case flags > 1:
		r.fail("limits have the unknown flags 0x%02x", flags)
	}
	l := Limits{Min: r.u32(), HasMax: flags == 1}
	if l.HasMax {
		l.Max = r.u32()
	}
	return l
}

func readGlobalType(r *reader) GlobalType {
	g := GlobalType{Type: readValueType(r)}
	mut := r.byte()
	if mut > 1 {
		r.fail("a global is neither constant nor mutable")
	}
	g.Mutable = mut == 1
	return g
}

func readGlobal(r *reader) Global { return Global{readGlobalType(r), readExpr(r)} }

func readExport(r *reader) Export {
	e := Export{Name: r.name(), Kind: r.byte(), Index: r.u32()}
	if e.Kind > KindGlobal {
		r.fail("export %q has the unknown kind %d", e.Name, e.Kind)
	}
	return e
}

func readElement(r *reader) Element {
	e := Element{Flags: r.u32()}
	if e.Flags > 7 {
		r.fail("an element segment has the unknown flags %d", e.Flags)
		return e
	}
	if e.Active() {
		if e.Flags&2 != 0 {
			e.Table = r.u32()
		}
		e.Offset = readExpr(r)
	}
	if e.Flags&3 != 0 {
		if e.Flags&4 != 0 {
			e.Kind = readRefType(r)
		} else if e.Kind = r.byte(); e.Kind != 0 {
			r.fail("an element segment is of the unknown kind 0x%02x", e.Kind)
		}
	}
	if e.Flags&4 != 0 {
		e.Exprs = vector(r, readExpr)
	} else {
		e.Funcs = vector(r, (*reader).u32)
	}
	return e
}

func readData(r *reader) Data {
	d := Data{Flags: r.u32()}
	if d.Flags > 2 {
		r.fail("a data segment has the unknown flags %d", d.Flags)
		return d
	}
	if d.Flags == 2 {
		d.Memory = r.u32()
	}
	if d.Active() {
		d.Offset = readExpr(r)
	}
	d.Bytes = r.bytes(r.u32())
	return d
}

// maxLocals is the most locals that engines admit in one function.
const maxLocals = 50_000

func readBody(r *reader) Body {
	p := r.bytes(r.u32())
	s := &reader{b: p, base: r.base + r.at - len(p), err: r.err}
	b := Body{Locals: vector(s, func(r *reader) Local { return Local{r.u32(), readValueType(r)} })}
	total := uint64(0)
	for _, l := range b.Locals {
		total += uint64(l.Count)
	}
	if total > maxLocals {
		s.fail("a function has %d locals; at most %d are admitted", total, maxLocals)
	}
	b.Offset = s.base + s.at
	b.Expr = readExpr(s)
	if s.more() {
		s.fail("a function goes on after its end")
	}
	if r.err == nil {
		r.err = s.err
	}
	return b
}

// readExpr reads instructions up to the end that closes them, which is part of
// what it returns.
func readExpr(r *reader) []byte {
	start := r.at
	var in instr
	for depth := 1; depth > 0 && r.err == nil; {
		r.instr(&in)
		switch in.op {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			depth--
		}
	}
	if r.err != nil {
		return nil
	}
	return r.since(start)
}
