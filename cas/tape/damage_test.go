package tape

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
)

// openAndReplay is what a reader of a damaged tape does. It must not succeed.
func openAndReplay(p []byte, store cas.Store) error {
	tp, err := Open(bytes.NewReader(p))
	if err != nil {
		return err
	}
	d, err := tp.Replay(store)
	if err != nil {
		return err
	}
	return play(d, "")
}

func TestCutAtEveryByte(t *testing.T) {
	store := cas.NewMem()
	p := recorded(t, store)
	for n := range p {
		err := openAndReplay(p[:n], store)
		var incomplete *IncompleteError
		require.ErrorAs(t, err, &incomplete, "cut at %d of %d: %v", n, len(p), err)
	}
	require.NoError(t, openAndReplay(p, store))
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	store := cas.NewMem()
	p := recorded(t, store)
	for i := range len(p) * 8 {
		q := bytes.Clone(p)
		q[i/8] ^= 1 << (i % 8)
		err := openAndReplay(q, store)
		var corrupt *CorruptError
		var version *VersionError
		require.True(t, errors.As(err, &corrupt) || errors.As(err, &version), "bit %d: %v", i, err)
	}
}

func TestBytesAfterTheEnd(t *testing.T) {
	store := cas.NewMem()
	p := recorded(t, store)
	require.Error(t, openAndReplay(append(bytes.Clone(p), 0), store))
	require.Error(t, openAndReplay(append(bytes.Clone(p), p[prefixLen:]...), store))
}

func TestANewerVersionIsRefusedByName(t *testing.T) {
	p := recorded(t, cas.NewMem())
	p[len(magic)] = 9
	_, err := Open(bytes.NewReader(p))
	require.ErrorContains(t, err, "tape is version 9.0, this belljar reads up to 1.x; upgrade")
	p[len(magic)] = 0
	_, err = Open(bytes.NewReader(p))
	require.ErrorContains(t, err, "version 0.0, this belljar reads 1.x only")
}

type badWriter struct{ left int }

func (w *badWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestAFullDiskIsNoQuietSuccess(t *testing.T) {
	for _, left := range []int{0, prefixLen, 100} {
		d, err := Record(&badWriter{left: left}, cas.NewMem(), testHeader)
		if err == nil {
			err = play(d, "")
		}
		require.ErrorContains(t, err, "disk full")
	}
}

// What a crash leaves can be looked at and replayed as far as it goes.
func TestACutTapeOpensInPart(t *testing.T) {
	store := cas.NewMem()
	var buf bytes.Buffer
	d, err := Record(&buf, store, testHeader)
	require.NoError(t, err)
	require.NoError(t, d.BeginRun(testRun))
	require.NoError(t, d.Flush())
	whole := buf.Len()
	require.NoError(t, d.EndRun(RunEnd{}))
	require.NoError(t, d.Finish(cas.Digest{}))
	for n := range buf.Len() {
		tp, err := OpenPartial(bytes.NewReader(buf.Bytes()[:n]))
		var incomplete *IncompleteError
		if n < whole {
			require.ErrorAs(t, err, &incomplete)
			continue
		}
		require.NoError(t, err)
		require.False(t, tp.Complete())
		require.Equal(t, End{}, tp.End())
		require.Equal(t, []Step{{Run: &testRun}}, tp.Steps())
		r, err := tp.Replay(store)
		require.NoError(t, err)
		require.NoError(t, r.BeginRun(testRun))
		require.ErrorAs(t, r.EndRun(RunEnd{}), &incomplete)
		require.Equal(t, int64(whole), incomplete.Offset)
		require.Equal(t, 1, incomplete.Frames)
	}
	tp, err := OpenPartial(&buf)
	require.NoError(t, err)
	require.True(t, tp.Complete())
}

// A head with a right checksum may still lie. It must not cost its word.
func TestAHostileHeadCostsLittle(t *testing.T) {
	p := recorded(t, cas.NewMem())[:prefixLen]
	for _, h := range [][3]uint32{{MaxFrame, MaxFrame, 0}, {1 << 31, 1, 0}, {1, 1 << 31, 0}, {2, 1, 0}, {0, 0, 0}, {1, 1, 2}} {
		q := bytes.Clone(p)
		for _, v := range h {
			q = binary.LittleEndian.AppendUint32(q, v)
		}
		q = binary.LittleEndian.AppendUint32(q, crc32.ChecksumIEEE(q[prefixLen:]))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(bytes.NewReader(q))
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "%v", h)
	}
}

func TestAnOverlongRecordIsRefusedWhenRecorded(t *testing.T) {
	d, err := Record(io.Discard, cas.NewMem(), testHeader)
	require.NoError(t, err)
	err = d.BeginRun(Run{Args: []string{strings.Repeat("x", MaxRecord)}})
	require.ErrorContains(t, err, "over the limit")
	require.Equal(t, err, d.Finish(cas.Digest{}))
}
