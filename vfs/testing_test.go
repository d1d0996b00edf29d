package vfs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
)

// tree is an FS with the calls that a guest makes, at the root.
type tree struct {
	*FS
	t *testing.T
}

func newTree(t *testing.T) tree { return tree{New(Config{}), t} }

func (x tree) write(p, data string) {
	x.t.Helper()
	require.NoError(x.t, x.WriteFile(p, []byte(data), 0o644))
}

func (x tree) read(p string) string {
	x.t.Helper()
	data, err := x.ReadFile(p)
	require.NoError(x.t, err)
	return string(data)
}

func (x tree) mkdir(p string) {
	x.t.Helper()
	require.NoError(x.t, x.MkdirAll(p, 0o755))
}

func (x tree) ino(p string) Ino {
	x.t.Helper()
	st, e := x.StatAt(x.Root(), p, 0)
	require.Equal(x.t, errno.OK, e, p)
	return st.Ino
}

func (x tree) open(p string, flags OpenFlags) *File {
	x.t.Helper()
	h, e := x.OpenAt(x.Root(), p, flags, 0o644)
	require.Equal(x.t, errno.OK, e, p)
	return h
}

func (x tree) names(p string) []string {
	x.t.Helper()
	h := x.open(p, OpenDirectory)
	defer h.Close()
	var names []string
	require.Equal(x.t, errno.OK, h.ReadDir(0, func(d Dirent) bool {
		names = append(names, d.Name)
		return true
	}))
	return names
}

// changes renders Changes one per line: "added a/b".
func (x tree) changes() []string {
	x.t.Helper()
	list, err := x.Changes()
	require.NoError(x.t, err)
	out := []string{}
	for _, c := range list {
		out = append(out, c.Kind.String()+" "+c.Path)
	}
	return out
}
