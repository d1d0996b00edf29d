package vfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
)

func TestResolveStaysInside(t *testing.T) {
	host := t.TempDir()
	secret := filepath.Join(host, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("no"), 0o600))
	jail := filepath.Join(host, "jail")
	require.NoError(t, os.MkdirAll(filepath.Join(jail, "sub"), 0o755))
	require.NoError(t, os.Symlink("../secret", filepath.Join(jail, "up")))
	require.NoError(t, os.Symlink(secret, filepath.Join(jail, "abs")))
	require.NoError(t, os.Symlink("..", filepath.Join(jail, "sub", "parent")))
	base, err := Dir(jail)
	require.NoError(t, err)
	defer base.Close()

	x := newTree(t)
	require.NoError(t, x.Mount("/j", base, false))
	at := x.ino("j")
	for _, p := range []string{"../x", "sub/../../x", "/etc/passwd", "up", "abs", "sub/parent/up", "sub/parent/..", "abs/", "up/x"} {
		_, e := x.StatAt(at, p, Follow)
		require.Equal(t, errno.EPERM, e, p)
	}
	_, e := x.StatAt(x.ino("j/sub"), "parent", Follow)
	require.Equal(t, errno.EPERM, e, "the parent is above the start, though inside the tree")
	_, e = x.StatAt(x.Root(), "j/abs", Follow)
	require.Equal(t, errno.ENOENT, e, "from the root, absolute is the tree's root, not the host's")
	_, e = x.StatAt(x.Root(), "j/up", Follow)
	require.Equal(t, errno.ENOENT, e)
}

func TestResolveErrors(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	x.write("f", "x")
	require.NoError(t, x.Symlink("loop", "loop"))
	require.NoError(t, x.Symlink("b", "a"))
	require.NoError(t, x.Symlink("a", "b"))
	require.NoError(t, x.Symlink("f", "tof"))
	require.NoError(t, x.Symlink("d", "tod"))
	for p, want := range map[string]errno.Errno{
		"": errno.ENOENT, "a\x00b": errno.EINVAL, "nope": errno.ENOENT, "nope/x": errno.ENOENT,
		"f/": errno.ENOTDIR, "f/x": errno.ENOTDIR, "tof/": errno.ENOTDIR, "loop": errno.ELOOP, "a": errno.ELOOP, "a/x": errno.ELOOP,
		strings.Repeat("n", 256): errno.ENAMETOOLONG, strings.Repeat("d/", 2049): errno.ENAMETOOLONG,
		"d/": errno.OK, "d//.": errno.OK, "d/..": errno.EPERM, "./d/../f": errno.EPERM, "tod/": errno.OK, "./": errno.OK,
	} {
		if strings.Contains(p, "d/..") {
			want = map[string]errno.Errno{"d/..": errno.OK, "./d/../f": errno.OK}[p]
		}
		_, e := x.StatAt(x.Root(), p, Follow)
		require.Equal(t, want, e, "%.40q", p)
	}
	_, e := x.OpenAt(x.Root(), "tof", 0, 0)
	require.Equal(t, errno.ELOOP, e)
	st, e := x.StatAt(x.Root(), "tof", 0)
	require.Equal(t, errno.OK, e)
	require.Equal(t, TypeSymlink, st.Type)
	_, e = x.StatAt(Ino(99), "f", 0)
	require.Equal(t, errno.EBADF, e)
	_, e = x.StatAt(x.ino("f"), "f", 0)
	require.Equal(t, errno.ENOTDIR, e)
}

func TestResolveFortyLinks(t *testing.T) {
	x := newTree(t)
	x.write("l0", "x")
	prev := "l0"
	for i := range 41 {
		name := "l" + strings.Repeat("x", i+1)
		require.NoError(t, x.Symlink(prev, name))
		prev = name
		_, e := x.StatAt(x.Root(), name, Follow)
		if i < 40 {
			require.Equal(t, errno.OK, e, i)
		} else {
			require.Equal(t, errno.ELOOP, e, i)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"a/../..", "l/../x", "/abs", "m/n/o", "..//..", "a/l/l/l", "\xff/\x00"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, path, target string) {
		x := newTree(t)
		x.write("outside", "secret")
		x.mkdir("jail/a/b")
		at := x.ino("jail")
		_ = x.SymlinkAt(target, at, "l")
		_ = x.SymlinkAt(target, at, "a/l")
		h, e := x.OpenAt(at, path, OpenFollow|OpenCreate|OpenWrite, 0o644)
		if e == errno.OK {
			_, e = h.WriteAt([]byte("guest"), 0)
			require.Equal(t, errno.OK, e)
		}
		_ = x.MkdirAt(at, path, 0o755)
		_ = x.RenameAt(at, path, at, target)
		_ = x.UnlinkAt(at, path)
		_ = x.RmdirAt(at, path)
		require.Equal(t, "secret", x.read("outside"))
		require.Equal(t, []string{".", "..", "outside", "jail"}, x.names("."))
	})
}
