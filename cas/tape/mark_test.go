package tape

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
)

func TestTenMillionMarksAreASmallTape(t *testing.T) {
	var buf bytes.Buffer
	d, err := Record(&buf, cas.NewMem(), testHeader)
	require.NoError(t, err)
	for i := range uint64(10_000_000) {
		d.Mark(CodeClock, 1, i)
	}
	require.NoError(t, d.Finish(cas.Digest{}))
	require.Less(t, buf.Len(), 4<<10)
	require.Equal(t, uint64(10_000_000), d.Events())
}

func TestADifferentMarkIsFoundAtACheckpoint(t *testing.T) {
	var buf bytes.Buffer
	marks := func(d *Deck, odd uint64) {
		for i := range uint64(checkpointEvery + 5) {
			d.Mark(CodeClock, 1, i/odd)
		}
	}
	store := cas.NewMem()
	d, err := Record(&buf, store, testHeader)
	require.NoError(t, err)
	marks(d, 1)
	require.NoError(t, d.Finish(cas.Digest{}))
	tp, err := Open(&buf)
	require.NoError(t, err)
	r, err := tp.Replay(store)
	require.NoError(t, err)
	marks(r, 2)
	require.ErrorContains(t, r.Err(), "checkpoint")
}

func TestMarksDoNotAllocate(t *testing.T) {
	d, err := Record(new(bytes.Buffer), cas.NewMem(), testHeader)
	require.NoError(t, err)
	p := make([]byte, 4096)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		d.Mark(CodeClock, 1, 2)
		d.MarkBytes(CodeWrite, 1, p)
	}))
}

// Marks that are easily confused must not have one sum.
func TestMarksDoNotCollide(t *testing.T) {
	seen := map[uint64][3]uint64{}
	for code := range uint64(300) {
		for a := range uint64(20) {
			for b := range uint64(20) {
				d, err := Record(io.Discard, cas.NewMem(), Header{})
				require.NoError(t, err)
				d.Mark(Code(code), a, b)
				m := [3]uint64{code, a, b}
				if other, dup := seen[d.Sum()]; dup {
					t.Fatalf("%v and %v have one sum", m, other)
				}
				seen[d.Sum()] = m
			}
		}
	}
}

func TestOrderMatters(t *testing.T) {
	sum := func(marks ...uint64) uint64 {
		d, err := Record(io.Discard, cas.NewMem(), Header{})
		require.NoError(t, err)
		for _, m := range marks {
			d.Mark(CodeClock, m, m)
		}
		return d.Sum()
	}
	require.NotEqual(t, sum(1, 2), sum(2, 1))
	require.NotEqual(t, sum(1), sum(1, 1))
	require.NotEqual(t, sum(0), sum(0, 0))
}
