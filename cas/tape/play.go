package tape

import (
	"fmt"

	"github.com/seed48025506/belljar/cas"
)

// Replay returns a deck that answers from the tape alone, with large payloads
// from store.
func (t *Tape) Replay(store cas.Store) (*Deck, error) { return t.play(Replaying, store) }

// Verify returns a deck that asks live and compares with the tape.
func (t *Tape) Verify(store cas.Store) (*Deck, error) { return t.play(Verifying, store) }

func (t *Tape) play(mode Mode, store cas.Store) (*Deck, error) {
	if store == nil {
		return nil, errNoStore
	}
	return &Deck{mode: mode, store: store, tape: t, next: checkpointEvery}, nil
}

// usable returns why the deck cannot go on, if it cannot.
func (d *Deck) usable() error {
	if d.err == nil && d.ended {
		return d.fail(errEnded)
	}
	return d.err
}

// put writes a record, after all that are pending.
func (d *Deck) put(t tag, body any) error {
	if err := d.usable(); err != nil {
		return err
	}
	if err := d.settle(0); err != nil {
		return err
	}
	return d.write(t, body)
}

func (d *Deck) write(t tag, body any) error {
	p, err := writeRecord(t, body)
	if err != nil {
		return d.fail(fmt.Errorf("tape: %w", err))
	}
	if err := d.out.add(p); err != nil {
		return d.fail(err)
	}
	d.records++
	return nil
}

// Flush writes what is recorded as a frame of its own, so that it survives
// the end of this process. It costs the tape some bytes. Not recording, it
// does nothing.
func (d *Deck) Flush() error {
	if d == nil || d.mode != Recording {
		return d.Err()
	}
	if err := d.settle(0); err != nil {
		return err
	}
	if err := d.out.flush(); err != nil {
		return d.fail(err)
	}
	return d.err
}

// take reads the next record, which must have this tag; does says what the run
// does instead, for the message.
func (d *Deck) take(t tag, does func() string) (any, error) {
	r, err := d.peek(does)
	if err != nil {
		return nil, err
	}
	if r.tag != t {
		return nil, d.divergeAt(d.records+1, r.tag.String(), r.String(), does())
	}
	d.records++
	return r.value, nil
}

// peek returns the next record without taking it. Records of unknown kinds are
// no answers: they are passed over.
func (d *Deck) peek(does func() string) (*record, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	for ; d.records < uint64(len(d.tape.records)); d.records++ {
		if r := &d.tape.records[d.records]; r.tag.known() {
			return r, nil
		}
	}
	if d.tape.cut != nil {
		return nil, d.fail(fmt.Errorf("tape: the run %s after %d events, where the tape breaks off: %w",
			does(), d.events, d.tape.cut))
	}
	return nil, d.divergeAt(d.records+1, "end", "nothing more", does())
}

// nextAnswer takes the next record if it is the answer to this question.
func (d *Deck) nextAnswer(kind Kind, key []byte) (any, error) {
	does := func() string { return "asked for " + question(kind, key) }
	r, err := d.peek(does)
	if err != nil {
		return nil, err
	}
	var k Kind
	var has []byte
	switch a := r.value.(type) {
	case *inline:
		k, has = a.Kind, a.Key
	case *stored:
		k, has = a.Kind, a.Key
	default:
		return nil, d.divergeAt(d.records+1, r.tag.String(), r.String(), does())
	}
	if k != kind || string(has) != string(key) {
		return nil, d.divergeAt(d.records+1, "question", question(k, has), does())
	}
	d.records++
	return r.value, nil
}

// diverge fails the deck at the record that was taken last.
func (d *Deck) diverge(kind, want, got string) error {
	return d.divergeAt(d.records, kind, want, got)
}

func (d *Deck) divergeAt(seq uint64, kind, want, got string) error {
	return d.fail(&DivergenceError{Seq: seq, Events: d.events, Kind: kind, Want: want, Got: got})
}
