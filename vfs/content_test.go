package vfs

import (
	"bytes"
	"math"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed48025506/belljar/internal/errno"
)

// twin is a file and what it must hold.
type twin struct {
	fs   *FS
	h    *File
	want []byte
}

// check reads the whole file in one piece and compares.
func (w *twin) check(t *rapid.T) {
	st, e := w.h.Stat()
	require.Equal(t, errno.OK, e)
	require.EqualValues(t, len(w.want), st.Size)
	got := make([]byte, len(w.want)+1)
	n, e := w.h.ReadAt(got, 0)
	require.Equal(t, errno.OK, e)
	require.True(t, bytes.Equal(w.want, got[:n]))
}

func (w *twin) write(p []byte, off int) {
	if end := off + len(p); end > len(w.want) && len(p) > 0 {
		w.want = append(w.want, make([]byte, end-len(w.want))...)
	}
	copy(w.want[min(off, len(w.want)):], p)
}

// TestContentModel holds files, and clones made at any moment, against plain
// byte slices.
func TestContentModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := bytes.Repeat([]byte("base "), rapid.IntRange(0, 60_000).Draw(t, "start"))
		f := New(Config{})
		require.NoError(t, f.Mount("/", FromFS(fstest.MapFS{"f": {Data: start}}), false))
		h, e := f.OpenAt(f.Root(), "f", OpenWrite, 0)
		require.Equal(t, errno.OK, e)
		all := []*twin{{f, h, bytes.Clone(start)}}
		offset := rapid.OneOf(rapid.IntRange(0, 4*chunkSize), rapid.SampledFrom([]int{0, chunkSize - 1, chunkSize, chunkSize + 1, 2 * chunkSize}))
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				w := rapid.SampledFrom(all).Draw(t, "file")
				off := offset.Draw(t, "off")
				p := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.SampledFrom([]int{0, 1, 100, 4096, chunkSize, 3 * chunkSize}).Draw(t, "n"))
				n, e := w.h.WriteAt(p, int64(off))
				require.Equal(t, errno.OK, e)
				require.Equal(t, len(p), n)
				w.write(p, off)
			},
			"append": func(t *rapid.T) {
				w := rapid.SampledFrom(all).Draw(t, "file")
				_, end, e := w.h.Append([]byte("tail"))
				require.Equal(t, errno.OK, e)
				w.write([]byte("tail"), len(w.want))
				require.EqualValues(t, len(w.want), end)
			},
			"truncate": func(t *rapid.T) {
				w := rapid.SampledFrom(all).Draw(t, "file")
				size := offset.Draw(t, "size")
				require.Equal(t, errno.OK, w.h.Truncate(int64(size)))
				w.want = append(w.want, make([]byte, max(0, size-len(w.want)))...)[:size]
			},
			"clone": func(t *rapid.T) {
				w := rapid.SampledFrom(all).Draw(t, "file")
				c := w.fs.Clone()
				h, e := w.h.In(c)
				require.Equal(t, errno.OK, e)
				all = append(all, &twin{c, h, bytes.Clone(w.want)})
			},
			"read": func(t *rapid.T) {
				w := rapid.SampledFrom(all).Draw(t, "file")
				off := offset.Draw(t, "off")
				p := make([]byte, 5000)
				n, e := w.h.ReadAt(p, int64(off))
				require.Equal(t, errno.OK, e)
				require.True(t, bytes.Equal(w.want[min(off, len(w.want)):min(off+5000, len(w.want))], p[:n]))
			},
		})
		for _, w := range all {
			w.check(t)
			list, err := w.fs.Changes()
			require.NoError(t, err)
			require.Equal(t, !bytes.Equal(start, w.want), len(list) == 1)
		}
	})
}

func TestHugeHolesCostNothing(t *testing.T) {
	x := newTree(t)
	h := x.open("f", OpenCreate|OpenWrite)
	require.Equal(t, errno.OK, h.Truncate(1<<60))
	p := []byte("xxxx")
	n, e := h.ReadAt(p, 1<<59)
	require.Equal(t, errno.OK, e)
	require.Equal(t, "\x00\x00\x00\x00", string(p[:n]))
	_, e = h.WriteAt([]byte("z"), MaxSize-1)
	require.Equal(t, errno.OK, e)
	for _, off := range []int64{MaxSize, math.MaxInt64} {
		_, e = h.WriteAt([]byte("z"), off)
		require.Equal(t, errno.EFBIG, e)
		require.Equal(t, errno.EFBIG, h.Allocate(off, 1))
	}
	_, e = h.WriteAt([]byte("z"), -1)
	require.Equal(t, errno.EINVAL, e)
	_, e = h.ReadAt(p, -1)
	require.Equal(t, errno.EINVAL, e)
	require.Equal(t, errno.EFBIG, h.Truncate(MaxSize+1))
	require.Equal(t, errno.EINVAL, h.Truncate(-1))
	require.Equal(t, errno.EINVAL, h.Allocate(0, 0))
	require.Equal(t, errno.EFBIG, h.Allocate(1, math.MaxInt64))
	_, err := x.ReadFile("f")
	require.ErrorIs(t, err, errno.EFBIG)
	_, err = x.Digest()
	require.NoError(t, err)
	list, err := x.Changes()
	require.NoError(t, err)
	_, err = list[0].After.Content()
	require.ErrorIs(t, err, errno.EFBIG)
}

func TestReadWriteDoNotAllocate(t *testing.T) {
	x := newTree(t)
	h := x.open("f", OpenCreate|OpenWrite)
	p := make([]byte, 4096)
	_, e := h.WriteAt(make([]byte, 1<<20), 0)
	require.Equal(t, errno.OK, e)
	off := int64(0)
	require.Zero(t, testing.AllocsPerRun(200, func() {
		h.WriteAt(p, off)
		h.ReadAt(p, off)
		off = (off + 4096) % (1 << 20)
	}))
}

func TestClonesInParallel(t *testing.T) {
	f := New(Config{})
	require.NoError(t, f.Mount("/", FromFS(fstest.MapFS{"d/f": {Data: make([]byte, 1<<18)}}), false))
	require.NoError(t, f.WriteFile("own", make([]byte, 1<<18), 0o644))
	var wg sync.WaitGroup
	for i := range 8 {
		c := f.Clone()
		wg.Go(func() {
			x := tree{c, t}
			for j := range 50 {
				h, _ := c.OpenAt(c.Root(), "own", OpenWrite, 0)
				h.WriteAt([]byte{byte(i)}, int64(j*4000))
				h.Close()
				h, _ = c.OpenAt(c.Root(), "d/f", OpenWrite, 0)
				h.WriteAt([]byte{byte(i)}, int64(j*4000))
				h.Close()
				x.write("d/mine", string(rune('a'+i)))
				c.Clone()
			}
			if x.read("d/mine") != string(rune('a'+i)) || x.read("own")[4000] != byte(i) {
				t.Error("a clone sees another")
			}
		})
	}
	wg.Wait()
	_, e := f.StatAt(f.Root(), "d/mine", 0)
	require.Equal(t, errno.ENOENT, e)
}
