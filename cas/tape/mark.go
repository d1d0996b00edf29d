package tape

import (
	"fmt"
	"math/bits"

	"github.com/zeebo/xxh3"
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

// checkpointEvery is how many events lie between two checkpoints: some
// milliseconds of a run, and a few bytes on the tape for ten million events.
const checkpointEvery = 1 << 20

// Constants of the mix: odd, with bits all over (from the digits of pi).
const (
	mixA = 0x243f6a8885a308d3
	mixB = 0x13198a2e03707345
	mixC = 0xa4093822299f31d1
)

// Mark tells of something derived. It is folded into the sum, costs a few
// nanoseconds and does not allocate.
func (d *Deck) Mark(code Code, a, b uint64) {
	if d != nil { // small enough for the compiler to put in place
		d.mark(code, a, b)
	}
}

func (d *Deck) mark(code Code, a, b uint64) {
	hi, lo := bits.Mul64(d.sum^a^mixA, b^uint64(code)*mixC^mixB)
	// A factor of zero would forget the other; what is added outside of the
	// product keeps the past and a.
	d.sum = hi ^ lo ^ bits.RotateLeft64(d.sum, 23) ^ a
	if d.events++; d.events == d.next {
		d.checkpoint()
	}
}

// MarkBytes is Mark with bytes, of which the length and a hash are folded.
func (d *Deck) MarkBytes(code Code, a uint64, p []byte) {
	if d == nil {
		return
	}
	d.Mark(code, a^uint64(len(p))<<32, xxh3.Hash(p))
}

// checkpoint writes the sum so far, or compares it.
func (d *Deck) checkpoint() {
	d.next += checkpointEvery
	if d.mode == Recording {
		_ = d.put(tagCheckpoint, checkpoint{Events: d.events, Sum: d.sum})
		return
	}
	v, err := d.take(tagCheckpoint, func() string { return fmt.Sprintf("reached event %d", d.events) })
	if err != nil {
		return
	}
	want := v.(*checkpoint)
	if want.Events != d.events {
		_ = d.diverge("checkpoint", fmt.Sprintf("one at event %d", want.Events), fmt.Sprintf("one at event %d", d.events))
	} else {
		_ = d.compareSum("checkpoint", want.Sum)
	}
}

// compareSum compares the sum with the tape's, and says between which events
// it went astray: those since it was last seen to be equal.
func (d *Deck) compareSum(kind string, want uint64) error {
	if want != d.sum {
		span := fmt.Sprintf("for events %d to %d", d.sure+1, d.events)
		return d.diverge(kind, fmt.Sprintf("sum %016x %s", want, span), fmt.Sprintf("sum %016x", d.sum))
	}
	d.sure = d.events
	return nil
}
