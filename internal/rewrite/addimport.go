package rewrite

// AddImport adds a function import behind the module's imports and returns its
// index. The module's own functions move up by one; every index of theirs is
// changed, names included. Sections of debug information that speak of places
// in the code are not touched: see StripDebug.
func (m *Module) AddImport(module, name string, t FuncType) uint32 {
	at := m.imported(KindFunc)
	m.Imports = append(m.Imports, Import{Module: module, Name: name, Kind: KindFunc, Type: m.TypeIndex(t)})
	move := func(i uint32) uint32 {
		if i >= at {
			i++
		}
		return i
	}
	for i := range m.Exports {
		if e := &m.Exports[i]; e.Kind == KindFunc {
			e.Index = move(e.Index)
		}
	}
	if m.Start != nil {
		v := move(*m.Start)
		m.Start = &v
	}
	for i := range m.Globals {
		m.Globals[i].Init = moveFuncs(m.Globals[i].Init, move)
	}
	for i := range m.Elements {
		e := &m.Elements[i]
		e.Offset = moveFuncs(e.Offset, move)
		for j := range e.Funcs {
			e.Funcs[j] = move(e.Funcs[j])
		}
		for j := range e.Exprs {
			e.Exprs[j] = moveFuncs(e.Exprs[j], move)
		}
	}
	m.eachBody(func(_ int, b *Body) { b.Expr = moveFuncs(b.Expr, move) })
	for i := range m.Customs {
		if c := &m.Customs[i]; c.Name == "name" {
			c.Bytes = moveNames(c.Bytes, move)
		}
	}
	return at
}

// moveFuncs rewrites the function indices of an expression. What does not
// change is not copied.
func moveFuncs(expr []byte, move func(uint32) uint32) []byte {
	var out []byte
	copied := 0
	walk(expr, func(in *instr) {
		if in.op != opCall && in.op != opRefFunc {
			return
		}
		to := move(in.index)
		if to == in.index {
			return
		}
		if out == nil {
			out = make([]byte, 0, len(expr)+len(expr)/16)
		}
		out = appendU32(append(out, expr[copied:in.imm]...), to)
		copied = in.end
	})
	if out == nil {
		return expr
	}
	return append(out, expr[copied:]...)
}
