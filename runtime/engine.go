package runtime

import (
	"context"

	"github.com/seed48025506/belljar/hostfns"
)

// Engine turns WebAssembly bytes into code and runs it. It knows memories,
// stacks and traps; what a host call means is the business of the Guest that
// it is handed. An Engine is safe for concurrent use.
type Engine interface {
	// Name says which engine and version this is, for reports.
	Name() string
	// Compile checks and compiles a module. It does not run any of it.
	Compile(ctx context.Context, wasm []byte, opts CompileOptions) (Module, error)
	// Close frees what was compiled. Nothing may be running.
	Close(ctx context.Context) error
}

// CompileOptions change the code that an Engine makes.
type CompileOptions struct {
	// CanonicalNaN is what Jar.CanonicalNaN asks for.
	CanonicalNaN bool
}

// Module is compiled code. It is safe for concurrent use; each Run has an
// instance of its own.
type Module interface {
	// Imports lists what the module needs from outside, in its own order.
	Imports() []Import
	// Exports says whether a function, or the memory, of that name is exported.
	Exports(name string, kind ExternKind) bool
	// MinMemory is how much linear memory the module asks for at its start,
	// in bytes.
	MinMemory() uint64
	// Run makes an instance, calls its exported function "_start" and takes
	// the instance down again. Every call of an imported function goes to
	// guest.Call; when that reports true, Run unwinds and returns nil. A trap
	// is a *TrapError; the end of ctx ends the guest within milliseconds, also
	// one that never calls, and is the error of ctx; Limits.Fuel used up is
	// errFuel.
	Run(ctx context.Context, guest Guest, limits Limits) (Usage, error)
}

// Limits bound one instance.
type Limits struct {
	// Memory is the most linear memory it may have, in bytes; growing beyond
	// it answers -1 to the guest.
	Memory uint64
	// Fuel is how much it may do, in instructions as internal/rewrite counts
	// them. 0: no limit.
	Fuel uint64
}

// Usage is what an instance used of what Limits bound.
type Usage struct {
	Fuel uint64
}

// Guest answers the host calls of one instance. *hostfns.Guest is one.
type Guest interface {
	Call(f *hostfns.Function, mem []byte, stack []uint64) (stop bool)
}

// ExternKind is the kind of an import or export.
type ExternKind uint8

// The kinds of WebAssembly 2.0.
const (
	ExternFunc ExternKind = iota
	ExternTable
	ExternMemory
	ExternGlobal
)

// Import is something that a module needs from outside. Params and Results
// are set for functions only.
type Import struct {
	Module, Name    string
	Kind            ExternKind
	Params, Results []hostfns.ValueType
}

// String returns "module.name".
func (i Import) String() string { return i.Module + "." + i.Name }
