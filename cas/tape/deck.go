package tape

import (
	"errors"
	"io"

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

// Deck is the seam through which a session asks and tells. It belongs to the
// session's baton: one goroutine at a time, for it has no lock. A nil *Deck is
// Off: answers come live, marks do nothing.
//
// The first failure ends it: a divergence, a store or a writer that fails, an
// error of a live answer. From then on each method that returns an error
// returns that one.
type Deck struct {
	sum    uint64
	events uint64
	next   uint64 // the event at which a checkpoint is due
	sure   uint64 // the event up to which the sum is the tape's
	mode   Mode

	store   cas.Store
	out     *frameWriter       // recording
	pending []*pending         // recording: answers on their way to the store
	tape    *Tape              // replaying, verifying
	ahead   map[*stored]*fetch // replaying: payloads on their way from the store
	records uint64             // written, or done of the tape
	ended   bool
	err     error
	failed  func(error)
}

// Record starts a tape on w, with payloads over [InlineLimit] in store. It
// writes a frame at a time; an error of w fails the deck and is what Finish
// returns.
func Record(w io.Writer, store cas.Store, h Header) (*Deck, error) {
	if store == nil {
		return nil, errNoStore
	}
	if h.Mounts == nil {
		h.Mounts = []Mount{} // or equal headers would have other bytes
	}
	p, err := codec.Marshal(h)
	if err != nil {
		return nil, err
	}
	d := &Deck{mode: Recording, store: store, out: newFrameWriter(w, Minor), next: checkpointEvery}
	return d, d.out.add(p)
}

var (
	errNoStore = errors.New("tape: no store for payloads; give cas.NewMem() or cas.OpenDir")
	errEnded   = errors.New("tape: the session goes on after Finish")
)

// SetFailed names a function that is told, once, of the error after which the
// session cannot go on. It is called by the goroutine that holds the baton, in
// the middle of the call that failed: it must not use the deck.
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

// Sum returns the rolling sum over all events. It finds accidents, not malice:
// it is no cryptographic hash.
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
