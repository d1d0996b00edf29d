package tape

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/seed48025506/belljar/internal/codec"
)

// Tape is a whole tape in memory, every byte of it checked. It can be replayed
// any number of times, at once too.
type Tape struct {
	header  Header
	raw     []byte // the header as it stood
	minor   uint16
	records []record
	end     *End
	cut     *IncompleteError // where the tape was cut, if it was
}

// Open reads a tape to its end. The error is a *CorruptError, an
// *IncompleteError or a *VersionError, or the reader's own. Payloads in the
// store are checked when they are needed.
func Open(r io.Reader) (*Tape, error) {
	t, err := OpenPartial(r)
	if err == nil && t.cut != nil {
		return nil, t.cut
	}
	return t, err
}

// OpenPartial is Open for a tape that may be cut off, as by a crash: it gives
// what its whole frames hold. Such a tape is not Complete, and a replay of it
// ends in the *IncompleteError at the latest. A tape without so much as a
// header is an *IncompleteError at once.
func OpenPartial(r io.Reader) (*Tape, error) {
	f := &frameReader{r: bufio.NewReader(r)}
	if err := f.prefix(); err != nil {
		return nil, err
	}
	t := &Tape{minor: f.minor}
	if err := t.read(f); err != nil && !errors.As(err, &t.cut) {
		return nil, err
	}
	if t.raw == nil {
		return nil, t.cut
	}
	return t, nil
}

// read takes frames up to the one with the end record, after which there must
// be nothing.
func (t *Tape) read(f *frameReader) error {
	for t.end == nil {
		raw, err := f.next()
		if errors.Is(err, io.EOF) {
			return &IncompleteError{Offset: f.offset, Frames: f.frames}
		}
		if err == nil {
			err = t.take(f, raw)
		}
		if err != nil {
			return err
		}
	}
	switch n, err := io.ReadFull(f.r, make([]byte, 1)); {
	case n > 0:
		return f.corrupt("there is more after the end record")
	case !errors.Is(err, io.EOF):
		return f.end(err)
	}
	return nil
}

// take reads the records of a frame; the first item of the tape is the header.
func (t *Tape) take(f *frameReader, raw []byte) error {
	if t.raw == nil {
		rest, err := codec.UnmarshalFirst(raw, &t.header)
		if err != nil {
			return &CorruptError{Offset: f.start, What: "header: " + err.Error()}
		}
		t.raw, raw = raw[:len(raw)-len(rest)], rest
		if len(t.raw) > MaxRecord {
			return &CorruptError{Offset: f.start, What: fmt.Sprintf("a header of %d bytes", len(t.raw))}
		}
	}
	for len(raw) > 0 {
		r, rest, err := readRecord(raw)
		if err == nil {
			err = t.add(r)
		}
		if err != nil {
			return &CorruptError{Offset: f.start, What: fmt.Sprintf("record %d in frame %d: %v", len(t.records)+1, f.frames, err)}
		}
		raw = rest
	}
	return nil
}

// add keeps a record, if the tape may go on with it.
func (t *Tape) add(r record) error {
	if t.end != nil {
		return errors.New("there is more after the end record")
	}
	if len(r.raw) > MaxRecord {
		return fmt.Errorf("it has %d bytes, at most %d are allowed", len(r.raw), MaxRecord)
	}
	if end, ok := r.value.(*End); ok {
		if n := uint64(len(t.records)); end.Records != n {
			return fmt.Errorf("the end record tells of %d records, there are %d", end.Records, n)
		}
		t.end = end
	}
	t.records = append(t.records, r)
	return nil
}

// Complete reports whether the tape has its end record. Open gives no other.
func (t *Tape) Complete() bool { return t.end != nil }

// Header returns what the session was.
func (t *Tape) Header() Header { return t.header }

// End returns how the session ended; the zero value if the tape was cut.
func (t *Tape) End() End {
	if t.end == nil {
		return End{}
	}
	return *t.end
}

// Records returns how many records the tape has, its end included.
func (t *Tape) Records() int { return len(t.records) }

// Unknown returns how many records have a kind that this version does not
// know. A replay passes over them and WriteTo keeps them.
func (t *Tape) Unknown() int {
	n := 0
	for _, r := range t.records {
		if !r.tag.known() {
			n++
		}
	}
	return n
}

// Steps returns the runs and clock advances in order. What the pointers lead
// to belongs to the tape and must not be changed.
func (t *Tape) Steps() []Step {
	var steps []Step
	for _, r := range t.records {
		switch v := r.value.(type) {
		case *Run:
			steps = append(steps, Step{Run: v})
		case *RunEnd:
			endRun(steps, v)
		case *int64:
			steps = append(steps, Step{Advance: *v})
		}
	}
	return steps
}

// endRun gives an end to the latest run that has none.
func endRun(steps []Step, e *RunEnd) {
	for i := len(steps) - 1; i >= 0; i-- {
		if s := &steps[i]; s.Run != nil && s.End == nil {
			s.End = e
			return
		}
	}
}

// WriteTo writes the tape anew: the header and every record byte for byte as
// they were, unknown ones too. It implements io.WriterTo.
func (t *Tape) WriteTo(w io.Writer) (int64, error) {
	f := newFrameWriter(w, max(t.minor, Minor))
	err := f.add(t.raw)
	for _, r := range t.records {
		if err == nil {
			err = f.add(r.raw)
		}
	}
	if err == nil {
		err = f.flush()
	}
	return f.n, err
}
