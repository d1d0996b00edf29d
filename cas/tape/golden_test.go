package tape

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed48025506/belljar/cas"
)

var update = flag.Bool("update", false, "write the golden tape anew")

// The tape of version 1.0 in testdata stays readable for ever.
func TestGoldenTape(t *testing.T) {
	path := filepath.Join("testdata", "v1.0.tape")
	store := cas.NewMem()
	_, err := store.Put(bytesOf(10000))
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, recorded(t, store), 0o644))
	}
	p, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, openAndReplay(p, store))
}

func TestRoundTripOfAnyAnswers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type qa struct{ key, p []byte }
		var list []qa
		for range rapid.IntRange(0, 20).Draw(rt, "n") {
			list = append(list, qa{rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "key"),
				bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(rt, "p"), rapid.IntRange(0, 300).Draw(rt, "times"))})
		}
		ask := func(d *Deck) {
			for _, q := range list {
				got, err := d.Answer("k", q.key, func() ([]byte, error) { return q.p, nil })
				require.NoError(rt, err)
				require.True(rt, bytes.Equal(q.p, got))
			}
			require.NoError(rt, d.Finish(cas.Digest{}))
		}
		var buf bytes.Buffer
		store := cas.NewMem()
		d, err := Record(&buf, store, testHeader)
		require.NoError(rt, err)
		ask(d)
		tp, err := Open(&buf)
		require.NoError(rt, err)
		r, err := tp.Replay(store)
		require.NoError(rt, err)
		ask(r)
		require.Equal(rt, d.Sum(), r.Sum())
	})
}
