package runtime

import (
	"github.com/seed48025506/belljar/hostfns"
	"github.com/seed48025506/belljar/internal/rewrite"
)

// outline is what must be known of a module and engines do not tell, or tell
// of the module as it was passed and not as it was given: its imports of any
// kind, its exports, and the memory it starts with.
type outline struct {
	_         struct{} `cbor:",toarray"` // as it is kept in a cache
	Imports   []Import
	Exports   []Export
	Functions uint32 // how many are imported
	Memory    uint64 // bytes
	Fuel      string // the export of the fuel counter
}

// Export is something that a module shows outside.
type Export struct {
	Name string
	Kind ExternKind
}

func outlineOf(m *rewrite.Module) outline {
	var out outline
	for _, i := range m.Imports {
		imp := Import{Module: i.Module, Name: i.Name, Kind: ExternKind(i.Kind)}
		switch imp.Kind {
		case ExternFunc:
			out.Functions++
			if t := signature(m, i.Type); t != nil {
				imp.Params, imp.Results = valueTypes(t.Params), valueTypes(t.Results)
			}
		case ExternMemory:
			out.Memory = max(out.Memory, uint64(i.Memory.Min)<<16)
		}
		out.Imports = append(out.Imports, imp)
	}
	for _, l := range m.Memories {
		out.Memory = max(out.Memory, uint64(l.Min)<<16)
	}
	for _, e := range m.Exports {
		if e.Kind != rewrite.KindFunc || isCommand(m, e.Index, out.Functions) {
			out.Exports = append(out.Exports, Export{e.Name, ExternKind(e.Kind)})
		}
	}
	return out
}

// signature returns a type, nil for an index that a valid module does not have.
func signature(m *rewrite.Module, index uint32) *rewrite.FuncType {
	if uint64(index) >= uint64(len(m.Types)) {
		return nil
	}
	return &m.Types[index]
}

// isCommand reports whether a function takes nothing and gives nothing.
func isCommand(m *rewrite.Module, function, imported uint32) bool {
	if function < imported || uint64(function-imported) >= uint64(len(m.Funcs)) {
		return false
	}
	t := signature(m, m.Funcs[function-imported])
	return t != nil && len(t.Params) == 0 && len(t.Results) == 0
}

func valueTypes(types []rewrite.ValueType) []hostfns.ValueType {
	out := make([]hostfns.ValueType, len(types))
	for i, t := range types {
		out[i] = hostfns.ValueType(t)
	}
	return out
}
