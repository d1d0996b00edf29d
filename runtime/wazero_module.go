package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/seed48025506/belljar/hostfns"
	"github.com/seed48025506/belljar/internal/pages"
)

// wazeroModule is compiled code with what must be known before it runs.
type wazeroModule struct {
	rt      wazero.Runtime
	code    wazero.CompiledModule
	config  wazero.ModuleConfig
	outline outline
	pool    *memoryPool
}

func newWazeroModule(rt wazero.Runtime, code wazero.CompiledModule, out outline, image *pages.Image) *wazeroModule {
	return &wazeroModule{
		rt:      rt,
		code:    code,
		config:  wazero.NewModuleConfig().WithName("").WithStartFunctions(),
		outline: out,
		pool:    &memoryPool{image: image},
	}
}

func (m *wazeroModule) Imports() []Import { return m.outline.Imports }

func (m *wazeroModule) Exports(name string, kind ExternKind) bool {
	return slices.Contains(m.outline.Exports, Export{name, kind})
}

func (m *wazeroModule) MinMemory() uint64 { return m.outline.Memory }

func (m *wazeroModule) Run(ctx context.Context, guest Guest, limits Limits) (Usage, error) {
	mem, err := m.pool.get(limits.Memory)
	if err != nil {
		return Usage{}, err
	}
	usage, err := m.runIn(ctx, guest, limits, mem)
	return usage, flatten(errors.Join(err, m.pool.put(mem)))
}

// runIn runs a guest in a memory, which is the caller's again afterwards.
func (m *wazeroModule) runIn(ctx context.Context, guest Guest, limits Limits, mem *guestMemory) (Usage, error) {
	wasi, _ := guest.(*hostfns.Guest)
	gctx := &guestContext{
		Context: ctx, guest: guest, wasi: wasi,
		memory: &linearMemory{limit: limits.Memory, mem: mem}, meter: meter{limit: limits.Fuel},
	}
	inst, err := m.rt.InstantiateModule(withMemory(gctx, gctx.memory), m.code, m.config)
	if err != nil {
		return Usage{Fuel: gctx.meter.used}, m.result(ctx, err)
	}
	err = m.result(ctx, inst.ExportedFunction("_start").CallWithStack(gctx, nil))
	usage := m.usage(gctx, inst)
	// Closing is safe here: the guest has been unwound.
	if cerr := inst.Close(context.WithoutCancel(ctx)); err == nil {
		err = cerr
	}
	return usage, err
}

// result is the outcome of a call in our words, with function numbers as the
// module that was given has them.
func (m *wazeroModule) result(ctx context.Context, err error) error {
	err = wazeroResult(ctx, err)
	if trap, ok := err.(*TrapError); ok {
		trap.Stack = renumber(trap.Stack, m.outline.Functions)
	}
	return err
}

// usage reads the fuel counter of an instance at rest.
func (m *wazeroModule) usage(gctx *guestContext, inst api.Module) Usage {
	if g := inst.ExportedGlobal(m.outline.Fuel); g != nil {
		gctx.meter.settle(int64(g.Get()))
	}
	return Usage{Fuel: gctx.meter.used}
}
