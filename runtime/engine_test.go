package runtime

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
)

// Sessions, tapes and host functions work on an engine with no wasm in it.
func TestAFakeEngineRecordsAndReplays(t *testing.T) {
	ctx := context.Background()
	engine := &fakeEngine{main: func(g *fakeGuest) {
		g.call("random_get", 64, 8)
		g.print(string(g.mem[64:72]))
		g.call("proc_exit", 5)
	}}
	rt, err := New(ctx, Config{Engine: engine})
	require.NoError(t, err)
	p, err := rt.Compile(ctx, fakeWasm)
	require.NoError(t, err)
	store, buf := cas.NewMem(), new(bytes.Buffer)
	out, err := p.Run(ctx, Spec{Jar: Jar{Seed: 3, TapeTo: buf, Store: store}})
	require.NoError(t, err)
	require.Equal(t, uint32(5), out.ExitCode)
	require.Len(t, out.Stdout, 8)
	outs, err := rt.Replay(ctx, ReplaySpec{From: buf, Store: store})
	require.NoError(t, err)
	require.Equal(t, out.Stdout, outs[0].Stdout)

	engine.memory = 2 << 30
	_, err = p.Run(ctx, Spec{})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	engine.memory = 0
	engine.main = func(*fakeGuest) { panic(&TrapError{Cause: "unreachable"}) }
	_, err = p.Run(ctx, Spec{})
	var trap *TrapError
	require.ErrorAs(t, err, &trap)
	require.NoError(t, rt.Close(ctx))
	_, err = rt.Compile(ctx, fakeWasm)
	require.ErrorIs(t, err, ErrClosed)
}
