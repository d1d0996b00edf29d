package rewrite

import "fmt"

// TableError says that a module's tables are larger than they may be.
type TableError struct {
	Elements uint64 // what they begin with, all together
	Limit    uint64
}

func (e *TableError) Error() string {
	return fmt.Sprintf("its tables begin with %d elements; %d are allowed", e.Elements, e.Limit)
}

// LimitTables bounds what the module's tables may become, all together, in
// elements: growing beyond it answers -1 to the guest. Engines allocate tables
// outside of any limit on memory. The error is a *TableError for tables that
// begin beyond the limit.
func (m *Module) LimitTables(limit uint32) error {
	least := uint64(0)
	for _, t := range m.Tables {
		least += uint64(t.Limits.Min)
	}
	if least > uint64(limit) {
		return &TableError{least, uint64(limit)}
	}
	if len(m.Tables) == 0 {
		return nil
	}
	// What is left is theirs in equal parts.
	part := (limit - uint32(least)) / uint32(len(m.Tables))
	for i := range m.Tables {
		l := &m.Tables[i].Limits
		most := l.Min + part
		if !l.HasMax || l.Max > most {
			l.HasMax, l.Max = true, most
		}
	}
	return nil
}
