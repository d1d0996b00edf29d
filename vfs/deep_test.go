package vfs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
)

// chain makes directories below at, each in the last, until one is refused.
func chain(t *testing.T, x tree, at Ino, name string) (last Ino, made int, refused errno.Errno) {
	t.Helper()
	for made < 10_000 {
		if e := x.MkdirAt(at, name, 0o755); e != errno.OK {
			return at, made, e
		}
		st, e := x.StatAt(at, name, 0)
		require.Equal(t, errno.OK, e)
		at = st.Ino
		made++
	}
	t.Fatal("no directory was refused")
	return
}

func TestWholePathsAreBounded(t *testing.T) {
	x := newTree(t)
	bottom, made, e := chain(t, x, x.Root(), "d")
	require.Equal(t, errno.ENAMETOOLONG, e)
	require.Equal(t, 2048, made)
	_, e = x.OpenAt(bottom, "file", OpenCreate|OpenWrite, 0o644)
	require.Equal(t, errno.ENAMETOOLONG, e)
	require.Equal(t, errno.ENAMETOOLONG, x.SymlinkAt("t", bottom, "link"))
	x.write("f", "F")
	require.Equal(t, errno.ENAMETOOLONG, x.LinkAt(x.Root(), "f", 0, bottom, "f"))
	require.Equal(t, errno.ENAMETOOLONG, x.RenameAt(x.Root(), "f", bottom, "f"))

	// Nor does a rename make a path longer than it may be.
	require.Equal(t, errno.OK, x.MkdirAt(x.Root(), "other", 0o755))
	require.Equal(t, errno.ENAMETOOLONG, x.RenameAt(x.Root(), "d", x.Root(), "other/d"))
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "d", x.Root(), "e"), "as long as before")
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "e/"+strings.Repeat("d/", 9)+"d", x.Root(), "short"))
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "short", x.Root(), "other/s"), "there is room now")
	list, err := x.Changes()
	require.NoError(t, err)
	for _, c := range list {
		require.LessOrEqual(t, len(c.Path), maxPath)
	}
}
