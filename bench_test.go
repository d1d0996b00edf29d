// Package belljar_test holds the comparisons with peers, as ratios measured in
// one process: run `go test -run TestRatios -v -ratios .`
package belljar_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/runtime"
)

var (
	ratios = flag.Bool("ratios", false, "measure the ratios against wazero; wants a quiet machine")
	rounds = flag.Int("rounds", 7, "how often each side of a ratio is run")
)

// peer is a program compiled for wazero with wazero's own WASI.
type peer struct {
	rt   wazero.Runtime
	code wazero.CompiledModule
}

func newPeer(tb testing.TB, wasm []byte) *peer {
	tb.Helper()
	return newPeerWith(tb, wasm, wazero.NewRuntimeConfig())
}

func newPeerWith(tb testing.TB, wasm []byte, cfg wazero.RuntimeConfig) *peer {
	tb.Helper()
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, cfg)
	tb.Cleanup(func() { _ = rt.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	code, err := rt.CompileModule(ctx, wasm)
	require.NoError(tb, err)
	return &peer{rt: rt, code: code}
}

// measure is one line of TestRatios.
type measure func(*testing.T) (float64, time.Duration, time.Duration)

// run uses what wazero does by default: its fake clocks and its fake randomness.
func (p *peer) run(tb testing.TB, cfg wazero.ModuleConfig) {
	tb.Helper()
	ctx := context.Background()
	mod, err := p.rt.InstantiateModule(ctx, p.code, cfg.WithName(""))
	var exit *sys.ExitError
	if err != nil && !(asExit(err, &exit) && exit.ExitCode() == 0) {
		tb.Fatal(err)
	}
	if mod != nil {
		_ = mod.Close(ctx)
	}
}

func asExit(err error, exit **sys.ExitError) bool {
	e, ok := err.(*sys.ExitError)
	*exit = e
	return ok
}

type ours struct {
	rt   *runtime.Runtime
	prog *runtime.Program
}

func newOurs(tb testing.TB, wasm []byte) *ours {
	tb.Helper()
	return newOursWith(tb, wasm, runtime.Config{NoDiskCache: true})
}

func newOursWith(tb testing.TB, wasm []byte, cfg runtime.Config) *ours {
	tb.Helper()
	ctx := context.Background()
	rt, err := runtime.New(ctx, cfg)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = rt.Close(ctx) })
	prog, err := rt.Compile(ctx, wasm)
	require.NoError(tb, err)
	return &ours{rt: rt, prog: prog}
}

func (o *ours) run(tb testing.TB, spec runtime.Spec) runtime.Outcome {
	tb.Helper()
	out, err := o.prog.Run(context.Background(), spec)
	require.NoError(tb, err)
	require.Zero(tb, out.ExitCode, "%s", out.Stderr)
	return out
}

// taped gives a spec a tape in memory.
func taped(spec runtime.Spec, tape *bytes.Buffer, store cas.Store) runtime.Spec {
	tape.Reset()
	spec.Jar.TapeTo, spec.Jar.Store = tape, store
	return spec
}

// ratio runs both sides in turn, after one warm-up of each, and returns the
// medians of their times and of the pairwise ratio.
func ratio(a, b func()) (ra float64, ta, tb time.Duration) {
	a()
	b()
	var as, bs []time.Duration
	var rs []float64
	for range *rounds {
		x, y := timed(a), timed(b)
		as, bs = append(as, x), append(bs, y)
		rs = append(rs, float64(x)/float64(y))
	}
	slices.Sort(as)
	slices.Sort(bs)
	slices.Sort(rs)
	return rs[len(rs)/2], as[len(as)/2], bs[len(bs)/2]
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// TestRatios prints each figure beside its goal. The figures are for people:
// a noisy machine must not fail the build, so only -ratios runs them, and it
// fails only where a figure is beyond twice its goal.
func TestRatios(t *testing.T) {
	if !*ratios {
		t.Skip("ratios against wazero are measured with -ratios, on a quiet machine")
	}
	for _, c := range []struct {
		name string
		goal float64
		run  measure
	}{
		{"clock loop, no tape / wazero", 1.0, func(t *testing.T) (float64, time.Duration, time.Duration) { return clockLoop(t, false) }},
		{"clock loop, recording / wazero", 1.15, func(t *testing.T) (float64, time.Duration, time.Duration) { return clockLoop(t, true) }},
		{"64 MiB written, recording / wazero", 1.0, writes},
		{"64 MiB read first, recording / wazero", 1.5, func(t *testing.T) (float64, time.Duration, time.Duration) { return reads(t, false) }},
		{"64 MiB read, base stored / wazero", 1.0, func(t *testing.T) (float64, time.Duration, time.Duration) { return reads(t, true) }},
		{"warm hello / wazero", 1.1, hello},
		{"warm hello, recording / wazero", 1.1, helloTaped},
		{"replay / record, writes", 1.0, replayWrites},
		{"replay / record, reads", 1.0, replayReads},
		{"24 h sleep / no sleep", 1.05, sleep},
		{"a tiny guest, session and all / wazero", 1.0, tiny},
		{"growing to 256 MiB by 1 MiB / wazero", 0.001, grow},
		{"sha256 in Go, metered / wazero", 1.25, compute("sha256", "4", false)},
		{"sort in Go, metered / wazero", 1.25, compute("sort", "4", false)},
		{"JSON in Go, metered / wazero", 1.25, compute("json", "10", false)},
		{"sha256 / wazero, CloseOnContextDone", 0.35, compute("sha256", "4", true)},
		{"sort / wazero, CloseOnContextDone", 0.35, compute("sort", "4", true)},
		{"JSON / wazero, CloseOnContextDone", 0.35, compute("json", "10", true)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, a, b := c.run(t)
			fmt.Printf("%-40s ratio %.3f (goal %.2f)  %v / %v\n", c.name, r, c.goal, a, b)
			require.Less(t, r, 2*c.goal)
		})
	}
}

const clockCalls = "10000000"

func clockLoop(t *testing.T, tape bool) (float64, time.Duration, time.Duration) {
	wasm := guests.Wasm("clockloop")
	o, p := newOurs(t, wasm), newPeer(t, wasm)
	var buf bytes.Buffer
	r, a, b := ratio(func() {
		spec := runtime.Spec{Args: []string{clockCalls}}
		if tape {
			spec = taped(spec, &buf, cas.NewMem())
		}
		o.run(t, spec)
	}, func() {
		p.run(t, wazero.NewModuleConfig().WithArgs("program", clockCalls))
	})
	if tape {
		require.Less(t, buf.Len(), 4<<10, "the tape of ten million clock reads")
	}
	return r, a, b
}

// tmpfs is where wazero writes: memory, so that no disk is measured.
func tmpfs(t *testing.T) string {
	if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() {
		dir, err := os.MkdirTemp("/dev/shm", "belljar")
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	return t.TempDir()
}

func writes(t *testing.T) (float64, time.Duration, time.Duration) {
	wasm := guests.Wasm("write64")
	o, p := newOurs(t, wasm), newPeer(t, wasm)
	dir := tmpfs(t)
	var buf bytes.Buffer
	r, a, b := ratio(func() {
		o.run(t, taped(runtime.Spec{Jar: runtime.Jar{Mounts: []runtime.Mount{{Guest: "/work"}}}}, &buf, cas.NewMem()))
	}, func() {
		p.run(t, wazero.NewModuleConfig().WithFSConfig(wazero.NewFSConfig().WithDirMount(dir, "/work")))
	})
	require.Less(t, buf.Len(), 64<<10, "the tape of 64 MiB of writes")
	return r, a, b
}

// bigFile makes what read64 reads: 64 MiB that no compressor likes.
func bigFile(t *testing.T) string {
	dir := tmpfs(t)
	p := make([]byte, 64<<20)
	x := uint64(1)
	for i := range p {
		x = x*6364136223846793005 + 1442695040888963407
		p[i] = byte(x >> 56)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), p, 0o644))
	return dir
}

// reads is of a first time if nothing is stored or kept from the round before.
func reads(t *testing.T, stored bool) (float64, time.Duration, time.Duration) {
	wasm := guests.Wasm("read64")
	cfg := runtime.Config{NoDiskCache: true}
	if !stored {
		cfg.FileCache = -1
	}
	o, p := newOursWith(t, wasm, cfg), newPeer(t, wasm)
	dir := bigFile(t)
	store := cas.NewMem()
	var buf bytes.Buffer
	return ratio(func() {
		if !stored {
			store = cas.NewMem()
		}
		o.run(t, taped(runtime.Spec{Jar: runtime.Jar{Mounts: []runtime.Mount{{Host: dir, Guest: "/work"}}}}, &buf, store))
	}, func() {
		p.run(t, wazero.NewModuleConfig().WithStdout(io.Discard).
			WithFSConfig(wazero.NewFSConfig().WithDirMount(dir, "/work")))
	})
}

func hello(t *testing.T) (float64, time.Duration, time.Duration) {
	return helloWith(t, func(s runtime.Spec) runtime.Spec { return s })
}

func helloTaped(t *testing.T) (float64, time.Duration, time.Duration) {
	store, buf := cas.NewMem(), new(bytes.Buffer)
	return helloWith(t, func(s runtime.Spec) runtime.Spec { return taped(s, buf, store) })
}

// helloWith runs many at a time: one is too short to be timed well.
func helloWith(t *testing.T, with func(runtime.Spec) runtime.Spec) (float64, time.Duration, time.Duration) {
	wasm := guests.Build(t, "hello")
	o, p := newOurs(t, wasm), newPeer(t, wasm)
	const many = 20
	return ratio(func() {
		for range many {
			o.run(t, with(runtime.Spec{Stdout: io.Discard}))
		}
	}, func() {
		for range many {
			p.run(t, wazero.NewModuleConfig().WithStdout(io.Discard).WithArgs("program"))
		}
	})
}

func replayOf(t *testing.T, wasm []byte, mount runtime.Mount) (float64, time.Duration, time.Duration) {
	o := newOursWith(t, wasm, runtime.Config{NoDiskCache: true, FileCache: -1})
	var buf bytes.Buffer
	store := cas.NewMem()
	record := func() {
		store = cas.NewMem()
		o.run(t, taped(runtime.Spec{Jar: runtime.Jar{Mounts: []runtime.Mount{mount}}}, &buf, store))
	}
	return ratio(func() {
		if buf.Len() == 0 {
			record()
		}
		_, err := o.rt.Replay(context.Background(), runtime.ReplaySpec{
			From: bytes.NewReader(buf.Bytes()), Store: store, Program: o.prog})
		require.NoError(t, err)
	}, record)
}

func replayWrites(t *testing.T) (float64, time.Duration, time.Duration) {
	return replayOf(t, guests.Wasm("write64"), runtime.Mount{Guest: "/work"})
}

func replayReads(t *testing.T) (float64, time.Duration, time.Duration) {
	return replayOf(t, guests.Wasm("read64"), runtime.Mount{Host: bigFile(t), Guest: "/work"})
}

// tiny is of a guest that does nothing: what a run costs.
func tiny(t *testing.T) (float64, time.Duration, time.Duration) {
	wasm := guests.Wasm("sleep")
	o, p := newOurs(t, wasm), newPeer(t, wasm)
	const many = 500
	return ratio(func() {
		for range many {
			o.run(t, runtime.Spec{Stdout: io.Discard, Stderr: io.Discard})
		}
	}, func() {
		for range many {
			p.run(t, wazero.NewModuleConfig().WithArgs("program"))
		}
	})
}

func grow(t *testing.T) (float64, time.Duration, time.Duration) {
	const limit = 256 << 20
	wasm := guests.Wasm("grow")
	o := newOurs(t, wasm)
	p := newPeerWith(t, wasm, wazero.NewRuntimeConfig().WithMemoryLimitPages(limit>>16))
	return ratio(func() {
		_, err := o.prog.Run(context.Background(), runtime.Spec{MaxMemory: limit})
		require.NoError(t, err)
	}, func() {
		mod, err := p.rt.InstantiateModule(context.Background(), p.code, wazero.NewModuleConfig().WithName(""))
		var exit *sys.ExitError
		require.True(t, asExit(err, &exit), "%v", err)
		if mod != nil {
			_ = mod.Close(context.Background())
		}
	})
}

// compute is of a run that can be cancelled. A peer that can be cancelled too
// is one with CloseOnContextDone.
func compute(kind, rounds string, cancellable bool) measure {
	return func(t *testing.T) (float64, time.Duration, time.Duration) {
		wasm := guests.Build(t, "compute")
		o := newOurs(t, wasm)
		p := newPeerWith(t, wasm, wazero.NewRuntimeConfig().WithCloseOnContextDone(cancellable))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return ratio(func() {
			_, err := o.prog.Run(ctx, runtime.Spec{Stdout: io.Discard, Args: []string{kind, rounds}})
			require.NoError(t, err)
		}, func() {
			p.run(t, wazero.NewModuleConfig().WithStdout(io.Discard).WithArgs("program", kind, rounds))
		})
	}
}

func sleep(t *testing.T) (float64, time.Duration, time.Duration) {
	o := newOurs(t, guests.Wasm("sleep"))
	run := func(seconds string) func() {
		return func() {
			for range 50 {
				o.run(t, runtime.Spec{Args: []string{seconds}})
			}
		}
	}
	return ratio(run("86400"), run("0"))
}
