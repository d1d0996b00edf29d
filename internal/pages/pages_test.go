package pages

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryOverAnImage(t *testing.T) {
	img, err := NewImage(append(make([]byte, 70_000), "hello"...))
	require.NoError(t, err)
	defer img.Close()
	a, err := Reserve(img, 1<<30)
	require.NoError(t, err)
	defer a.Free()
	b, err := Reserve(img, 1<<20)
	require.NoError(t, err)
	defer b.Free()

	p := a.Grow(1 << 17)
	require.Len(t, p, 1<<17)
	require.Equal(t, "hello", string(p[70_000:70_005]))
	copy(p[70_000:], "HELLO")
	p[1<<17-1] = 9
	require.Equal(t, "hello", string(b.Grow(1 << 17)[70_000:70_005]), "each has its own")

	p = a.Grow(1 << 29)
	require.Equal(t, "HELLO", string(p[70_000:70_005]), "growing keeps what is there")
	require.Equal(t, byte(9), p[1<<17-1])
	require.Zero(t, p[1<<29-1])
	p[1<<29-1] = 1
	require.NoError(t, a.Reset())
	p = a.Grow(1 << 29)
	require.Equal(t, "hello", string(p[70_000:70_005]))
	require.Zero(t, p[1<<17-1])
	require.Zero(t, p[1<<29-1])

	require.Nil(t, b.Grow(1<<20+1), "no more than was reserved")
	require.NoError(t, b.Free())
	require.NoError(t, b.Free(), "twice is once")
}

func TestMemoryWithoutAnImage(t *testing.T) {
	img, err := NewImage(nil)
	require.NoError(t, err)
	m, err := Reserve(img, 1<<16)
	require.NoError(t, err)
	require.Empty(t, m.Grow(0))
	require.Equal(t, make([]byte, 1<<16), m.Grow(1<<16))
	require.NoError(t, m.Free())
	require.NoError(t, img.Close())
	require.NoError(t, img.Close())

	none, err := Reserve(img, 0)
	require.NoError(t, err)
	require.Nil(t, none.Grow(1))
	require.NoError(t, none.Reset())
	require.NoError(t, none.Free())
}

func TestReserveRefusesLessThanTheImage(t *testing.T) {
	img, err := NewImage(bytes.Repeat([]byte{1}, 1<<20))
	require.NoError(t, err)
	defer img.Close()
	_, err = Reserve(img, 1<<16)
	require.ErrorContains(t, err, "less than the image")
}
