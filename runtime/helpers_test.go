package runtime_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/runtime"
)

var ctx = context.Background()

func newRuntime(t testing.TB) *runtime.Runtime {
	t.Helper()
	rt, err := runtime.New(ctx, runtime.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close(ctx)) })
	return rt
}

// program compiles a committed guest.
func program(t testing.TB, name string) (*runtime.Runtime, *runtime.Program) {
	t.Helper()
	return programOf(t, guests.Wasm(name))
}

// goProgram compiles a Go guest.
func goProgram(t testing.TB, name string) (*runtime.Runtime, *runtime.Program) {
	t.Helper()
	return programOf(t, guests.Build(t, name))
}

func programOf(t testing.TB, wasm []byte) (*runtime.Runtime, *runtime.Program) {
	t.Helper()
	rt := newRuntime(t)
	p, err := rt.Compile(ctx, wasm)
	require.NoError(t, err)
	return rt, p
}
