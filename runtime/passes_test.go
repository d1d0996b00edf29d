package runtime_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"pgregory.net/rapid"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/rewrite"
	"github.com/seed48025506/belljar/runtime"
)

// The passes are held against the modules that they were given: generated
// programs must return the same, trap the same and leave the same memory.

// Types that generated programs compute in.
var genTypes = []rewrite.ValueType{rewrite.I32, rewrite.I64, rewrite.F32, rewrite.F64}

// gen generates one function: expressions of every type over four locals of
// each type's own, loops that end, branches, calls and memory.
type gen struct {
	*rapid.T
	out   []byte
	funcs int // how many functions may be called: those before this one
	loops uint32
	fuel  int // nodes left
}

// Locals: parameter 0 is i32; 1 to 4 are one of each type; from 5 on, loop
// counters.
const firstCounter = 5

func (g *gen) op(p ...byte) { g.out = append(g.out, p...) }

func (g *gen) index(v uint32) { g.out = binary.AppendUvarint(g.out, uint64(v)) }

func (g *gen) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.T, "pick") }

// statement leaves the stack as it was.
func (g *gen) statement(depth int) {
	if g.fuel--; g.fuel < 0 || depth > 4 {
		return
	}
	switch g.pick(7) {
	case 0, 1:
		k := g.pick(4)
		g.expr(genTypes[k], depth+1)
		g.op(0x21, byte(1+k)) // local.set
	case 2: // if
		g.expr(rewrite.I32, depth+1)
		g.op(0x04, 0x40)
		g.statement(depth + 1)
		if g.pick(2) == 0 {
			g.op(0x05)
			g.statement(depth + 1)
		}
		g.op(0x0b)
	case 3:
		g.loop(depth)
	case 4: // i64.store at a masked address
		g.address(depth)
		g.expr(rewrite.I64, depth+1)
		g.op(0x37, 3, 0)
	case 5: // block with a branch out of it
		g.op(0x02, 0x40)
		g.statement(depth + 1)
		g.expr(rewrite.I32, depth+1)
		g.op(0x0d, 0)
		g.statement(depth + 1)
		g.op(0x0b)
	case 6: // memory.fill of a masked stretch
		g.address(depth)
		g.expr(rewrite.I32, depth+1)
		g.op(0x41, 16, 0xfc, 11, 0)
	}
}

// loop turns up to 5 times.
func (g *gen) loop(depth int) {
	counter := firstCounter + g.loops
	g.loops++
	g.op(0x41, byte(1+g.pick(5)), 0x21)
	g.index(counter)
	g.op(0x03, 0x40)
	g.statement(depth + 1)
	g.op(0x20)
	g.index(counter)
	g.op(0x41, 1, 0x6b, 0x22) // i32.sub, local.tee
	g.index(counter)
	g.op(0x0d, 0, 0x0b)
}

// address leaves an address with room for 16 bytes in the first 64 KiB, but
// now and then one that traps.
func (g *gen) address(depth int) {
	g.expr(rewrite.I32, depth+1)
	if g.pick(40) > 0 {
		g.op(0x41, 0xf0, 0xff, 0x01, 0x71) // 0x7ff0, and
	}
}

// expr leaves one value.
func (g *gen) expr(t rewrite.ValueType, depth int) {
	g.fuel--
	if g.fuel < 0 || depth > 5 || g.pick(4) == 0 {
		g.leaf(t)
		return
	}
	switch t {
	case rewrite.I32:
		g.i32(depth)
	case rewrite.I64:
		g.i64(depth)
	case rewrite.F32:
		g.float(t, 0x91, 0x92, 0xb6, depth)
	default:
		g.float(t, 0x9f, 0xa0, 0xbb, depth)
	}
}

func (g *gen) leaf(t rewrite.ValueType) {
	if g.pick(2) == 0 {
		for k, u := range genTypes {
			if t == u {
				g.op(0x20, byte(1+k))
			}
		}
		return
	}
	switch t {
	case rewrite.I32:
		g.op(0x41, byte(g.pick(64)))
	case rewrite.I64:
		g.op(0x42, byte(g.pick(64)))
	case rewrite.F32:
		v := rapid.SampledFrom([]float32{0, 1, -1.5, float32(math.Inf(1)), float32(math.Inf(-1)), 3e38}).Draw(g.T, "f32")
		g.out = binary.LittleEndian.AppendUint32(append(g.out, 0x43), math.Float32bits(v))
	case rewrite.F64:
		v := rapid.SampledFrom([]float64{0, 1, -1.5, math.Inf(1), math.Inf(-1), 1e308}).Draw(g.T, "f64")
		g.out = binary.LittleEndian.AppendUint64(append(g.out, 0x44), math.Float64bits(v))
	}
}

func (g *gen) i32(depth int) {
	switch g.pick(5) {
	case 0: // i32.eqz to i32.popcnt and the arithmetic
		g.expr(rewrite.I32, depth+1)
		g.expr(rewrite.I32, depth+1)
		g.op(byte(0x6a + g.pick(15))) // add to rotr, divisions included
	case 1:
		g.expr(rewrite.F64, depth+1)
		g.expr(rewrite.F64, depth+1)
		g.op(byte(0x61 + g.pick(6))) // f64 comparisons
	case 2:
		g.expr(rewrite.I64, depth+1)
		g.op(0xa7) // wrap
	case 3: // a call
		if g.funcs == 0 {
			g.leaf(rewrite.I32)
			return
		}
		g.expr(rewrite.I32, depth+1)
		g.op(0x10)
		g.index(uint32(g.pick(g.funcs)))
	case 4:
		g.address(depth)
		g.op(0x28, 2, 0) // load
	}
}

func (g *gen) i64(depth int) {
	switch g.pick(4) {
	case 0:
		g.expr(rewrite.I64, depth+1)
		g.expr(rewrite.I64, depth+1)
		g.op(byte(0x7c + g.pick(15)))
	case 1:
		g.expr(rewrite.I32, depth+1)
		g.op(0xac) // extend
	case 2: // the bits of a NaN must not be seen without the NaN pass
		g.expr(rewrite.F64, depth+1)
		g.op(0xfc, 6) // saturating truncation
	case 3:
		g.address(depth)
		g.op(0x29, 3, 0)
	}
}

// float has the opcodes of sqrt, add and conversion of one width.
func (g *gen) float(t rewrite.ValueType, sqrt, add, convert byte, depth int) {
	switch g.pick(4) {
	case 0, 1:
		g.expr(t, depth+1)
		g.expr(t, depth+1)
		g.op(add + byte(g.pick(6)))
	case 2:
		g.expr(t, depth+1)
		g.op(sqrt - byte(g.pick(5)))
	case 3:
		g.expr(rewrite.F32^rewrite.F64^t, depth+1) // the other one
		g.op(convert)
	}
}

// generate makes a module of some functions (i32) -> i32, of which the last is
// exported as "run".
func generate(t *rapid.T) *rewrite.Module {
	m := &rewrite.Module{
		Types:    []rewrite.FuncType{{Params: []rewrite.ValueType{rewrite.I32}, Results: []rewrite.ValueType{rewrite.I32}}},
		Memories: []rewrite.Limits{{Min: 1, Max: 1, HasMax: true}},
	}
	n := rapid.IntRange(1, 5).Draw(t, "functions")
	for i := range n {
		g := &gen{T: t, funcs: i, fuel: 60}
		for range 4 {
			g.statement(0)
		}
		g.expr(rewrite.I32, 0)
		g.op(0x0b)
		locals := []rewrite.Local{{Count: 1, Type: rewrite.I32}, {Count: 1, Type: rewrite.I64},
			{Count: 1, Type: rewrite.F32}, {Count: 1, Type: rewrite.F64}, {Count: g.loops, Type: rewrite.I32}}
		m.Funcs = append(m.Funcs, 0)
		m.Code = append(m.Code, rewrite.Body{Locals: locals, Expr: g.out})
	}
	m.Exports = []rewrite.Export{{Name: "run", Kind: rewrite.KindFunc, Index: uint32(n - 1)},
		{Name: "memory", Kind: rewrite.KindMemory, Index: 0}}
	return m
}

// passRun is what a module did.
type passRun struct {
	result uint32
	trap   string
	memory string
}

// passEngine runs generated modules on wazero, with a safepoint that counts.
type passEngine struct {
	rt   wazero.Runtime
	asks *int
}

func newPassEngine(t testing.TB, cfg wazero.RuntimeConfig) passEngine {
	e := passEngine{wazero.NewRuntimeWithConfig(ctx, cfg), new(int)}
	i64 := []api.ValueType{api.ValueTypeI64}
	_, err := e.rt.NewHostModuleBuilder(rewrite.SafepointModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) { *e.asks++; stack[0] = 1000 }), i64, i64).
		Export(rewrite.SafepointName).Instantiate(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.rt.Close(ctx) })
	return e
}

func (e passEngine) run(t require.TestingT, wasm []byte, arg uint32) passRun {
	code, err := e.rt.CompileModule(ctx, wasm)
	require.NoError(t, err, "the passed module is valid")
	defer code.Close(ctx)
	inst, err := e.rt.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName(""))
	require.NoError(t, err)
	defer inst.Close(ctx)
	var out passRun
	stack := []uint64{uint64(arg)}
	if err := inst.ExportedFunction("run").CallWithStack(ctx, stack); err != nil {
		out.trap, _, _ = strings.Cut(err.Error(), "\n")
	} else {
		out.result = uint32(stack[0])
	}
	p, _ := inst.Memory().Read(0, inst.Memory().Size())
	out.memory = cas.Sum(p).String()
	return out
}

var passes = map[string]func(*rewrite.Module){
	"identity": func(*rewrite.Module) {},
	"fuel":     func(m *rewrite.Module) { m.AddFuel() },
	"nan":      (*rewrite.Module).CanonicalNaN,
	"both":     func(m *rewrite.Module) { m.CanonicalNaN(); m.AddFuel() },
}

func TestPassesKeepWhatAModuleDoes(t *testing.T) {
	compiler := newPassEngine(t, wazero.NewRuntimeConfig())
	interpreter := newPassEngine(t, wazero.NewRuntimeConfigInterpreter())
	trapped, returned := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		wasm := generate(rt).Encode()
		arg := rapid.Uint32().Draw(rt, "arg")
		want := compiler.run(rt, wasm, arg)
		require.Equal(rt, want, interpreter.run(rt, wasm, arg), "plain, interpreted")
		if want.trap != "" {
			trapped++
		} else {
			returned++
		}
		for name, pass := range passes {
			m, err := rewrite.Decode(wasm)
			require.NoError(rt, err)
			pass(m)
			passed := m.Encode()
			require.Equal(rt, want, compiler.run(rt, passed, arg), name)
			require.Equal(rt, want, interpreter.run(rt, passed, arg), name+", interpreted")
		}
	})
	require.NotZero(t, trapped, "the generator makes programs that trap")
	require.NotZero(t, returned, "and programs that do not")
	require.NotZero(t, *compiler.asks)
	require.Equal(t, *compiler.asks, *interpreter.asks, "fuel is the same on every engine")
}

// A division of zero by zero has other bits on other processors.
func TestNaNBitsAreCanonical(t *testing.T) {
	div := func(prefix []byte, ops ...byte) []byte { return append(append(prefix, prefix...), ops...) }
	zero32, zero64 := []byte{0x43, 0, 0, 0, 0}, []byte{0x44, 0, 0, 0, 0, 0, 0, 0, 0}
	v128 := append([]byte{0xfd, 12}, make([]byte, 16)...)
	for name, c := range map[string]struct {
		expr []byte
		want uint32
	}{
		"f32":   {div(zero32, 0x95, 0xbc), 0x7fc00000},
		"f64":   {div(zero64, 0xa3, 0xbd, 0x42, 32, 0x88, 0xa7), 0x7ff80000},
		"f32x4": {div(v128, 0xfd, 0xe7, 1, 0xfd, 27, 2), 0x7fc00000},
		"f64x2": {div(v128, 0xfd, 0xf3, 1, 0xfd, 27, 3), 0x7ff80000},
	} {
		m := &rewrite.Module{
			Types:    []rewrite.FuncType{{Params: []rewrite.ValueType{rewrite.I32}, Results: []rewrite.ValueType{rewrite.I32}}},
			Funcs:    []uint32{0},
			Memories: []rewrite.Limits{{Min: 1}},
			Exports:  []rewrite.Export{{Name: "run"}, {Name: "memory", Kind: rewrite.KindMemory}},
			Code:     []rewrite.Body{{Expr: append(c.expr, 0x0b)}},
		}
		m.CanonicalNaN()
		got := newPassEngine(t, wazero.NewRuntimeConfig()).run(t, m.Encode(), 0)
		require.Equal(t, fmt.Sprintf("%x", c.want), fmt.Sprintf("%x", got.result), name)
	}
}

func TestCanonicalNaNIsOfTheJar(t *testing.T) {
	rt, p := program(t, "nan")
	store, buf := cas.NewMem(), new(bytes.Buffer)
	out, err := p.Run(ctx, runtime.Spec{Jar: runtime.Jar{CanonicalNaN: true, TapeTo: buf, Store: store}})
	require.NoError(t, err)
	require.Equal(t, uint32(0x7f), out.ExitCode)
	outs, err := rt.Replay(ctx, runtime.ReplaySpec{From: buf, Store: store})
	require.NoError(t, err)
	require.Equal(t, uint32(0x7f), outs[0].ExitCode)
	plain, err := p.Run(ctx, runtime.Spec{})
	require.NoError(t, err)
	if goruntime.GOARCH == "amd64" {
		require.Equal(t, uint32(0xff), plain.ExitCode, "x86 sets the sign, so the pass has something to do")
	}
}
