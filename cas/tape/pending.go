package tape

import (
	"encoding/binary"
	"fmt"

	"github.com/seed48025506/belljar/cas"
)

// asyncAbove is the payload, in bytes, from which hashing and storing it is
// worth a goroutine: a guest that reads a large file then runs on meanwhile.
const asyncAbove = 128 << 10

// maxPending bounds how many payloads may be on their way to the store.
const maxPending = 8

// pending is an answer whose payload is on its way to the store. Its record
// waits for the digest, and all later records wait for it.
type pending struct {
	answer stored
	err    error
	done   chan struct{}
}

// storeAnswer starts, or for a small payload does, the storing of an answer.
func (d *Deck) storeAnswer(kind Kind, key []byte, b *cas.Blob) error {
	p := b.Bytes()
	w := &pending{answer: stored{Kind: kind, Key: append([]byte{}, key...), Length: uint64(len(p))}, done: make(chan struct{})}
	keep := func() {
		w.answer.Digest, w.err = cas.Keep(d.store, b)
		close(w.done)
	}
	if len(p) < asyncAbove {
		keep()
	} else {
		go keep()
	}
	d.pending = append(d.pending, w)
	if err := d.settle(maxPending); err != nil {
		return err
	}
	return d.fold(kind, key, lengthOf(uint64(len(p))))
}

// lengthOf is what is folded for a stored payload: its digest may not be known
// yet, and is compared for itself.
func lengthOf(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// settle writes the records of pending answers, in order, waiting for them
// until no more than most are left.
func (d *Deck) settle(most int) error {
	for len(d.pending) > most {
		w := d.pending[0]
		<-w.done
		d.pending = d.pending[1:]
		if w.err != nil {
			return d.fail(fmt.Errorf("tape: store %s: %w", question(w.answer.Kind, w.answer.Key), w.err))
		}
		if err := d.write(tagStored, w.answer); err != nil {
			return err
		}
	}
	return d.err
}
