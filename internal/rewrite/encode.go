package rewrite

// Encode puts the module together. Numbers are in their shortest form, so the
// bytes may differ from those that were decoded though nothing was changed.
func (m *Module) Encode() []byte {
	out := append(make([]byte, 0, m.size()), header...)
	out = m.customs(out, 0)
	for _, s := range []struct {
		id   byte
		body []byte
	}{
		{secType, list(m.Types, appendFuncType)},
		{secImport, list(m.Imports, appendImport)},
		{secFunction, list(m.Funcs, appendU32)},
		{secTable, list(m.Tables, appendTable)},
		{secMemory, list(m.Memories, appendLimits)},
		{secGlobal, list(m.Globals, appendGlobal)},
		{secExport, list(m.Exports, appendExport)},
		{secStart, number(m.Start)},
		{secElement, list(m.Elements, appendElement)},
		{secDataCount, number(m.DataCount)},
		{secCode, m.code()},
		{secData, list(m.Data, appendData)},
	} {
		if s.body != nil {
			out = appendSized(append(out, s.id), s.body)
		}
		out = m.customs(out, s.id)
	}
	return out
}

// size is about how long the encoded module is.
func (m *Module) size() int {
	n := 1 << 16
	for i := range m.Code {
		n += len(m.Code[i].Expr) + 16
	}
	for i := range m.Data {
		n += len(m.Data[i].Bytes) + 16
	}
	for i := range m.Customs {
		n += len(m.Customs[i].Bytes) + 32
	}
	return n
}

// code is the body of the code section, most of a module.
func (m *Module) code() []byte {
	if len(m.Code) == 0 {
		return nil
	}
	p := appendU32(make([]byte, 0, m.size()), uint32(len(m.Code)))
	for i := range m.Code {
		p = appendBody(p, &m.Code[i])
	}
	return p
}

// customs appends the custom sections that follow a section.
func (m *Module) customs(out []byte, after byte) []byte {
	for _, c := range m.Customs {
		if c.After == after {
			out = appendSized(append(out, secCustom), append(appendName(nil, c.Name), c.Bytes...))
		}
	}
	return out
}

// list is the body of a section, nil if there is nothing in it.
func list[T any](items []T, item func([]byte, T) []byte) []byte {
	if len(items) == 0 {
		return nil
	}
	p := appendU32(nil, uint32(len(items)))
	for _, i := range items {
		p = item(p, i)
	}
	return p
}

func number(v *uint32) []byte {
	if v == nil {
		return nil
	}
	return appendU32(nil, *v)
}

func appendFuncType(p []byte, t FuncType) []byte {
	return appendSized(appendSized(append(p, 0x60), t.Params), t.Results)
}

func appendImport(p []byte, i Import) []byte {
	p = append(appendName(appendName(p, i.Module), i.Name), i.Kind)
	switch i.Kind {
	case KindFunc:
		return appendU32(p, i.Type)
	case KindTable:
		return appendTable(p, i.Table)
	case KindMemory:
		return appendLimits(p, i.Memory)
	}
	return appendGlobalType(p, i.Global)
}

func appendTable(p []byte, t Table) []byte { return appendLimits(append(p, t.Type), t.Limits) }

func appendLimits(p []byte, l Limits) []byte {
	if !l.HasMax {
		return appendU32(append(p, 0), l.Min)
	}
	return appendU32(appendU32(append(p, 1), l.Min), l.Max)
}

func appendGlobalType(p []byte, g GlobalType) []byte {
	mut := byte(0)
	if g.Mutable {
		mut = 1
	}
	return append(p, g.Type, mut)
}

func appendGlobal(p []byte, g Global) []byte {
	return append(appendGlobalType(p, g.GlobalType), g.Init...)
}

func appendExport(p []byte, e Export) []byte {
	return appendU32(append(appendName(p, e.Name), e.Kind), e.Index)
}

func appendElement(p []byte, e Element) []byte {
	p = appendU32(p, e.Flags)
	if e.Active() {
		if e.Flags&2 != 0 {
			p = appendU32(p, e.Table)
		}
		p = append(p, e.Offset...)
	}
	if e.Flags&3 != 0 {
		p = append(p, e.Kind)
	}
	if e.Flags&4 == 0 {
		p = appendU32(p, uint32(len(e.Funcs)))
		for _, f := range e.Funcs {
			p = appendU32(p, f)
		}
		return p
	}
	p = appendU32(p, uint32(len(e.Exprs)))
	for _, x := range e.Exprs {
		p = append(p, x...)
	}
	return p
}

func appendBody(p []byte, b *Body) []byte {
	locals := appendU32(nil, uint32(len(b.Locals)))
	for _, l := range b.Locals {
		locals = append(appendU32(locals, l.Count), l.Type)
	}
	p = appendU32(p, uint32(len(locals)+len(b.Expr)))
	return append(append(p, locals...), b.Expr...)
}

func appendData(p []byte, d Data) []byte {
	p = appendU32(p, d.Flags)
	if d.Flags == 2 {
		p = appendU32(p, d.Memory)
	}
	return appendSized(append(p, d.Offset...), d.Bytes)
}
