package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"github.com/seed48025506/belljar/hostfns"
)

// wazeroEngine holds two wazero runtimes, since whether code can be
// interrupted is a setting of the whole runtime. They share one cache.
type wazeroEngine struct {
	cache wazero.CompilationCache
	plain wazeroRuntime
	inter wazeroRuntime
}

// wazeroRuntime is made the first time it is needed.
type wazeroRuntime struct {
	mu sync.Mutex // held while making it
	rt wazero.Runtime
}

func newWazero(_ context.Context, cfg Config) (Engine, error) {
	cache, err := openCache(cfg)
	if err != nil {
		return nil, err
	}
	return &wazeroEngine{cache: cache}, nil
}

// openCache falls back to memory where the user has no cache directory that
// can be written; a directory that was asked for by name must work.
func openCache(cfg Config) (wazero.CompilationCache, error) {
	dir := cfg.CacheDir
	if cfg.NoDiskCache {
		return wazero.NewCompilationCache(), nil
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return wazero.NewCompilationCache(), nil
		}
		dir = filepath.Join(user, "belljar", "compiled")
	}
	cache, err := openCacheDir(dir)
	if err == nil {
		return cache, nil
	}
	if cfg.CacheDir == "" {
		return wazero.NewCompilationCache(), nil
	}
	return nil, fmt.Errorf("runtime: cache directory %s: %w; name another or set NoDiskCache", dir, err)
}

func openCacheDir(dir string) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	probe, err := os.CreateTemp(dir, "probe")
	if err != nil {
		return nil, err
	}
	_ = probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return nil, err
	}
	return wazero.NewCompilationCacheWithDir(dir)
}

func (e *wazeroEngine) Name() string { return "wazero" }

func (e *wazeroEngine) runtime(ctx context.Context, interruptible bool) (wazero.Runtime, error) {
	r := &e.plain
	if interruptible {
		r = &e.inter
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rt != nil {
		return r.rt, nil
	}
	cfg := wazero.NewRuntimeConfig().
		WithCompilationCache(e.cache).
		WithCloseOnContextDone(interruptible)
	rt := wazero.NewRuntimeWithConfig(ctx, cfg)
	if err := bindHostFunctions(ctx, rt); err != nil {
		return nil, errors.Join(err, rt.Close(ctx))
	}
	r.rt = rt
	return rt, nil
}

func (e *wazeroEngine) Compile(ctx context.Context, wasm []byte, opts CompileOptions) (Module, error) {
	// The runtime outlives this call, so it must not be tied to its context.
	ctx = context.WithoutCancel(ctx)
	rt, err := e.runtime(ctx, opts.Interruptible)
	if err != nil {
		return nil, err
	}
	code, err := rt.CompileModule(ctx, wasm)
	if err != nil {
		return nil, err
	}
	out, err := readOutline(wasm)
	if err != nil {
		return nil, err
	}
	return newWazeroModule(rt, code, out), nil
}

func (e *wazeroEngine) Close(ctx context.Context) error {
	var errs []error
	for _, r := range []*wazeroRuntime{&e.plain, &e.inter} {
		r.mu.Lock()
		if r.rt != nil {
			errs = append(errs, r.rt.Close(ctx))
		}
		r.mu.Unlock()
	}
	return errors.Join(append(errs, e.cache.Close(ctx))...)
}

// bindHostFunctions makes the one host module that all guests of a runtime
// share; which guest is calling comes with the context.
func bindHostFunctions(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder(hostfns.ModuleName)
	for i := range hostfns.Functions {
		f := &hostfns.Functions[i]
		params := make([]api.ValueType, len(f.Params))
		for j, p := range f.Params {
			params[j] = api.ValueType(p.Type)
		}
		results := make([]api.ValueType, len(f.Results))
		for j, r := range f.Results {
			results[j] = api.ValueType(r)
		}
		b.NewFunctionBuilder().WithGoModuleFunction(&boundFunction{f}, params, results).Export(f.Name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// boundFunction hands one host function the memory and the stack, nothing
// else. The only way to unwind a wazero guest is a panic that wazero itself
// recovers.
type boundFunction struct{ f *hostfns.Function }

// Call implements api.GoModuleFunction.
func (b *boundFunction) Call(ctx context.Context, _ api.Module, stack []uint64) {
	c, ok := ctx.(*guestContext)
	if !ok {
		c = ctx.Value(guestKey{}).(*guestContext)
	}
	if c.guest.Call(b.f, c.memory.buf, stack) {
		panic(errStop)
	}
}

// errStop unwinds a guest that a host call has ended.
var errStop = sys.NewExitError(0)

// guestContext carries the calling guest. A type of our own makes the way
// from context to guest one type assertion.
type guestContext struct {
	context.Context
	guest  Guest
	memory *linearMemory // the instance's; its buf is always the present one
}

type guestKey struct{}

func (c *guestContext) Value(key any) any {
	if key == (guestKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// wazeroResult is the outcome of a call as wazero reports it, in our words.
func wazeroResult(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		switch exit.ExitCode() {
		case sys.ExitCodeContextCanceled, sys.ExitCodeDeadlineExceeded:
			return context.Cause(ctx)
		}
		return nil // errStop: the guest itself says how it ended
	}
	return wazeroTrap(err)
}

const stackOverflow = "stack overflow"

// wazeroTrap takes apart the text of a trap, which is all that wazero gives.
func wazeroTrap(err error) error {
	if err.Error() == stackOverflow {
		return &TrapError{Cause: stackOverflow} // wazero has no stack to show then
	}
	text, isTrap := strings.CutPrefix(err.Error(), "wasm error: ")
	if !isTrap {
		return fmt.Errorf("runtime: wazero: %w", err)
	}
	cause, stack, _ := strings.Cut(text, "\nwasm stack trace:\n")
	lines := strings.Split(stack, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "\t")
	}
	return &TrapError{Cause: cause, Stack: strings.Join(lines, "\n")}
}

// withMemory makes an instance take its memory from us. A WASI command has
// one memory; wazero asks for it once.
func withMemory(ctx context.Context, m *linearMemory) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(uint64, uint64) experimental.LinearMemory { return m }))
}
