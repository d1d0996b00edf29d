package runtime_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/runtime"
)

// Each limit ends the guest that meets it, says so with its own name, replays
// with the same end, and leaves a guest that stays below it alone.
func TestLimitsAreTypedAndReplay(t *testing.T) {
	for name, c := range map[string]struct {
		guest        string
		args         []string
		tight, loose runtime.Spec
	}{
		runtime.LimitOutput: {"env", nil, runtime.Spec{MaxOutput: 5}, runtime.Spec{MaxOutput: 1 << 10}},
		runtime.LimitCalls:  {"clockloop", []string{"100"}, runtime.Spec{MaxCalls: 100}, runtime.Spec{MaxCalls: 200}},
		runtime.LimitElapsed: {"sleep", []string{"60"}, runtime.Spec{MaxElapsed: 59 * time.Second},
			runtime.Spec{MaxElapsed: 61 * time.Second}},
		runtime.LimitFuel: {"clockloop", []string{"100"}, runtime.Spec{Fuel: 100}, runtime.Spec{Fuel: 1 << 20}},
	} {
		rt, p := program(t, c.guest)
		c.loose.Args = c.args
		_, err := p.Run(ctx, c.loose)
		require.NoError(t, err, name)

		store, buf := cas.NewMem(), new(bytes.Buffer)
		c.tight.Args = c.args
		c.tight.Jar = runtime.Jar{TapeTo: buf, Store: store}
		out, err := p.Run(ctx, c.tight)
		requireLimit(t, name, err)
		outs, err := rt.Replay(ctx, runtime.ReplaySpec{From: buf, Store: store})
		requireLimit(t, name, err)
		var diverged *tape.DivergenceError
		require.False(t, errors.As(err, &diverged), "%s: %v", name, err)
		require.Equal(t, out.Stdout, outs[0].Stdout)
		require.Equal(t, out.Elapsed, outs[0].Elapsed)
		if name == runtime.LimitOutput {
			require.Len(t, out.Stdout, 5, "what is within the limit is there")
		}
		if name == runtime.LimitElapsed {
			require.Equal(t, 59*time.Second, out.Elapsed, "time stops at the limit")
		}
	}
}

func requireLimit(t *testing.T, name string, err error) {
	t.Helper()
	var limit *runtime.LimitError
	require.ErrorAs(t, err, &limit, name)
	require.Equal(t, name, limit.Limit)
}

func TestElapsedBySpinningIsLimited(t *testing.T) {
	_, p := goProgram(t, "signalsleep")
	_, err := p.Run(ctx, runtime.Spec{MaxElapsed: 20 * time.Millisecond})
	requireLimit(t, runtime.LimitElapsed, err)
	_, p = program(t, "clockloop")
	spec := runtime.Spec{Args: []string{"1000"}, MaxElapsed: 500, Jar: runtime.Jar{Clock: runtime.Clock{Tick: 1}}}
	_, err = p.Run(ctx, spec)
	requireLimit(t, runtime.LimitElapsed, err)
	spec.Jar.Clock = runtime.Clock{Real: true}
	_, err = p.Run(ctx, spec)
	require.ErrorContains(t, err, "use Timeout")
}

func TestTapesAreLimited(t *testing.T) {
	rt, p := goProgram(t, "concurrent")
	store, buf := cas.NewMem(), new(bytes.Buffer)
	_, err := p.Run(ctx, runtime.Spec{Jar: runtime.Jar{TapeTo: buf, Store: store, MaxTape: 64}})
	requireLimit(t, runtime.LimitTape, err)
	require.LessOrEqual(t, buf.Len(), 64)
	_, err = rt.Replay(ctx, runtime.ReplaySpec{From: buf, Store: store})
	require.Error(t, err, "it is not whole")
}

func TestDescriptorsAreLimited(t *testing.T) {
	_, p := program(t, "demo")
	out, err := p.Run(ctx, runtime.Spec{MaxDescriptors: 4, Jar: runtime.Jar{Mounts: []runtime.Mount{{Guest: "/work"}}}})
	require.NoError(t, err)
	require.NotZero(t, out.ExitCode, "three streams and a preopen leave no room")
	for _, spec := range []runtime.Spec{{MaxDescriptors: -1}, {MaxElapsed: -1}} {
		_, err = p.Run(ctx, spec)
		require.ErrorContains(t, err, "out of range")
	}
}

// Tables lie outside of the memory that MaxMemory bounds.
func TestTablesAreLimited(t *testing.T) {
	_, p := program(t, "growtable")
	out, err := p.Run(ctx, runtime.Spec{})
	require.NoError(t, err)
	require.Equal(t, uint32(runtime.MaxTableElements>>20)-1, out.ExitCode, "steps of a million elements after the first one")
	_, err = newRuntime(t).Compile(ctx, guests.Wasm("bigtable"))
	requireLimit(t, runtime.LimitTables, err)
}
