package tape

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
)

func TestEveryDivergenceIsNamed(t *testing.T) {
	store := cas.NewMem()
	tp, err := Open(bytes.NewReader(recorded(t, store)))
	require.NoError(t, err)
	for twist, kind := range map[string]string{
		"program": "program", "args": "arguments", "env": "environment", "stdin": "standard input",
		"memory": "memory limit", "key": "question", "answer": "the answer file \"big\"",
		"fewer": "answer", "more": "run end", "exit": "exit code", "outcome": "outcome",
		"stdout": "standard output", "stderr": "standard error", "elapsed": "virtual time",
		"events": "number of events", "sum": "rolling sum", "advance": "clock advance",
		"late sum": "rolling sum", "late events": "number of events", "tree": "final tree",
	} {
		d, err := tp.Verify(store)
		require.NoError(t, err)
		told := 0
		d.SetFailed(func(error) { told++ })
		err = play(d, twist)
		var div *DivergenceError
		require.ErrorAs(t, err, &div, twist)
		require.Equal(t, kind, div.Kind, "%s: %v", twist, err)
		require.NotEqual(t, div.Want, div.Got)
		require.Equal(t, 1, told)
		require.Equal(t, err, d.Err())
		require.Equal(t, err, d.Finish(cas.Digest{}))
	}
}

func TestRecordsLeftOver(t *testing.T) {
	store := cas.NewMem()
	tp, err := Open(bytes.NewReader(recorded(t, store)))
	require.NoError(t, err)
	d, err := tp.Replay(store)
	require.NoError(t, err)
	require.NoError(t, d.BeginRun(testRun))
	err = d.Finish(cas.Digest{})
	require.ErrorContains(t, err, "5 record(s) left over")
	require.ErrorContains(t, err, `the answer file "a"`)
}

// liar is a store whose payloads went bad.
type liar struct{ cas.Store }

func (liar) Get(d cas.Digest) ([]byte, error) { return nil, &cas.CorruptError{Want: d} }

func TestAMissingOrCorruptPayload(t *testing.T) {
	tp, err := Open(bytes.NewReader(recorded(t, cas.NewMem())))
	require.NoError(t, err)
	d, err := tp.Replay(cas.NewMem())
	require.NoError(t, err)
	err = play(d, "")
	require.ErrorIs(t, err, cas.ErrNotFound)
	require.ErrorContains(t, err, cas.Sum(bytesOf(10000)).Short())
	d, err = tp.Replay(liar{})
	require.NoError(t, err)
	var corrupt *cas.CorruptError
	require.ErrorAs(t, play(d, ""), &corrupt)
}
