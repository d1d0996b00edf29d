package runtime

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/seed48025506/belljar/hostfns"
)

// wazeroModule is compiled code with what must be known before it runs.
type wazeroModule struct {
	rt      wazero.Runtime
	code    wazero.CompiledModule
	config  wazero.ModuleConfig
	outline outline
}

func newWazeroModule(rt wazero.Runtime, code wazero.CompiledModule, out outline) *wazeroModule {
	out.imports = withSignatures(out.imports, code)
	return &wazeroModule{
		rt:      rt,
		code:    code,
		config:  wazero.NewModuleConfig().WithName("").WithStartFunctions(),
		outline: out,
	}
}

func (m *wazeroModule) Imports() []Import { return m.outline.imports }

func (m *wazeroModule) Exports(name string, kind ExternKind) bool {
	switch kind {
	case ExternFunc:
		f, ok := m.code.ExportedFunctions()[name]
		return ok && len(f.ParamTypes()) == 0 && len(f.ResultTypes()) == 0
	case ExternMemory:
		_, ok := m.code.ExportedMemories()[name]
		return ok
	}
	return false
}

func (m *wazeroModule) MinMemory() uint64 { return m.outline.memory }

func (m *wazeroModule) Run(ctx context.Context, guest Guest, limits Limits) error {
	gctx := &guestContext{Context: ctx, guest: guest, memory: &linearMemory{limit: limits.Memory}}
	inst, err := m.rt.InstantiateModule(withMemory(gctx, gctx.memory), m.code, m.config)
	if err != nil {
		return wazeroResult(ctx, err)
	}
	err = wazeroResult(ctx, call(gctx, inst))
	// Closing is safe here: the guest has been unwound.
	if cerr := inst.Close(context.WithoutCancel(ctx)); err == nil {
		err = cerr
	}
	return err
}

func call(ctx context.Context, inst api.Module) error {
	return inst.ExportedFunction("_start").CallWithStack(ctx, nil)
}

// withSignatures adds to the imports of functions the types that wazero read.
func withSignatures(imports []Import, code wazero.CompiledModule) []Import {
	next := 0
	funcs := code.ImportedFunctions()
	for i := range imports {
		if imports[i].Kind == ExternFunc && next < len(funcs) {
			imports[i].Params = valueTypes(funcs[next].ParamTypes())
			imports[i].Results = valueTypes(funcs[next].ResultTypes())
			next++
		}
	}
	return imports
}

func valueTypes(types []api.ValueType) []hostfns.ValueType {
	out := make([]hostfns.ValueType, len(types))
	for i, t := range types {
		out[i] = hostfns.ValueType(t)
	}
	return out
}
