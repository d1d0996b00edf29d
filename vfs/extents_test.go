package vfs

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestExtentsModel asks for chunks in any order: every byte is asked for at
// most once, in whole chunks, and comes back as it is.
func TestExtentsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 200*chunkSize).Draw(t, "size")
		asked := make([]bool, (size+chunkSize-1)/chunkSize)
		var x extents
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			idx := rapid.Int64Range(0, int64(len(asked))-1).Draw(t, "chunk")
			off := idx << chunkBits
			p := x.from(off)
			require.Equal(t, asked[idx], p != nil)
			if p != nil {
				require.Equal(t, byte(idx), p[0])
				continue
			}
			start, n := x.missing(off, size)
			require.Zero(t, start%chunkSize)
			require.True(t, start <= off && off < start+int64(n) && start+int64(n) <= size)
			require.True(t, n%chunkSize == 0 || start+int64(n) == size)
			require.LessOrEqual(t, n, longestExtent)
			q := make([]byte, 0, n)
			for at := start; at < start+int64(n); at += chunkSize {
				require.False(t, asked[at>>chunkBits], "asked twice")
				asked[at>>chunkBits] = true
				q = append(q, bytes.Repeat([]byte{byte(at >> chunkBits)}, int(min(chunkSize, start+int64(n)-at)))...)
			}
			old := x
			x = x.with(start, q)
			require.Nil(t, old.from(off), "a value does not change")
		}
	})
}
