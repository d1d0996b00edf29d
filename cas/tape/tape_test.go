package tape

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/codec"
)

var update = flag.Bool("update", false, "write the golden tape anew")

var testHeader = Header{Producer: "test", Seed: 7, Clock: Clock{Tick: 3}, Mounts: []Mount{{Guest: "/"}}}

var testRun = Run{Program: cas.Sum([]byte("prog")), Args: []string{"prog", "-v"}, Env: []string{"A=1"}, MaxMemory: 1 << 20}

func bytesOf(n int) []byte { return bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n] }

// play is a small session; twist changes it.
func play(d *Deck, twist string) error {
	run := testRun
	if twist == "program" {
		run.Program = cas.Sum([]byte("other"))
	}
	if twist == "args" {
		run.Args = []string{"prog"}
	}
	if err := d.BeginRun(run); err != nil {
		return err
	}
	for _, q := range []struct {
		key string
		n   int
	}{{"a", 10}, {"big", 10000}, {"empty", 0}} {
		key, n := q.key, q.n
		if twist == "key" && key == "big" {
			key = "pig"
		}
		if twist == "answer" && key == "big" {
			n++
		}
		if twist == "fewer" && key == "empty" {
			break
		}
		p, err := d.Answer("file", []byte(key), func() ([]byte, error) { return bytesOf(n), nil })
		if err != nil {
			return err
		}
		if len(p) != n {
			return errors.New("not what was asked")
		}
		d.Mark(CodeClock, 1, uint64(len(p)))
	}
	if twist == "more" {
		if _, err := d.Answer("file", []byte("more"), func() ([]byte, error) { return nil, nil }); err != nil {
			return err
		}
	}
	if twist == "sum" {
		d.Mark(CodeSleep, 1, 2)
		d.events--
	}
	d.MarkBytes(CodeWrite, 1, []byte("out"))
	end := RunEnd{ExitCode: 3, StdoutBytes: 2}
	if twist == "exit" {
		end.ExitCode = 4
	}
	if err := d.EndRun(end); err != nil {
		return err
	}
	if err := d.Advance(5); err != nil {
		return err
	}
	tree := cas.Sum([]byte("tree"))
	if twist == "tree" {
		tree = cas.Sum(nil)
	}
	return d.Finish(tree)
}

func recorded(t testing.TB, store cas.Store) []byte {
	t.Helper()
	var buf bytes.Buffer
	d, err := Record(&buf, store, testHeader)
	require.NoError(t, err)
	require.NoError(t, play(d, ""))
	return buf.Bytes()
}

func TestReplayAndVerify(t *testing.T) {
	store := cas.NewMem()
	p := recorded(t, store)
	require.Equal(t, p, recorded(t, store), "equal sessions have equal tapes")
	tp, err := Open(bytes.NewReader(p))
	require.NoError(t, err)
	require.Equal(t, testHeader, tp.Header())
	steps := tp.Steps()
	require.Len(t, steps, 2)
	require.Equal(t, testRun, *steps[0].Run)
	require.Equal(t, int64(5), steps[1].Advance)
	for _, mode := range []func(cas.Store) (*Deck, error){tp.Replay, tp.Verify} {
		d, err := mode(store)
		require.NoError(t, err)
		require.NoError(t, play(d, ""))
	}
}

func TestReplayNeverAsksLive(t *testing.T) {
	store := cas.NewMem()
	tp, err := Open(bytes.NewReader(recorded(t, store)))
	require.NoError(t, err)
	d, err := tp.Replay(store)
	require.NoError(t, err)
	require.NoError(t, d.BeginRun(testRun))
	p, err := d.Answer("file", []byte("a"), func() ([]byte, error) { t.Error("asked live"); return nil, nil })
	require.NoError(t, err)
	require.Equal(t, bytesOf(10), p)
}

func TestEveryDivergenceIsNamed(t *testing.T) {
	store := cas.NewMem()
	tp, err := Open(bytes.NewReader(recorded(t, store)))
	require.NoError(t, err)
	for twist, kind := range map[string]string{
		"program": "program", "args": "arguments", "key": "question", "answer": "answer file \"big\"",
		"fewer": "answer", "more": "run end", "exit": "exit code", "tree": "final tree", "sum": "rolling sum",
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
	require.ErrorContains(t, err, "left over")
}

func TestAMissingOrCorruptPayload(t *testing.T) {
	tp, err := Open(bytes.NewReader(recorded(t, cas.NewMem())))
	require.NoError(t, err)
	d, err := tp.Replay(cas.NewMem())
	require.NoError(t, err)
	require.ErrorIs(t, play(d, ""), cas.ErrNotFound)
}

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
	require.ErrorContains(t, err, "version 9.0")
}

func TestUnknownRecordsSurviveAndArePassedOver(t *testing.T) {
	store := cas.NewMem()
	tp, err := Open(bytes.NewReader(recorded(t, store)))
	require.NoError(t, err)
	body, err := codec.Marshal([]any{"from the future", 1})
	require.NoError(t, err)
	tp.records = append([]record{{Tag: 99, Body: body}}, tp.records...)
	var buf bytes.Buffer
	_, err = tp.WriteTo(&buf)
	require.NoError(t, err)
	require.NoError(t, openAndReplay(buf.Bytes(), store))
	again, err := Open(bytes.NewReader(buf.Bytes()))
	require.NoError(t, err)
	require.Equal(t, 1, again.Unknown())
	var copied bytes.Buffer
	_, err = again.WriteTo(&copied)
	require.NoError(t, err)
	require.Equal(t, buf.Bytes(), copied.Bytes())
}

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

func TestANilDeckIsOff(t *testing.T) {
	var d *Deck
	d.Mark(CodeClock, 1, 2)
	d.MarkBytes(CodeWrite, 1, nil)
	d.SetFailed(nil)
	p, err := d.Answer("k", nil, func() ([]byte, error) { return []byte("live"), nil })
	require.NoError(t, err)
	require.Equal(t, "live", string(p))
	require.NoError(t, errors.Join(d.BeginRun(Run{}), d.EndRun(RunEnd{}), d.Advance(1), d.Finish(cas.Digest{}), d.Err()))
	require.Equal(t, Off, d.Mode())
	require.Zero(t, d.Sum()+d.Events()+d.Records())
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

func FuzzOpen(f *testing.F) {
	store := cas.NewMem()
	p := recorded(f, store)
	f.Add(p)
	f.Add(p[:len(p)/2])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, p []byte) {
		tp, err := Open(bytes.NewReader(p))
		if err != nil {
			return
		}
		tp.Steps()
		var buf bytes.Buffer
		if _, err := tp.WriteTo(&buf); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(&buf); err != nil {
			t.Fatalf("a tape that opens does not open when written anew: %v", err)
		}
	})
}
