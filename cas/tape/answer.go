package tape

import (
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/codec"
)

// Answer gets an answer from outside. Recording, it calls live and keeps what
// comes back; replaying, it returns what was kept and never calls live;
// verifying, it does both and compares. Another kind or key than the tape's
// next is a *DivergenceError. An error of live is returned and nothing is
// kept: what a guest may see of a failure belongs in the payload. The payload
// must not be changed by the caller.
func (d *Deck) Answer(kind Kind, key []byte, live func() ([]byte, error)) ([]byte, error) {
	if d == nil {
		return live()
	}
	if d.err != nil {
		return nil, d.err
	}
	switch d.mode {
	case Recording:
		return d.recordAnswer(kind, key, live)
	case Replaying:
		return d.replayAnswer(kind, key)
	default:
		return d.verifyAnswer(kind, key, live)
	}
}

func (d *Deck) recordAnswer(kind Kind, key []byte, live func() ([]byte, error)) ([]byte, error) {
	p, err := live()
	if err != nil {
		return nil, d.fail(err)
	}
	a := answer{Kind: kind, Key: key, Length: uint64(len(p))}
	if len(p) <= InlineLimit {
		a.Inline = p
	} else if a.Digest, err = d.store.Put(p); err != nil {
		return nil, d.fail(fmt.Errorf("tape: store the answer %s %s: %w", kind, show(key), err))
	}
	if err := d.put(tagAnswer, a); err != nil {
		return nil, err
	}
	d.fold(a)
	return p, nil
}

// replayAnswer returns the payload of the next record, which must be of this
// kind and key.
func (d *Deck) replayAnswer(kind Kind, key []byte) ([]byte, error) {
	a, err := d.nextAnswer(kind, key)
	if err != nil {
		return nil, err
	}
	p, err := d.payload(a)
	if err != nil {
		return nil, d.fail(fmt.Errorf("tape: record %d, answer %s %s: %w", d.at, kind, show(key), err))
	}
	d.fold(a)
	return p, nil
}

func (d *Deck) verifyAnswer(kind Kind, key []byte, live func() ([]byte, error)) ([]byte, error) {
	a, err := d.nextAnswer(kind, key)
	if err != nil {
		return nil, err
	}
	got, err := live()
	if err != nil {
		return nil, d.fail(err)
	}
	if !a.is(got) {
		what := fmt.Sprintf("answer %s %s", kind, show(key))
		return nil, d.diverge(what, a.describe(), describePayload(got))
	}
	d.fold(a)
	return got, nil
}

// nextAnswer takes the next record if it is an answer to this question.
func (d *Deck) nextAnswer(kind Kind, key []byte) (answer, error) {
	var a answer
	if err := d.takeOr(tagAnswer, &a, func() string {
		return fmt.Sprintf("a question for %s %s", kind, show(key))
	}); err != nil {
		return a, err
	}
	if a.Kind != kind || string(a.Key) != string(key) {
		return a, d.diverge("question", fmt.Sprintf("%s %s", a.Kind, show(a.Key)), fmt.Sprintf("%s %s", kind, show(key)))
	}
	return a, nil
}

// payload fetches what an answer holds.
func (d *Deck) payload(a answer) ([]byte, error) {
	if a.Digest.IsZero() {
		return a.Inline, nil
	}
	p, err := d.store.Get(a.Digest)
	if err == nil && uint64(len(p)) != a.Length {
		err = fmt.Errorf("payload %s has %d bytes, the tape says %d", a.Digest.Short(), len(p), a.Length)
	}
	return p, err
}

// is reports whether the recorded payload is p.
func (a answer) is(p []byte) bool {
	if a.Length != uint64(len(p)) {
		return false
	}
	if a.Digest.IsZero() {
		return string(a.Inline) == string(p)
	}
	return cas.Sum(p) == a.Digest
}

func (a answer) describe() string {
	if a.Digest.IsZero() {
		return show(a.Inline)
	}
	return fmt.Sprintf("%d bytes with digest %s", a.Length, a.Digest.Short())
}

func describePayload(p []byte) string {
	if len(p) <= InlineLimit {
		return show(p)
	}
	return fmt.Sprintf("%d bytes with digest %s", len(p), cas.Sum(p).Short())
}

// fold puts an answer into the sum.
func (d *Deck) fold(a answer) {
	h := xxh3.Hash(a.Inline)
	if !a.Digest.IsZero() {
		h = xxh3.Hash(a.Digest[:])
	}
	d.Mark(codeAnswer, xxh3.HashString(string(a.Kind))^xxh3.Hash(a.Key), h)
}

// put writes a record.
func (d *Deck) put(tag uint64, body any) error {
	p, err := codec.Marshal(body)
	if err == nil {
		p, err = codec.Marshal(record{Tag: tag, Body: p})
	}
	if err != nil {
		return d.fail(fmt.Errorf("tape: %w", err))
	}
	d.records++
	d.out.add(p)
	if d.out.err != nil {
		return d.fail(d.out.err)
	}
	return nil
}

// take reads the next record, which must have this tag.
func (d *Deck) take(tag uint64, body any) error {
	return d.takeOr(tag, body, func() string { return "the event " + tagName(tag) })
}

// takeOr is take with the words for what the run wants. Records of unknown
// kinds are passed over.
func (d *Deck) takeOr(tag uint64, body any, wants func() string) error {
	if d.err != nil {
		return d.err
	}
	for d.at < len(d.tape.records) {
		r := d.tape.records[d.at]
		if _, ok := tagNames[r.Tag]; !ok {
			d.at++
			d.records++
			continue
		}
		if r.Tag != tag {
			return d.divergeAt(d.at+1, tagName(r.Tag), r.describe(), wants())
		}
		d.at++
		d.records++
		if err := codec.Unmarshal(r.Body, body); err != nil {
			return d.fail(fmt.Errorf("tape: record %d: %w", d.at, err))
		}
		return nil
	}
	return d.divergeAt(d.at, "end", "nothing more", wants())
}

// describe says what a record is, for a message.
func (r record) describe() string {
	if r.Tag == tagAnswer {
		var a answer
		if codec.Unmarshal(r.Body, &a) == nil {
			return fmt.Sprintf("the answer %s %s", a.Kind, show(a.Key))
		}
	}
	return "the event " + tagName(r.Tag)
}

// diverge fails the deck at the record that was taken last.
func (d *Deck) diverge(kind string, want, got any) error {
	return d.divergeAt(d.at, kind, fmt.Sprint(want), fmt.Sprint(got))
}

func (d *Deck) divergeAt(seq int, kind, want, got string) error {
	return d.fail(&DivergenceError{Seq: uint64(seq), Kind: kind, Want: want, Got: got})
}
