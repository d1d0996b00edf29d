package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/hostfns"
)

// Program is a compiled WASI command. It is safe for concurrent use and needs
// no Close: its code lives as long as its Runtime.
type Program struct {
	rt     *Runtime
	wasm   []byte
	digest cas.Digest

	plain variant
	nan   variant // with canonical NaNs
}

// variant is the module compiled one way, the first time it is needed.
type variant struct {
	mu  sync.Mutex // held while compiling, so that it happens once
	mod Module
}

// Compile checks and compiles a module. The error is a *ModuleError for bytes
// that are no valid WASI command and a *LinkError for one that imports what
// belljar does not offer. The Program keeps its own copy of wasm.
func (r *Runtime) Compile(ctx context.Context, wasm []byte) (*Program, error) {
	if err := r.alive(); err != nil {
		return nil, err
	}
	if err := looksLikeWasm(wasm); err != nil {
		return nil, err
	}
	p := &Program{rt: r, wasm: bytes.Clone(wasm), digest: cas.Sum(wasm)}
	mod, err := p.module(ctx, false)
	if err != nil {
		return nil, err
	}
	if err := checkLinks(mod); err != nil {
		return nil, err
	}
	if err := checkCommand(mod, len(wasm)); err != nil {
		return nil, err
	}
	return p, nil
}

// module returns the code for a run, compiling it the first time.
func (p *Program) module(ctx context.Context, nan bool) (Module, error) {
	v := &p.plain
	if nan {
		v = &p.nan
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mod != nil {
		return v.mod, nil
	}
	mod, err := p.rt.engine.Compile(ctx, p.wasm, CompileOptions{CanonicalNaN: nan})
	if err != nil {
		return nil, &ModuleError{Bytes: len(p.wasm), Text: err.Error(), Err: err}
	}
	v.mod = mod
	return mod, nil
}

// Digest returns the BLAKE3 digest of the module's bytes.
func (p *Program) Digest() cas.Digest { return p.digest }

var (
	wasmMagic   = []byte("\x00asm")
	coreVersion = []byte{1, 0, 0, 0}
	compVersion = []byte{0x0d, 0, 1, 0}
)

// looksLikeWasm catches what people hand over by mistake, with better words
// than an engine has for it.
func looksLikeWasm(wasm []byte) error {
	fail := func(text string) error {
		return &ModuleError{Bytes: len(wasm), Text: text, Err: ErrNotProgram}
	}
	switch {
	case len(wasm) == 0:
		return fail("it is empty; hand over a .wasm file")
	case !bytes.HasPrefix(wasm, wasmMagic[:min(4, len(wasm))]):
		return fail(fmt.Sprintf("it is not WebAssembly: it begins with %q, not %q", wasm[:min(4, len(wasm))], wasmMagic))
	case len(wasm) < 8:
		return fail("it is cut off within its first 8 bytes")
	case bytes.Equal(wasm[4:8], compVersion):
		return fail("it is a component (WASI preview 2); build a core module for WASI preview 1")
	case !bytes.Equal(wasm[4:8], coreVersion):
		return fail(fmt.Sprintf("it has WebAssembly version % x, want 1", wasm[4:8]))
	}
	return nil
}

// checkLinks compares the module's imports with the table of host functions.
func checkLinks(mod Module) error {
	var missing []string
	for _, imp := range mod.Imports() {
		if why := unlinkable(imp); why != "" {
			missing = append(missing, why)
		}
	}
	if len(missing) > 0 {
		return &LinkError{Missing: missing}
	}
	return nil
}

// unlinkable returns "" for an import that is offered, else its name, with
// what is wrong where the name itself is known.
func unlinkable(imp Import) string {
	f := hostfns.Lookup(imp.Module, imp.Name)
	if f == nil || imp.Kind != ExternFunc {
		return imp.String()
	}
	params := make([]hostfns.ValueType, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.Type
	}
	if !slices.Equal(params, imp.Params) || !slices.Equal(f.Results, imp.Results) {
		return imp.String() + " (with a signature that WASI preview 1 does not have)"
	}
	return ""
}

// checkCommand sees that there is something to start, and a memory to answer into.
func checkCommand(mod Module, size int) error {
	if !mod.Exports("_start", ExternFunc) {
		return &ModuleError{Bytes: size, Err: ErrNotProgram,
			Text: `it exports no function "_start"; build it as a command (a main program), not as a reactor or library`}
	}
	if len(mod.Imports()) > 0 && !mod.Exports("memory", ExternMemory) {
		return &ModuleError{Bytes: size, Err: ErrNotProgram,
			Text: `it imports host functions but exports no memory named "memory"`}
	}
	return nil
}

// Run runs the program in a session of its own and finalizes it. See Spec and
// Outcome. When the run fails, the Outcome holds what there was until then.
func (p *Program) Run(ctx context.Context, spec Spec) (Outcome, error) {
	jar := spec.Jar
	spec.Jar = Jar{}
	s, err := p.rt.NewSession(ctx, jar)
	if err != nil {
		return Outcome{}, err
	}
	out, err := s.Run(ctx, p, spec)
	report, ferr := s.Finalize()
	out.Report = report
	return out, flatten(errors.Join(err, ferr, s.release()))
}
