package tape

import (
	"bytes"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/seed48025506/belljar/cas"
)

// Answer gets an answer from outside. Recording, it calls live and keeps what
// comes back; replaying, it returns what was kept and never calls live;
// verifying, it does both and compares. Another kind or key than the tape's
// next is a *DivergenceError.
//
// An error of live is returned, and fails the deck: it means that there is no
// answer. What a guest may see of a failure belongs in the payload. The
// payload must not be changed by the caller, and live must not use the deck.
func (d *Deck) Answer(kind Kind, key []byte, live func() ([]byte, error)) ([]byte, error) {
	if d == nil {
		return live()
	}
	return d.AnswerBlob(kind, key, func() (*cas.Blob, error) {
		p, err := live()
		return cas.NewBlob(p), err
	})
}

// AnswerBlob is Answer for bytes whose digest may be known, and whose storing
// need not copy them.
func (d *Deck) AnswerBlob(kind Kind, key []byte, live func() (*cas.Blob, error)) ([]byte, error) {
	if d == nil {
		return contents(live())
	}
	if err := d.usable(); err != nil {
		return nil, err
	}
	var p []byte
	var err error
	switch d.mode {
	case Recording:
		p, err = d.recordAnswer(kind, key, live)
	case Replaying:
		p, err = d.replayAnswer(kind, key)
	default:
		p, err = d.verifyAnswer(kind, key, live)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func contents(b *cas.Blob, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (d *Deck) recordAnswer(kind Kind, key []byte, live func() (*cas.Blob, error)) ([]byte, error) {
	b, err := live()
	if err != nil {
		return nil, d.fail(err)
	}
	p := b.Bytes()
	if len(p) > InlineLimit {
		return p, d.storeAnswer(kind, key, b)
	}
	a := inline{Kind: kind, Key: solid(key), Payload: solid(p)}
	if err := d.put(tagAnswer, a); err != nil {
		return nil, err
	}
	return p, d.fold(kind, key, p)
}

// solid gives an empty slice for none, or equal answers would have other bytes
// on the tape.
func solid(p []byte) []byte {
	if p == nil {
		return []byte{}
	}
	return p
}

func (d *Deck) replayAnswer(kind Kind, key []byte) ([]byte, error) {
	v, err := d.nextAnswer(kind, key)
	if err != nil {
		return nil, err
	}
	if a, ok := v.(*inline); ok {
		// The tape may be replayed again, so its own bytes stay its own.
		return bytes.Clone(a.Payload), d.fold(kind, key, a.Payload)
	}
	a := v.(*stored)
	p, err := d.payload(a)
	if err != nil {
		return nil, d.fail(fmt.Errorf("tape: record %d, %s: %w", d.records, question(kind, key), err))
	}
	return p, d.fold(kind, key, lengthOf(a.Length))
}

func (d *Deck) verifyAnswer(kind Kind, key []byte, live func() (*cas.Blob, error)) ([]byte, error) {
	v, err := d.nextAnswer(kind, key)
	if err != nil {
		return nil, err
	}
	b, err := live()
	if err != nil {
		return nil, d.fail(err)
	}
	p := b.Bytes()
	if a, ok := v.(*inline); ok {
		if !bytes.Equal(a.Payload, p) {
			return nil, d.changed(kind, key, describe(a.Payload), p)
		}
		return p, d.fold(kind, key, p)
	}
	a := v.(*stored)
	if a.Length != uint64(len(p)) || a.Digest != b.Digest() {
		return nil, d.changed(kind, key, long(a.Length, a.Digest), p)
	}
	return p, d.fold(kind, key, lengthOf(a.Length))
}

// changed fails the deck because the world gives another answer now.
func (d *Deck) changed(kind Kind, key []byte, want string, got []byte) error {
	return d.diverge(question(kind, key), want, describe(got))
}

// payload fetches what a stored answer holds.
func (d *Deck) payload(a *stored) ([]byte, error) {
	p, err := d.fetched(a)
	if err == nil && uint64(len(p)) != a.Length {
		err = fmt.Errorf("payload %s has %d bytes, the tape says %d", a.Digest, len(p), a.Length)
	}
	return p, err
}

// describe is how a payload is called in messages.
func describe(p []byte) string {
	if len(p) <= InlineLimit {
		return fmt.Sprintf("%s (%d bytes)", show(p), len(p))
	}
	return long(uint64(len(p)), cas.Sum(p))
}

func long(n uint64, d cas.Digest) string { return fmt.Sprintf("%d bytes with digest %s", n, d.Short()) }

// fold puts an answer into the sum, by its payload, or by the length of one
// that is in the store.
// The error is that of a checkpoint which was due.
func (d *Deck) fold(kind Kind, key, payload []byte) error {
	asked := xxh3.HashSeed(key, xxh3.HashString(string(kind)))
	d.Mark(codeAnswer, asked, xxh3.Hash(payload))
	return d.err
}
