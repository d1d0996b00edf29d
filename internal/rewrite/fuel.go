package rewrite

// The safepoint is the import that a metered module calls when its fuel is used
// up, as (counter i64) -> i64: it gets the counter, which is below zero by what
// was taken too much, and returns what the counter is to be, or does not return.
const (
	SafepointModule = "belljar"
	SafepointName   = "safepoint"
)

// leafCost is the most that a function may cost to be charged to its callers.
const leafCost = 24

// AddFuel makes a module count what it does: every call of a function and
// every turn of a loop takes from a counter the number of instructions that
// lie between it and the next such point, whether they are run or skipped.
// When the counter falls below zero the module calls the safepoint import, and
// continues with what that returns. So no loop and no recursion goes on for
// ever without the host being asked, and the count is the same on every engine
// and in every run.
//
// Short functions without loops and calls have no counter of their own; a
// direct call of one costs what it costs. The counter begins at 0, so that the
// first point asks the host. It is exported, by the name that AddFuel returns.
func (m *Module) AddFuel() (counterName string) {
	ask := m.AddImport(SafepointModule, SafepointName, FuncType{[]ValueType{I64}, []ValueType{I64}})
	counter := m.AddGlobal(Global{GlobalType{I64, true}, []byte{opI64Const, 0, opEnd}})
	first := m.imported(KindFunc)
	leaves := m.leaves(first)
	m.eachBody(func(i int, b *Body) {
		if _, leaf := leaves[first+uint32(i)]; !leaf {
			b.Expr = meter(b.Expr, leaves, counter, ask)
		}
	})
	return m.AddExport("belljar.fuel", KindGlobal, counter)
}

// leaves returns the functions that need no counter, with what they cost.
func (m *Module) leaves(first uint32) map[uint32]int64 {
	list := map[uint32]int64{}
	for i, b := range m.Code {
		if len(b.Expr) > 8*leafCost {
			continue
		}
		cost, leaf := int64(0), true
		walk(b.Expr, func(in *instr) {
			cost += weight(in.op)
			leaf = leaf && in.op != opLoop && in.op != opCall && in.op != opCallIndirect && !bulk(in.op)
		})
		if leaf && cost <= leafCost {
			list[first+uint32(i)] = cost
		}
	}
	return list
}

// weight is what an instruction costs. Those that only shape the code are free.
func weight(op uint32) int64 {
	switch op {
	case opBlock, opLoop, opElse, opEnd, opNop, opDrop:
		return 0
	}
	return 1
}

// bulk reports whether an instruction takes as long as its operand says.
func bulk(op uint32) bool {
	switch op {
	case opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy, opTableFill, opTableGrow, opMemoryGrow:
		return true
	}
	return false
}

// bulkCost is charged for a bulk instruction, whatever its length: an engine
// moves memory far faster than a guest could, and no length takes longer than
// some milliseconds.
const bulkCost = 64

// point is a place at which the counter is charged.
type point struct {
	at   int // offset in the expression
	cost int64
}

// meter adds charges to an expression.
func meter(expr []byte, leaves map[uint32]int64, counter, ask uint32) []byte {
	points := chargePoints(expr, leaves)
	out := make([]byte, 0, len(expr)+len(points)*24)
	copied := 0
	for _, p := range points {
		out = appendCharge(append(out, expr[copied:p.at]...), p.cost, counter, ask)
		copied = p.at
	}
	return append(out, expr[copied:]...)
}

// chargePoints finds the function's entry and the heads of its loops, and what
// lies behind each. An entry from which control falls straight into a loop is
// charged there.
func chargePoints(expr []byte, leaves map[uint32]int64) []point {
	points := []point{{}}
	open := []int{0} // the point that each open block belongs to
	straight := true // nothing has branched yet
	walk(expr, func(in *instr) {
		cost := weight(in.op)
		switch in.op {
		case opLoop:
			if straight {
				points[0].at, straight = in.end, false
				open = append(open, 0)
				return
			}
			points = append(points, point{at: in.end})
			open = append(open, len(points)-1)
			return
		case opBlock:
			open = append(open, open[len(open)-1])
		case opIf:
			open = append(open, open[len(open)-1])
			straight = false
		case opElse:
		case opEnd:
			open = open[:len(open)-1]
			straight = false
		case opCall:
			cost += leaves[in.index]
			straight = false
		case opBr, opBrIf, opBrTable, opReturn, opCallIndirect, opUnreachable:
			straight = false
		}
		if bulk(in.op) {
			cost += bulkCost
		}
		if len(open) > 0 {
			points[open[len(open)-1]].cost += cost
		}
	})
	for i := range points {
		points[i].cost = max(points[i].cost, 1)
	}
	return points
}

// appendCharge appends the instructions of one charge.
func appendCharge(p []byte, cost int64, counter, ask uint32) []byte {
	p = appendU32(append(p, opGlobalGet), counter)
	p = appendS64(append(p, opI64Const), cost)
	p = append(p, opI64Sub)
	p = appendU32(append(p, opGlobalSet), counter)
	p = appendU32(append(p, opGlobalGet), counter)
	p = append(p, opI64Const, 0, opI64LtS, opIf, blockEmpty)
	p = appendU32(append(p, opGlobalGet), counter)
	p = appendU32(append(p, opCall), ask)
	p = appendU32(append(p, opGlobalSet), counter)
	return append(p, opEnd)
}
