package runtime_test

import (
	"context"
	"errors"
	"path/filepath"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/runtime"
)

func TestFuelIsACount(t *testing.T) {
	_, p := goProgram(t, "hello")
	first, err := p.Run(ctx, runtime.Spec{})
	require.NoError(t, err)
	require.Greater(t, first.Fuel, uint64(10_000), "a Go program starts its runtime")
	for range 5 {
		again, err := p.Run(ctx, runtime.Spec{})
		require.NoError(t, err)
		require.Equal(t, first.Fuel, again.Fuel)
	}
	enough, err := p.Run(ctx, runtime.Spec{Fuel: first.Fuel})
	require.NoError(t, err)
	require.Equal(t, first.Fuel, enough.Fuel)

	out, err := p.Run(ctx, runtime.Spec{Fuel: first.Fuel - 1})
	requireFuelLimit(t, err)
	require.LessOrEqual(t, out.Fuel, first.Fuel, "it stops at the first point beyond the limit")
	require.GreaterOrEqual(t, out.Fuel, first.Fuel-1)
}

func requireFuelLimit(t *testing.T, err error) {
	t.Helper()
	var limit *runtime.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, runtime.LimitFuel, limit.Limit)
}

// The end of the fuel is part of the run: it replays and verifies.
func TestOutOfFuelIsOnTheTape(t *testing.T) {
	for _, name := range []string{"spin", "recurse"} {
		rt, p := program(t, name)
		path := filepath.Join(t.TempDir(), "run.tape")
		out, err := p.Run(ctx, runtime.Spec{Fuel: 5_000, Jar: runtime.Jar{Tape: path}})
		requireFuelLimit(t, err)
		for _, play := range []func(context.Context, runtime.ReplaySpec) ([]runtime.Outcome, error){rt.Replay, rt.Verify} {
			outs, err := play(ctx, runtime.ReplaySpec{Tape: path})
			requireFuelLimit(t, err)
			var diverged *tape.DivergenceError
			require.False(t, errors.As(err, &diverged))
			require.Equal(t, out.Fuel, outs[0].Fuel)
		}
	}
}

// Without safepoints the collector waits for a guest for ever, and everything
// in the process with it.
func TestGoCollectsGarbageDuringAnEndlessLoop(t *testing.T) {
	_, p := program(t, "spin")
	cctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() {
		_, err := p.Run(cctx, runtime.Spec{})
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond) // it is in its loop
	for range 5 {
		goruntime.GC()
	}
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		t.Fatal("the guest was not stopped")
	}
}

// Every kind of guest that goes on for ever is stopped: in a loop of its own,
// and in one that is made of calls.
func TestEveryLoopCanBeStopped(t *testing.T) {
	for _, name := range []string{"spin", "mutual", "startloop"} {
		_, p := program(t, name)
		_, err := p.Run(ctx, runtime.Spec{Timeout: 30 * time.Millisecond})
		var limit *runtime.LimitError
		require.ErrorAs(t, err, &limit, name)
		require.Equal(t, runtime.LimitTimeout, limit.Limit, name)
	}
}
