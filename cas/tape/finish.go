package tape

import (
	"fmt"

	"github.com/seed48025506/belljar/cas"
)

// Finish ends the session with the digest of what became of its tree.
// Recording, it writes the end; otherwise the tape must be at its end too, and
// end in the same way: records left over are an error. On a deck that failed
// it returns why, and leaves a tape without an end, which [Open] refuses. A
// second Finish does nothing and returns the same.
func (d *Deck) Finish(tree cas.Digest) error {
	if d == nil || d.ended {
		return d.Err()
	}
	defer func() { d.ended = true }()
	if d.err != nil {
		return d.abandon()
	}
	if err := d.settle(0); err != nil {
		return d.abandon()
	}
	e := End{Records: d.records, Events: d.events, Sum: d.sum, Tree: tree}
	if d.mode != Recording {
		return d.compareEnd(e)
	}
	if err := d.put(tagEnd, e); err != nil {
		return err
	}
	return d.Flush()
}

// abandon writes what there is, for [OpenPartial], and returns why.
func (d *Deck) abandon() error {
	if d.mode == Recording {
		_ = d.out.flush() // the first error stands
	}
	return d.err
}

func (d *Deck) compareEnd(e End) error {
	v, err := d.take(tagEnd, func() string {
		return fmt.Sprintf("ended, with %d record(s) left over", d.left())
	})
	if err != nil {
		return err
	}
	want := v.(*End)
	if err := d.compare([]field{{"number of events", want.Events, e.Events}}); err != nil {
		return err
	}
	if err := d.compareSum("rolling sum", want.Sum); err != nil {
		return err
	}
	return d.compare([]field{{"final tree", want.Tree, e.Tree}})
}

// left counts the records that the run did not ask for; the end and unknown
// ones are none.
func (d *Deck) left() (n int) {
	for _, r := range d.tape.records[d.records:] {
		if r.tag.known() && r.tag != tagEnd {
			n++
		}
	}
	return n
}
