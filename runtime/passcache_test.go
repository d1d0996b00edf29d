package runtime

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/guests"
)

// entry returns the one file of a cache.
func entry(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return filepath.Join(dir, list[0].Name())
}

func TestPassedModulesAreKept(t *testing.T) {
	wasm := guests.Wasm("demo")
	want, err := pass(wasm, CompileOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, want.image)
	c := &passCache{dir: t.TempDir()}
	for range 2 {
		got, err := c.get(wasm, CompileOptions{})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	name := entry(t, c.dir)
	got, ok := c.load(name)
	require.True(t, ok)
	require.Equal(t, want, got)

	// Damage is found and heals.
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, damage := range []func(p []byte) []byte{
		func(p []byte) []byte { return nil },
		func(p []byte) []byte { return p[:10] },
		func(p []byte) []byte { return p[:len(p)-1] },
		func(p []byte) []byte { p[len(p)/2] ^= 1; return p },
		func(p []byte) []byte { p[0] ^= 1; return p },
	} {
		require.NoError(t, os.WriteFile(name, damage(append([]byte{}, whole...)), 0o600))
		_, ok := c.load(name)
		require.False(t, ok)
		got, err := c.get(wasm, CompileOptions{})
		require.NoError(t, err)
		require.Equal(t, want, got)
		_, ok = c.load(name)
		require.True(t, ok, "it is written anew")
	}

	_, err = c.get([]byte("no module"), CompileOptions{})
	require.Error(t, err)
	entry(t, c.dir)
	none := &passCache{dir: filepath.Join(c.dir, "gone")}
	got, err = none.get(wasm, CompileOptions{})
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestPassCacheIsBounded(t *testing.T) {
	c := &passCache{dir: t.TempDir()}
	for i, name := range []string{"old", "newer", "newest"} {
		f, err := os.Create(filepath.Join(c.dir, name))
		require.NoError(t, err)
		require.NoError(t, f.Truncate(passCacheLimit/2))
		require.NoError(t, f.Close())
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		require.NoError(t, os.Chtimes(f.Name(), at, at))
	}
	c.prune()
	list, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "newer", list[0].Name())
}
