package vfs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
)

func TestCookiesStayGood(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	for i := range 100 {
		x.write(fmt.Sprintf("d/f%02d", i), "")
	}
	h := x.open("d", OpenDirectory)
	seen := map[string]int{}
	cookie, steps := uint64(0), 0
	for {
		done := true
		require.Equal(t, errno.OK, h.ReadDir(cookie, func(d Dirent) bool {
			seen[d.Name]++
			cookie, done = d.Next, false
			return false
		}))
		if done {
			break
		}
		if steps < 40 { // remove what comes and what was, add what is new
			require.NoError(t, x.Remove(fmt.Sprintf("d/f%02d", 2*steps+1)))
			x.write(fmt.Sprintf("d/new%d", steps), "")
		}
		steps++
	}
	for i := 0; i < 100; i += 2 {
		require.Equal(t, 1, seen[fmt.Sprintf("f%02d", i)], i)
	}
	for name, n := range seen {
		require.Equal(t, 1, n, name)
	}
	require.Equal(t, errno.OK, h.ReadDir(^uint64(0), func(Dirent) bool { t.Fatal("nothing is there"); return false }))
}

func TestRenameMatrix(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     errno.Errno
	}{
		{"f", "g", errno.OK}, {"f", "new", errno.OK}, {"f", "link", errno.OK}, {"f", "d", errno.EISDIR}, {"f", "new/", errno.ENOTDIR},
		{"d", "f", errno.ENOTDIR}, {"d", "empty", errno.OK}, {"d", "full", errno.ENOTEMPTY}, {"d", "new/", errno.OK},
		{"full", "full/sub/x", errno.EINVAL}, {"full", "full", errno.OK}, {"full/sub", "full", errno.ENOTEMPTY},
		{"f", "hard", errno.OK}, {"nope", "x", errno.ENOENT}, {"f", "nope/x", errno.ENOENT}, {"f/", "x", errno.ENOTDIR},
		{".", "x", errno.EINVAL}, {"d", ".", errno.EINVAL}, {"d", "f/", errno.ENOTDIR}, {"mnt", "x", errno.EBUSY}, {"empty", "mnt", errno.EBUSY},
		{"link", "l2", errno.OK}, {"f", "../x", errno.EPERM},
	} {
		x := newTree(t)
		require.NoError(t, x.Mount("mnt", nil, false))
		x.write("f", "f")
		x.write("g", "g")
		x.mkdir("d")
		x.mkdir("empty")
		x.mkdir("full/sub")
		require.NoError(t, x.Symlink("g", "link"))
		require.Equal(t, errno.OK, x.LinkAt(x.Root(), "f", 0, x.Root(), "hard"))
		before := len(x.names("."))
		e := x.RenameAt(x.Root(), c.from, x.Root(), c.to)
		require.Equal(t, c.want, e, "%s -> %s", c.from, c.to)
		if e != errno.OK {
			require.Len(t, x.names("."), before, "%s -> %s changed something", c.from, c.to)
		}
	}
}

func TestRenameMovesTheParent(t *testing.T) {
	x := newTree(t)
	x.mkdir("a/sub")
	x.mkdir("b")
	x.write("b/f", "hi")
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "a/sub", x.Root(), "b/sub"))
	require.Equal(t, "hi", x.read("b/sub/../f"))
}

func TestHardLinks(t *testing.T) {
	x := newTree(t)
	x.write("f", "one")
	require.Equal(t, errno.OK, x.LinkAt(x.Root(), "f", 0, x.Root(), "g"))
	x.write("g", "two")
	require.Equal(t, "two", x.read("f"))
	st, _ := x.StatAt(x.Root(), "f", 0)
	require.EqualValues(t, 2, st.Nlink)
	require.NoError(t, x.Remove("f"))
	st, _ = x.StatAt(x.Root(), "g", 0)
	require.EqualValues(t, 1, st.Nlink)
	x.mkdir("d")
	require.Equal(t, errno.EPERM, x.LinkAt(x.Root(), "d", 0, x.Root(), "e"))
	require.Equal(t, errno.EEXIST, x.LinkAt(x.Root(), "g", 0, x.Root(), "d"))
}

func TestUnlinkedLivesWhileOpen(t *testing.T) {
	x := newTree(t)
	x.write("f", "bytes")
	h := x.open("f", OpenWrite)
	require.NoError(t, x.Remove("f"))
	n, e := h.WriteAt([]byte("B"), 0)
	require.Equal(t, errno.OK, e)
	require.Equal(t, 1, n)
	p := make([]byte, 9)
	n, e = h.ReadAt(p, 0)
	require.Equal(t, errno.OK, e)
	require.Equal(t, "Bytes", string(p[:n]))
	st, _ := h.Stat()
	require.Zero(t, st.Nlink)
	inodes := x.inodes.Len()
	require.Equal(t, errno.OK, h.Close())
	require.Equal(t, inodes-1, x.inodes.Len())
	require.Equal(t, errno.EBADF, h.Close())
	_, e = h.ReadAt(p, 0)
	require.Equal(t, errno.EBADF, e)
}

func TestRemovedDirectory(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	h := x.open("d", OpenDirectory)
	require.Equal(t, errno.EISDIR, x.UnlinkAt(x.Root(), "d"))
	require.Equal(t, errno.EINVAL, x.RmdirAt(h.Ino(), "."))
	require.Equal(t, errno.OK, x.RmdirAt(x.Root(), "d/"))
	require.Equal(t, errno.ENOENT, x.MkdirAt(h.Ino(), "x", 0o755))
	_, e := x.OpenAt(h.Ino(), "f", OpenCreate, 0o644)
	require.Equal(t, errno.ENOENT, e)
	require.Equal(t, errno.OK, h.ReadDir(0, func(Dirent) bool { t.Fatal("empty"); return false }))
}

func TestCreateErrors(t *testing.T) {
	x := newTree(t)
	x.write("f", "x")
	x.mkdir("d")
	require.NoError(t, x.Mount("ro", nil, true))
	require.Equal(t, errno.EEXIST, x.MkdirAt(x.Root(), "d", 0o755))
	require.Equal(t, errno.EEXIST, x.MkdirAt(x.Root(), "f/", 0o755))
	require.Equal(t, errno.OK, x.MkdirAt(x.Root(), "new/", 0o755))
	require.Equal(t, errno.ENOTDIR, x.RmdirAt(x.Root(), "f"))
	require.Equal(t, errno.EBUSY, x.RmdirAt(x.Root(), "ro"))
	require.Equal(t, errno.ENOENT, x.SymlinkAt("", x.Root(), "s"))
	require.Equal(t, errno.EROFS, x.SymlinkAt("t", x.Root(), "ro/s"))
	require.Equal(t, errno.EROFS, x.MkdirAt(x.Root(), "ro/s", 0o755))
	require.Equal(t, errno.EROFS, x.RenameAt(x.Root(), "f", x.Root(), "ro/f"))
	require.Equal(t, errno.EROFS, x.LinkAt(x.Root(), "f", 0, x.Root(), "ro/f"))
	for _, c := range []struct {
		path  string
		flags OpenFlags
		want  errno.Errno
	}{
		{"f", OpenCreate | OpenExcl, errno.EEXIST}, {"n/", OpenCreate, errno.EISDIR}, {"d", OpenWrite, errno.EISDIR},
		{"f", OpenDirectory, errno.ENOTDIR}, {"n", 0, errno.ENOENT}, {"n", OpenCreate | OpenDirectory, errno.EINVAL},
		{"ro/n", OpenCreate, errno.EROFS}, {"d", OpenTrunc, errno.EISDIR},
	} {
		_, e := x.OpenAt(x.Root(), c.path, c.flags, 0o644)
		require.Equal(t, c.want, e, "%s %b", c.path, c.flags)
	}
}
