package tape

import (
	"bytes"
	"testing"

	"github.com/seed48025506/belljar/cas"
)

func FuzzOpen(f *testing.F) {
	store := cas.NewMem()
	p := recorded(f, store)
	f.Add(p)
	f.Add(p[:len(p)/2])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, p []byte) {
		tp, err := Open(bytes.NewReader(p))
		if err != nil {
			return
		}
		tp.Steps()
		var buf bytes.Buffer
		if _, err := tp.WriteTo(&buf); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(&buf); err != nil {
			t.Fatalf("a tape that opens does not open when written anew: %v", err)
		}
	})
}

// FuzzRecords gets past the checksums: whatever bytes stand for records are in
// a sound frame. What opens must replay to some end and be written again.
func FuzzRecords(f *testing.F) {
	store := cas.NewMem()
	tp, err := Open(bytes.NewReader(recorded(f, store)))
	if err != nil {
		f.Fatal(err)
	}
	raw := bytes.Clone(tp.raw)
	f.Add(bytes.Clone(raw))
	for _, r := range tp.records {
		raw = append(raw, r.raw...)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var buf, again bytes.Buffer
		w := newFrameWriter(&buf, Minor)
		if w.add(raw) != nil || w.flush() != nil {
			return
		}
		tp, err := OpenPartial(&buf)
		if err != nil {
			return
		}
		tp.Steps()
		if _, err := tp.WriteTo(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenPartial(&again); err != nil {
			t.Fatalf("a tape that opens does not open when written anew: %v", err)
		}
		d, err := tp.Replay(store)
		if err != nil {
			t.Fatal(err)
		}
		if play(d, "") == nil && !tp.Complete() {
			t.Fatal("a cut tape was replayed to a quiet success")
		}
	})
}
