package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"github.com/seed48025506/belljar/hostfns"
)

// wazeroEngine is one wazero runtime. Code that can be interrupted is had by
// passing the module before it is compiled, so all of it lives in one runtime.
type wazeroEngine struct {
	cache  wazero.CompilationCache
	passed *passCache

	mu      sync.Mutex     // guards what follows; held while making rt
	rt      wazero.Runtime // nil: not needed yet
	modules []*wazeroModule
}

func newWazero(_ context.Context, cfg Config) (Engine, error) {
	dir, err := cacheDir(cfg)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return &wazeroEngine{cache: wazero.NewCompilationCache()}, nil
	}
	e := &wazeroEngine{passed: &passCache{dir: passedIn(dir)}}
	if e.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
		return nil, fmt.Errorf("runtime: cache directory %s: %w", dir, err)
	}
	return e, nil
}

// cacheDir returns the folder to keep compiled code in, "" for none: where the
// user has no cache directory that can be written, memory has to do. A folder
// that was asked for by name must work.
func cacheDir(cfg Config) (string, error) {
	if cfg.NoDiskCache {
		return "", nil
	}
	dir := cfg.CacheDir
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", nil
		}
		dir = filepath.Join(user, "belljar", "compiled")
	}
	err := writable(passedIn(dir))
	switch {
	case err == nil:
		return dir, nil
	case cfg.CacheDir == "":
		return "", nil
	}
	return "", fmt.Errorf("runtime: cache directory %s: %w; name another or set NoDiskCache", dir, err)
}

// passedIn is where the cache folder keeps passed modules.
func passedIn(dir string) string { return filepath.Join(dir, "passed") }

// writable makes a folder, if need be, and tries to make a file there.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, "probe")
	if err != nil {
		return err
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

func (e *wazeroEngine) Name() string { return "wazero" }

func (e *wazeroEngine) runtime(ctx context.Context) (wazero.Runtime, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.rt != nil {
		return e.rt, nil
	}
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(e.cache))
	if err := errors.Join(bindHostFunctions(ctx, rt), bindSafepoint(ctx, rt)); err != nil {
		return nil, errors.Join(err, rt.Close(ctx))
	}
	e.rt = rt
	return rt, nil
}

func (e *wazeroEngine) Compile(ctx context.Context, wasm []byte, opts CompileOptions) (Module, error) {
	// The runtime outlives this call, so it must not be tied to its context.
	ctx = context.WithoutCancel(ctx)
	rt, err := e.runtime(ctx)
	if err != nil {
		return nil, err
	}
	p, image, err := e.passed.prepare(wasm, opts)
	if err != nil {
		return nil, err
	}
	code, err := rt.CompileModule(ctx, p.wasm)
	if err != nil {
		return nil, errors.Join(err, image.Close())
	}
	mod := newWazeroModule(rt, code, p.outline, image)
	e.keep(mod)
	return mod, nil
}

// keep remembers a module, to free its memories when the engine closes.
func (e *wazeroEngine) keep(m *wazeroModule) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.modules = append(e.modules, m)
}

func (e *wazeroEngine) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	if e.rt != nil {
		err = e.rt.Close(ctx)
	}
	for _, m := range e.modules {
		err = errors.Join(err, m.pool.close())
	}
	return errors.Join(err, e.cache.Close(ctx))
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
		var bound api.GoModuleFunction = &boundFunction{f}
		if f.Name == "clock_time_get" {
			bound = &boundClock{boundFunction{f}}
		}
		b.NewFunctionBuilder().WithGoModuleFunction(bound, params, results).Export(f.Name)
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
	c := contextOf(ctx)
	if c.guest.Call(b.f, c.memory.buf, stack) {
		panic(errStop)
	}
}

// boundClock is boundFunction for clock_time_get with one call less, for that is
// what programs call in their tightest loops.
type boundClock struct{ boundFunction }

// Call implements api.GoModuleFunction.
func (b *boundClock) Call(ctx context.Context, mod api.Module, stack []uint64) {
	c, ok := ctx.(*guestContext)
	if !ok || c.wasi == nil {
		b.boundFunction.Call(ctx, mod, stack)
		return
	}
	if c.wasi.CallClock(c.memory.buf, stack) {
		panic(errStop)
	}
}

// The panics that unwind a guest: one that a host call has ended, one whose
// context has ended, one that has used up its fuel.
var (
	errStop        = sys.NewExitError(0)
	errInterrupted = sys.NewExitError(sys.ExitCodeContextCanceled)
	errNoFuel      = sys.NewExitError(sys.ExitCodeDeadlineExceeded)
)

// guestContext carries the calling guest. A type of our own makes the way
// from context to guest one type assertion.
type guestContext struct {
	context.Context
	guest  Guest
	wasi   *hostfns.Guest // the same, if that is what it is
	memory *linearMemory  // the instance's; its buf is always the present one
	meter  meter
}

// contextOf finds the guestContext, which wazero may have wrapped.
func contextOf(ctx context.Context) *guestContext {
	if c, ok := ctx.(*guestContext); ok {
		return c
	}
	return ctx.Value(guestKey{}).(*guestContext)
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
		switch exit {
		case errInterrupted:
			return context.Cause(ctx)
		case errNoFuel:
			return errFuel
		}
		return nil // the guest itself says how it ended
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

// unnamed matches how wazero calls a function that has no name.
var unnamed = regexp.MustCompile(`\.\$(\d+)\(`)

// renumber takes the safepoint import, which stands behind the imports that a
// module was given with, out of the numbers of functions without names.
func renumber(stack string, imports uint32) string {
	return unnamed.ReplaceAllStringFunc(stack, func(s string) string {
		n, err := strconv.ParseUint(s[2:len(s)-1], 10, 32)
		if err != nil || n <= uint64(imports) {
			return s
		}
		return fmt.Sprintf(".$%d(", n-1)
	})
}

// withMemory makes an instance take its memory from us. A WASI command has
// one memory; wazero asks for it once.
func withMemory(ctx context.Context, m *linearMemory) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(uint64, uint64) experimental.LinearMemory { return m }))
}
