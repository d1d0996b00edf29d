package vfs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/errno"
)

// hostTree makes a directory and a base over it.
func hostTree(t *testing.T, files map[string]string) (string, Base) {
	dir := t.TempDir()
	for name, data := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(data), 0o644))
	}
	b, err := Dir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return dir, b
}

// snapshot reads a whole host directory.
func snapshot(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out[p] = "dir"
			return err
		}
		data, err := os.ReadFile(p)
		out[p] = string(data)
		return err
	}))
	return out
}

func TestHostIsUntouched(t *testing.T) {
	dir, b := hostTree(t, map[string]string{"a": "A", "d/b": "B", "d/c": "C", "e/f/g": "G"})
	before := snapshot(t, dir)
	x := newTree(t)
	require.NoError(t, x.Mount("/w", b, false))
	x.write("w/a", "changed")
	x.write("w/new", "new")
	require.NoError(t, x.Remove("w/d/b"))
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "w/e", x.Root(), "w/moved"))
	require.Equal(t, "G", x.read("w/moved/f/g"))
	require.Equal(t, []string{".", "..", "c"}, x.names("w/d"))
	require.Equal(t, errno.ENOTEMPTY, x.RmdirAt(x.Root(), "w/d"))
	require.NoError(t, x.Remove("w/d/c"))
	require.NoError(t, x.Remove("w/d"))
	x.mkdir("w/d")
	require.Equal(t, []string{".", ".."}, x.names("w/d"), "what was there does not come back")
	require.Equal(t, before, snapshot(t, dir))
	require.Equal(t, []string{
		"modified w/a", "deleted w/d/b", "deleted w/d/c", "deleted w/e", "deleted w/e/f", "deleted w/e/f/g",
		"added w/moved", "added w/moved/f", "added w/moved/f/g", "added w/new",
	}, x.changes())
}

func TestChangedBaseIsNamed(t *testing.T) {
	big := string(bytes.Repeat([]byte("x"), firstExtent+10))
	for name, change := range map[string]func(p string) error{
		"rewritten": func(p string) error { return os.WriteFile(p, []byte(big), 0o644) },
		"shorter":   func(p string) error { return os.Truncate(p, 5) },
		"removed":   os.Remove,
		"replaced": func(p string) error {
			if err := os.WriteFile(p+"2", []byte(big), 0o644); err != nil {
				return err
			}
			return os.Rename(p+"2", p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, b := hostTree(t, map[string]string{"d/f": big})
			var told error
			f := New(Config{Fault: func(err error) { told = err }})
			require.NoError(t, f.Mount("/w", b, false))
			h, e := f.OpenAt(f.Root(), "w/d/f", 0, 0)
			require.Equal(t, errno.OK, e)
			p := make([]byte, 100)
			_, e = h.ReadAt(p, 0)
			require.Equal(t, errno.OK, e)
			time.Sleep(20 * time.Millisecond) // file times are coarse
			require.NoError(t, change(filepath.Join(dir, "d", "f")))
			_, e = h.ReadAt(p, firstExtent)
			require.Equal(t, errno.EIO, e)
			var changed *BaseChangedError
			require.ErrorAs(t, f.Err(), &changed)
			require.Equal(t, "w/d/f", changed.Path)
			require.ErrorIs(t, told, ErrBaseChanged)
			require.NotContains(t, told.Error(), dir)
		})
	}
}

func TestListingContradictsLookup(t *testing.T) {
	dir, b := hostTree(t, map[string]string{"a": "A"})
	x := newTree(t)
	require.NoError(t, x.Mount("/", b, false))
	_, e := x.StatAt(x.Root(), "late", 0)
	require.Equal(t, errno.ENOENT, e)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "late"), nil, 0o644))
	h := x.open(".", OpenDirectory)
	require.Equal(t, errno.EIO, h.ReadDir(0, func(Dirent) bool { return true }))
	require.ErrorContains(t, x.Err(), "/late")
}

// counting counts what a base is asked.
type counting struct {
	Base
	stats, lists, links, reads int
}

func (c *counting) Lstat(n string) (Info, error)      { c.stats++; return c.Base.Lstat(n) }
func (c *counting) ReadDir(n string) ([]Entry, error) { c.lists++; return c.Base.ReadDir(n) }
func (c *counting) ReadLink(n string) (string, error) { c.links++; return c.Base.ReadLink(n) }
func (c *counting) Read(name string, i Info, off int64, n int) (*cas.Blob, error) {
	c.reads++
	return c.Base.Read(name, i, off, n)
}

func TestEverythingIsAskedOnce(t *testing.T) {
	c := &counting{Base: FromFS(fstest.MapFS{"f": {Data: make([]byte, firstExtent+1)}, "g": {Data: []byte("g")}})}
	x := newTree(t)
	require.NoError(t, x.Mount("/", c, false))
	for range 3 {
		_, e := x.StatAt(x.Root(), "nope", 0)
		require.Equal(t, errno.ENOENT, e)
		x.read("f")
	}
	require.Equal(t, counting{Base: c.Base, stats: 2, reads: 2}, *c)
	x.write("g", "whole")
	h := x.open("f", OpenWrite)
	h.WriteAt([]byte("part"), 5)
	require.Equal(t, 2, c.reads, "an overwritten file is not read")
	x.names(".")
	x.names(".")
	require.Equal(t, 1, c.lists)
}

func TestBaseEdges(t *testing.T) {
	x := newTree(t)
	require.NoError(t, x.Mount("/", FromFS(fstest.MapFS{"f": {Data: []byte("x")}, "d/g": {}, "pipe": {Mode: os.ModeNamedPipe}}), false))
	_, e := x.StatAt(x.Root(), "\xff", 0)
	require.Equal(t, errno.ENOENT, e, "not a name that io/fs can have")
	_, e = x.OpenAt(x.Root(), "pipe", 0, 0)
	require.Equal(t, errno.ENXIO, e)
	require.Error(t, x.Mount("/", nil, false))
}

func TestMounts(t *testing.T) {
	x := newTree(t)
	_, b := hostTree(t, map[string]string{"in": "B", "sub/x": "X"})
	require.NoError(t, x.Mount("/a/b", b, true))
	require.NoError(t, x.Mount("/a", FromFS(fstest.MapFS{"b/hidden": {}, "f": {Data: []byte("F")}}), false))
	require.NoError(t, x.Mount("/a/b/sub", nil, false))
	require.Equal(t, "B", x.read("a/b/in"))
	require.Equal(t, "F", x.read("a/f"))
	require.Equal(t, []string{".", ".."}, x.names("a/b/sub"))
	x.write("a/b/sub/w", "w")
	require.ErrorIs(t, x.WriteFile("a/b/in", nil, 0o644), errno.EROFS)
	require.ErrorIs(t, x.Remove("a/b/in"), errno.EROFS)
	require.Error(t, x.Mount("/a/f", nil, false))
	require.Error(t, x.Mount("/a/b", b, false))
	require.Equal(t, []string{"added a/b/sub/w"}, x.changes())
}
