package tape

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
)

var testHeader = Header{Producer: "test", Seed: 7, Clock: Clock{Tick: 3}, Mounts: []Mount{{Guest: "/"}}}

var testRun = Run{Program: cas.Sum([]byte("prog")), Args: []string{"prog", "-v"}, Env: []string{"A=1"}, Limits: Limits{Memory: 1 << 20}}

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
	switch twist {
	case "env":
		run.Env = append(run.Env, "B=2")
	case "stdin":
		run.HasStdin = true
	case "memory":
		run.Limits.Memory = 1
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
	switch twist {
	case "exit":
		end.ExitCode = 4
	case "outcome":
		end.Outcome = "unreachable"
	case "stdout":
		end.Stdout = cas.Sum(nil)
	case "stderr":
		end.StderrBytes = 1
	case "elapsed":
		end.Elapsed = 1
	case "events":
		d.Mark(CodeSpin, 0, 0)
	}
	if err := d.EndRun(end); err != nil {
		return err
	}
	advance := int64(5)
	if twist == "advance" {
		advance = 6
	}
	if err := d.Advance(advance); err != nil {
		return err
	}
	if twist == "late sum" {
		d.Mark(CodeSleep, 1, 2)
		d.events--
	}
	if twist == "late events" {
		d.Mark(CodeSleep, 1, 2)
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
	require.Equal(t, uint32(3), steps[0].End.ExitCode)
	require.NotZero(t, steps[0].End.Sum)
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

func TestUnknownRecordsSurviveAndArePassedOver(t *testing.T) {
	store := cas.NewMem()
	tp, err := Open(bytes.NewReader(recorded(t, store)))
	require.NoError(t, err)
	// A tag in more bytes than it needs: not what this package would write.
	raw := append([]byte{0x82, 0x19, 0, 99}, []byte("\x82\x61x\x01")...)
	n := len(tp.records) - 1
	end, err := writeRecord(tagEnd, End{Records: uint64(n) + 1, Events: tp.end.Events, Sum: tp.end.Sum, Tree: tp.end.Tree})
	require.NoError(t, err)
	tp.records = append([]record{{tag: 99, raw: raw}}, append(tp.records[:n], record{tag: tagEnd, raw: end})...)
	tp.minor = 7
	var buf bytes.Buffer
	_, err = tp.WriteTo(&buf)
	require.NoError(t, err)
	require.NoError(t, openAndReplay(buf.Bytes(), store))
	again, err := Open(bytes.NewReader(buf.Bytes()))
	require.NoError(t, err)
	require.Equal(t, 1, again.Unknown())
	require.Equal(t, raw, again.records[0].raw)
	var copied bytes.Buffer
	_, err = again.WriteTo(&copied)
	require.NoError(t, err)
	require.Equal(t, buf.Bytes(), copied.Bytes())
}

func TestALiveErrorFailsTheDeck(t *testing.T) {
	var buf bytes.Buffer
	d, err := Record(&buf, cas.NewMem(), testHeader)
	require.NoError(t, err)
	boom := errors.New("boom")
	_, err = d.Answer("k", nil, func() ([]byte, error) { return nil, boom })
	require.Equal(t, boom, err)
	require.Equal(t, boom, d.BeginRun(testRun))
	require.Equal(t, boom, d.Finish(cas.Digest{}))
	_, err = Open(&buf)
	var incomplete *IncompleteError
	require.ErrorAs(t, err, &incomplete)
}

func TestNothingAfterFinish(t *testing.T) {
	d, err := Record(new(bytes.Buffer), cas.NewMem(), testHeader)
	require.NoError(t, err)
	require.NoError(t, d.Finish(cas.Digest{}))
	require.NoError(t, d.Finish(cas.Digest{}))
	require.ErrorIs(t, d.BeginRun(testRun), errEnded)
}

func TestEmptyAndNoneAreTheSameOnTheTape(t *testing.T) {
	one := func(none []byte, list []string, mounts []Mount) []byte {
		var buf bytes.Buffer
		d, err := Record(&buf, cas.NewMem(), Header{Mounts: mounts})
		require.NoError(t, err)
		require.NoError(t, d.BeginRun(Run{Args: list, Env: list}))
		_, err = d.Answer("k", none, func() ([]byte, error) { return none, nil })
		require.NoError(t, err)
		require.NoError(t, d.Finish(cas.Digest{}))
		return buf.Bytes()
	}
	require.Equal(t, one(nil, nil, nil), one([]byte{}, []string{}, []Mount{}))
}

func TestNoStoreIsAnError(t *testing.T) {
	_, err := Record(new(bytes.Buffer), nil, testHeader)
	require.ErrorContains(t, err, "no store")
	_, err = new(Tape).Replay(nil)
	require.ErrorContains(t, err, "no store")
}
