package vfs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/errno"
)

// through reads a file of a host directory over a cache, in a new tree.
func through(t *testing.T, c *Cache, dir, name string) string {
	t.Helper()
	b, err := c.Dir(dir)
	require.NoError(t, err)
	defer b.Close()
	x := newTree(t)
	require.NoError(t, x.Mount("/", b, false))
	return x.read(name)
}

func needChangeTimes(t *testing.T, file string) {
	t.Helper()
	fi, err := os.Lstat(file)
	require.NoError(t, err)
	if stampedHost(fi).Stamp.changed() == 0 {
		t.Skip("this system tells no change time of a file, so nothing is kept")
	}
}

func TestCacheKeepsWhatIsSettled(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, []byte("one"), 0o644))
	needChangeTimes(t, file)
	c := NewCache(1 << 20)
	require.Equal(t, "one", through(t, c, dir, "f"))
	if fi, err := os.Lstat(file); err == nil && time.Since(time.Unix(0, stampedHost(fi).Stamp.changed())) < timeStep {
		require.Zero(t, c.held, "a file as young as that may change unseen")
	}

	time.Sleep(2 * timeStep)
	require.Equal(t, "one", through(t, c, dir, "f"))
	fi, err := os.Lstat(file)
	require.NoError(t, err)
	if !stampedHost(fi).Stamp.settled(time.Now()) {
		t.Skip("this file system keeps times in whole seconds, so the rest would take long")
	}
	require.EqualValues(t, 3, c.held)
	require.Equal(t, "one", through(t, c, dir, "f"))
	require.EqualValues(t, 3, c.held)

	// The same length and the same mtime: only the change time tells.
	require.NoError(t, os.WriteFile(file, []byte("two"), 0o644))
	require.NoError(t, os.Chtimes(file, time.Time{}, fi.ModTime()))
	require.Equal(t, "two", through(t, c, dir, "f"))
	time.Sleep(2 * timeStep)
	require.Equal(t, "two", through(t, c, dir, "f"))
}

// What comes from the cache is not read again, and a change is found before it.
func TestCacheHitsAreChecked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, []byte("one"), 0o644))
	needChangeTimes(t, file)
	c := NewCache(1 << 20)
	b, err := c.Dir(dir)
	require.NoError(t, err)
	defer b.Close()
	info, err := b.Lstat("f")
	require.NoError(t, err)
	c.keep(stretch{info.Stamp, 0, 3}, cas.NewBlob([]byte("hit")))
	time.Sleep(2 * timeStep)
	if !info.Stamp.settled(time.Now()) {
		t.Skip("this file system keeps times in whole seconds")
	}
	got, err := b.Read("f", info, 0, 3)
	require.NoError(t, err)
	require.Equal(t, "hit", string(got.Bytes()))
	require.NoError(t, os.WriteFile(file, []byte("two"), 0o644))
	_, err = b.Read("f", info, 0, 3)
	require.ErrorIs(t, err, ErrBaseChanged)
}

func TestCacheForgetsTheOldest(t *testing.T) {
	c := NewCache(10)
	key := func(i int) stretch { return stretch{Stamp{4: 1}, int64(i), 4} }
	read := func() (*cas.Blob, error) { return cas.NewBlob([]byte("four")), nil }
	for i := range 3 {
		_, err := c.get(key(i), read)
		require.NoError(t, err)
		require.NotNil(t, c.look(key(0)), "it was used last")
	}
	require.Nil(t, c.look(key(1)))
	require.NotNil(t, c.look(key(2)))
	require.EqualValues(t, 8, c.held)
	_, err := c.get(stretch{Stamp{4: 1}, 0, 11}, read)
	require.NoError(t, err)
	require.EqualValues(t, 8, c.held, "what is longer than the limit empties nothing")
	_, err = c.get(stretch{Stamp{4: 1}, 9, 4}, func() (*cas.Blob, error) { return nil, errno.EIO })
	require.ErrorIs(t, err, errno.EIO)
	require.EqualValues(t, 8, c.held)
}

func TestSettled(t *testing.T) {
	now := time.Unix(1_000_000, 500_000_000)
	for ago, want := range map[time.Duration]bool{
		-time.Hour: false, 0: false, 90 * time.Millisecond: false, 110 * time.Millisecond: true,
		1500 * time.Millisecond: false, // a whole second
		3500 * time.Millisecond: true,
	} {
		require.Equal(t, want, Stamp{4: uint64(now.Add(-ago).UnixNano())}.settled(now), "%v", ago)
	}
	require.False(t, Stamp{}.settled(now), "no change time")
}

// A file that is read through is asked for in ever longer stretches.
func TestExtentsGrow(t *testing.T) {
	_, b := hostTree(t, map[string]string{"f": string(bytes.Repeat([]byte("0123456789abcdef"), 1<<20))})
	c := &counting{Base: b}
	x := newTree(t)
	require.NoError(t, x.Mount("/", c, false))
	require.Len(t, x.read("f"), 16<<20)
	// 256 and 512 KiB, 1 and 2 MiB, three times 4 MiB and the rest
	require.Equal(t, 8, c.reads)
}
