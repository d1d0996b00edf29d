package vfs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/errno"
)

func based(t *testing.T) tree {
	x := newTree(t)
	require.NoError(t, x.Mount("/", FromFS(fstest.MapFS{
		"a": {Data: []byte("A"), Mode: 0o644}, "b": {Data: bytes.Repeat([]byte("b"), 3*firstExtent), Mode: 0o644},
		"d/x": {Data: []byte("X"), Mode: 0o644}, "d/y/z": {Data: []byte("Z"), Mode: 0o644},
	}), false))
	return x
}

func TestChanges(t *testing.T) {
	x := based(t)
	x.names(".")
	x.read("a")
	require.Empty(t, x.changes())
	x.write("a", "A")
	require.Empty(t, x.changes(), "rewritten with what it had")
	x.write("tmp", "A")
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "tmp", x.Root(), "a"))
	require.Empty(t, x.changes(), "replaced by its like")
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "d", x.Root(), "e"))
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "e", x.Root(), "d"))
	require.Empty(t, x.changes(), "there and back")

	h := x.open("b", OpenWrite)
	h.WriteAt([]byte("!"), firstExtent)
	require.NoError(t, x.Remove("a"))
	x.mkdir("a/sub")
	require.NoError(t, x.Remove("d/x"))
	require.NoError(t, x.Symlink("y", "d/x"))
	list, err := x.Changes()
	require.NoError(t, err)
	require.Equal(t, []string{"modified a", "added a/sub", "modified b", "modified d/x"}, x.changes())
	require.Equal(t, TypeFile, list[0].Before.Type)
	require.Equal(t, TypeDir, list[0].After.Type)
	x.write("b", "later")
	before, err := list[2].Before.Content()
	require.NoError(t, err)
	after, err := list[2].After.Content()
	require.NoError(t, err)
	require.Equal(t, byte('b'), before[firstExtent])
	before[firstExtent] = '!'
	require.True(t, bytes.Equal(before, after), "as it was when Changes was called")
	require.Equal(t, "y", list[3].After.Target)
}

func TestDigestIsOfChanges(t *testing.T) {
	sum := func(x tree) cas.Digest {
		d, err := x.Digest()
		require.NoError(t, err)
		return d
	}
	clean := sum(based(t))
	x := based(t)
	x.names("d")
	x.read("a")
	require.Equal(t, clean, sum(x), "reading is no change")
	seen := map[cas.Digest]string{clean: "nothing"}
	for what, do := range map[string]func(x tree){
		"write":    func(x tree) { x.write("a", "B") },
		"create":   func(x tree) { x.write("n", "") },
		"create2":  func(x tree) { x.write("n", "2") },
		"mkdir":    func(x tree) { x.mkdir("n") },
		"link":     func(x tree) { _ = x.Symlink("1", "n") },
		"link2":    func(x tree) { _ = x.Symlink("2", "n") },
		"remove":   func(x tree) { _ = x.Remove("a") },
		"rename":   func(x tree) { x.RenameAt(x.Root(), "d", x.Root(), "e") },
		"rename2":  func(x tree) { x.RenameAt(x.Root(), "d", x.Root(), "e"); _ = x.Remove("e/x") },
		"truncate": func(x tree) { x.open("b", OpenWrite).Truncate(9) },
		"extend":   func(x tree) { x.open("b", OpenWrite).Truncate(9 * firstExtent) },
		"big":      func(x tree) { x.write("n", string(make([]byte, 5*firstExtent))+"x") },
	} {
		x, y := based(t), based(t)
		do(x)
		do(y)
		require.Equal(t, sum(x), sum(y), what)
		require.Equal(t, sum(x), sum(tree{x.Clone(), t}), what)
		require.Empty(t, seen[sum(x)], "%s is like another", what)
		seen[sum(x)] = what
	}
}

// A byte changed in a huge file is found without reading the file.
func TestHugeFilesAreComparedWhereWritten(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "huge")
	require.NoError(t, os.WriteFile(name, nil, 0o644))
	if err := os.Truncate(name, 1<<42); err != nil {
		t.Skipf("this file system has no files of 4 TiB: %v", err)
	}
	b, err := Dir(dir)
	require.NoError(t, err)
	defer b.Close()
	c := &counting{Base: b}
	x := newTree(t)
	require.NoError(t, x.Mount("/", c, false))
	h := x.open("huge", OpenWrite)
	_, e := h.WriteAt([]byte{0}, 1<<41)
	require.Equal(t, errno.OK, e)
	require.Empty(t, x.changes(), "it was 0 before")
	_, e = h.WriteAt([]byte{1}, 1<<41)
	require.Equal(t, errno.OK, e)
	require.Equal(t, []string{"modified huge"}, x.changes())
	require.Less(t, c.reads, 10)
}
