package tape

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/codec"
)

// Tape is a whole tape in memory, every byte of it checked. It can be replayed
// any number of times, at once too.
type Tape struct {
	header  Header
	raw     codec.RawMessage // the header as it stood
	records []record
	end     End
}

// Open reads a tape to its end. The error is a *CorruptError, an
// *IncompleteError or a *VersionError, or the reader's own. Payloads in the
// store are checked when they are needed.
func Open(r io.Reader) (*Tape, error) {
	f := &frameReader{r: bufio.NewReader(r)}
	if err := f.prefix(); err != nil {
		return nil, err
	}
	t := &Tape{}
	for {
		raw, err := f.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if t.complete() {
			return nil, f.corrupt("there is more after the end record")
		}
		if err := t.take(f, raw); err != nil {
			return nil, err
		}
	}
	if !t.complete() {
		return nil, &IncompleteError{Offset: f.offset, Frames: f.frames}
	}
	return t, nil
}

// take reads the records of a frame; the first of the tape is the header.
func (t *Tape) take(f *frameReader, raw []byte) error {
	var err error
	if t.raw == nil {
		rest, err := codec.UnmarshalFirst(raw, &t.header)
		if err != nil {
			return f.corrupt("header: " + err.Error())
		}
		t.raw = raw[:len(raw)-len(rest)]
		raw = rest
	}
	for len(raw) > 0 {
		var rec record
		if raw, err = codec.UnmarshalFirst(raw, &rec); err == nil {
			err = rec.known()
		}
		if err != nil {
			return f.corrupt(fmt.Sprintf("record %d: %v", len(t.records)+1, err))
		}
		if t.complete() {
			return f.corrupt("there is more after the end record")
		}
		t.records = append(t.records, rec)
	}
	return nil
}

// complete reports whether the last record is a sound end.
func (t *Tape) complete() bool {
	n := len(t.records)
	return n > 0 && t.records[n-1].Tag == tagEnd &&
		codec.Unmarshal(t.records[n-1].Body, &t.end) == nil
}

// Header returns what the session was.
func (t *Tape) Header() Header { return t.header }

// End returns how the session ended.
func (t *Tape) End() End { return t.end }

// Records returns how many records the tape has, its end included.
func (t *Tape) Records() int { return len(t.records) }

// Unknown returns how many records have a kind that this version does not
// know. A replay passes over them.
func (t *Tape) Unknown() int {
	n := 0
	for _, r := range t.records {
		if _, ok := tagNames[r.Tag]; !ok {
			n++
		}
	}
	return n
}

// Steps returns the runs and clock advances in order.
func (t *Tape) Steps() []Step {
	var steps []Step
	for _, r := range t.records {
		var s Step
		switch r.Tag {
		case tagRun:
			s.Run = new(Run)
			_ = codec.Unmarshal(r.Body, s.Run) // Open has decoded it before
		case tagAdvance:
			_ = codec.Unmarshal(r.Body, &s.Advance)
		default:
			continue
		}
		steps = append(steps, s)
	}
	return steps
}

// WriteTo writes the tape anew, unknown records byte for byte as they were.
// It implements io.WriterTo.
func (t *Tape) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	f := newFrameWriter(c)
	f.add(t.raw)
	for _, r := range t.records {
		p, err := codec.Marshal(r)
		if err != nil {
			return c.n, fmt.Errorf("tape: %w", err)
		}
		f.add(p)
	}
	f.flush()
	return c.n, f.err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Replay returns a deck that answers from the tape alone.
func (t *Tape) Replay(store cas.Store) (*Deck, error) { return t.play(Replaying, store) }

// Verify returns a deck that asks live and compares with the tape.
func (t *Tape) Verify(store cas.Store) (*Deck, error) { return t.play(Verifying, store) }

func (t *Tape) play(mode Mode, store cas.Store) (*Deck, error) {
	if store == nil {
		return nil, errors.New("tape: no store to take payloads from")
	}
	return &Deck{mode: mode, store: store, tape: t, next: checkpointEvery}, nil
}
