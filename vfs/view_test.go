package vfs

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestViewIsAnFS(t *testing.T) {
	files := map[string]string{"a": "A", "d/b": "B", "d/e/c": "C"}
	_, host := hostTree(t, files)
	m := fstest.MapFS{}
	for name, data := range files {
		m[name] = &fstest.MapFile{Data: []byte(data)}
	}
	m["link"] = &fstest.MapFile{Data: []byte("d/b"), Mode: fs.ModeSymlink}
	other := newTree(t)
	for name, data := range files {
		other.mkdir(name[:max(0, len(name)-2)])
		other.write(name, data)
	}
	for name, b := range map[string]Base{"none": nil, "dir": host, "map": FromFS(m), "view": FromFS(other.View()), "zip": FromFS(zipped(t, files))} {
		t.Run(name, func(t *testing.T) {
			x := newTree(t)
			require.NoError(t, x.Mount("/", b, false))
			want := []string{}
			if b != nil {
				want = []string{"a", "d/b", "d/e/c"}
			}
			require.NoError(t, fstest.TestFS(x.View(), want...))
			x.mkdir("d/new")
			x.write("d/new/f", "F")
			x.write("a", "changed")
			require.NoError(t, x.Symlink("new/f", "d/s"))
			if b != nil {
				require.NoError(t, x.Remove("d/e/c"))
			}
			require.NoError(t, fstest.TestFS(x.View(), "a", "d/new/f", "d/s"))
			require.NoError(t, fstest.TestFS(x.Clone().View(), "a", "d/new/f", "d/s"))
		})
	}
}

func zipped(t *testing.T, files map[string]string) fs.FS {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"a", "d/b", "d/e/c"} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(f, files[name])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	return r
}
