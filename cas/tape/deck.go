package tape

import (
	"io"
	"math/bits"

	"github.com/zeebo/xxh3"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/codec"
)

// Mode is what a deck does with answers.
type Mode uint8

// The modes. A nil *Deck is Off.
const (
	Off       Mode = iota
	Recording      // ask live, keep what is said
	Replaying      // say what was kept, never ask live
	Verifying      // ask live and compare
)

// Code says what a mark is about. Codes are folded into the sum, so their
// numbers are part of the format.
type Code uint32

// The marks.
const (
	CodeCall   Code = iota + 1 // a host call: index and errno, arguments
	CodeClock                  // a clock read: clock id, nanoseconds
	CodeSleep                  // a wait: from, to
	CodeRandom                 // random bytes
	CodeRead                   // bytes read: descriptor, count
	CodeWrite                  // bytes written: place, content
	CodeSpin                   // a step of the spinning rule
	codeAnswer                 // an answer: kind and key, payload
)

// checkpointEvery is how many events lie between two checkpoints.
const checkpointEvery = 1 << 20

// Deck is the seam through which a session asks and tells. It belongs to the
// session's baton: one goroutine at a time. A nil *Deck is Off: answers come
// live, marks do nothing.
type Deck struct {
	sum    uint64
	events uint64
	next   uint64 // the event at which a checkpoint is due
	mode   Mode

	store   cas.Store
	out     *frameWriter // recording
	tape    *Tape        // replaying, verifying
	at      int          // records of tape that are done
	records uint64
	err     error
	failed  func(error)
}

// Record starts a tape on w, with large payloads in store.
func Record(w io.Writer, store cas.Store, h Header) (*Deck, error) {
	p, err := codec.Marshal(h)
	if err != nil {
		return nil, err
	}
	d := &Deck{mode: Recording, store: store, out: newFrameWriter(w), next: checkpointEvery}
	d.out.add(p)
	return d, d.out.err
}

// SetFailed names a function that is told, once, of the error after which the
// session cannot go on. It is called by the goroutine that holds the baton.
func (d *Deck) SetFailed(f func(error)) {
	if d != nil {
		d.failed = f
	}
}

// Mode returns what the deck does.
func (d *Deck) Mode() Mode {
	if d == nil {
		return Off
	}
	return d.mode
}

// Err returns the first error after which the session cannot go on.
func (d *Deck) Err() error {
	if d == nil {
		return nil
	}
	return d.err
}

// Events returns how many answers and marks there were.
func (d *Deck) Events() uint64 {
	if d == nil {
		return 0
	}
	return d.events
}

// Records returns how many records were written or read.
func (d *Deck) Records() uint64 {
	if d == nil {
		return 0
	}
	return d.records
}

// Sum returns the rolling sum over all events. It tells runs apart by
// accident, not by malice: the chain of frames and the digests do that.
func (d *Deck) Sum() uint64 {
	if d == nil {
		return 0
	}
	return d.sum
}

// fail keeps the first error and tells the session.
func (d *Deck) fail(err error) error {
	if d.err == nil {
		d.err = err
		if d.failed != nil {
			d.failed(err)
		}
	}
	return d.err
}

// Constants of the mix: odd, with bits all over (from the digits of pi).
const (
	mixA = 0x243f6a8885a308d3 | 1
	mixB = 0x13198a2e03707344 | 1
)

// Mark tells of something derived. It is folded into the sum, costs a few
// nanoseconds and does not allocate.
func (d *Deck) Mark(code Code, a, b uint64) {
	if d == nil {
		return
	}
	hi, lo := bits.Mul64(d.sum^a^mixA, b^uint64(code)<<56^mixB)
	// The product loses a zero factor's partner; the rotation keeps the past.
	d.sum = hi ^ lo ^ bits.RotateLeft64(d.sum, 23) ^ a
	if d.events++; d.events == d.next {
		d.checkpoint()
	}
}

// MarkBytes is Mark with bytes, of which a hash is folded.
func (d *Deck) MarkBytes(code Code, a uint64, p []byte) {
	if d == nil {
		return
	}
	d.Mark(code, a^uint64(len(p))<<32, xxh3.Hash(p))
}

// checkpoint writes the sum so far, or compares it.
func (d *Deck) checkpoint() {
	d.next += checkpointEvery
	c := checkpoint{Events: d.events, Sum: d.sum}
	if d.mode == Recording {
		_ = d.put(tagCheckpoint, c)
		return
	}
	var want checkpoint
	if d.take(tagCheckpoint, &want) == nil && want != c {
		_ = d.diverge("checkpoint", want, c)
	}
}
