package tape

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
)

// The price of an event that is only summed.
func BenchmarkMark(b *testing.B) {
	d, err := Record(io.Discard, cas.NewMem(), testHeader)
	require.NoError(b, err)
	b.ReportAllocs()
	for i := range b.N {
		d.Mark(CodeClock, 1, uint64(i))
	}
}

func BenchmarkMarkBytes4K(b *testing.B) {
	d, err := Record(io.Discard, cas.NewMem(), testHeader)
	require.NoError(b, err)
	p := make([]byte, 4096)
	b.SetBytes(4096)
	b.ReportAllocs()
	for range b.N {
		d.MarkBytes(CodeWrite, 1, p)
	}
}

// The price of a tape of its own for a run that does next to nothing.
func BenchmarkSmallSession(b *testing.B) {
	store := cas.NewMem()
	b.ReportAllocs()
	for range b.N {
		d, err := Record(io.Discard, store, testHeader)
		require.NoError(b, err)
		require.NoError(b, d.BeginRun(testRun))
		require.NoError(b, d.EndRun(RunEnd{}))
		require.NoError(b, d.Finish(cas.Digest{}))
	}
}

// The first time that 64 MiB of a base are read, a file of 1 MiB at a time.
func BenchmarkRecord64MiB(b *testing.B) {
	p := make([][]byte, 64)
	for i := range p {
		p[i] = make([]byte, 1<<20)
		copy(p[i], fmt.Sprint(i))
	}
	b.SetBytes(64 << 20)
	for range b.N {
		d, err := Record(io.Discard, cas.NewMem(), testHeader)
		require.NoError(b, err)
		for i := range p {
			_, err := d.Answer("file", nil, func() ([]byte, error) { return p[i], nil })
			require.NoError(b, err)
		}
		require.NoError(b, d.Finish(cas.Digest{}))
	}
}

func benchAnswers(b *testing.B, d *Deck) {
	p := make([]byte, 100)
	for range b.N {
		if _, err := d.Answer("file", p[:8], func() ([]byte, error) { return p, nil }); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, d.Finish(cas.Digest{}))
}

func BenchmarkAnswer(b *testing.B) {
	b.Run("record", func(b *testing.B) {
		d, err := Record(io.Discard, cas.NewMem(), testHeader)
		require.NoError(b, err)
		b.ReportAllocs()
		benchAnswers(b, d)
	})
	b.Run("replay", func(b *testing.B) {
		r, w := io.Pipe()
		store := cas.NewMem()
		go func() {
			d, _ := Record(w, store, testHeader)
			benchAnswers(b, d)
			_ = w.Close()
		}()
		tp, err := Open(r)
		require.NoError(b, err)
		d, err := tp.Replay(store)
		require.NoError(b, err)
		b.ReportAllocs()
		b.ResetTimer()
		benchAnswers(b, d)
	})
}
