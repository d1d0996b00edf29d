package tape_test

import (
	"bytes"
	"fmt"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
)

// A session asks the world once. Its replay asks the tape.
func Example() {
	session := func(d *tape.Deck, weather string) error {
		sky, err := d.Answer("weather", []byte("today"), func() ([]byte, error) {
			return []byte(weather), nil
		})
		if err != nil {
			return err
		}
		d.MarkBytes(tape.CodeWrite, 1, sky)
		fmt.Printf("%s: %s\n", []string{"", "record", "replay", "verify"}[d.Mode()], sky)
		return d.Finish(cas.Digest{})
	}

	var file bytes.Buffer
	store := cas.NewMem()
	rec, err := tape.Record(&file, store, tape.Header{Producer: "example"})
	if err == nil {
		err = session(rec, "rain")
	}
	fmt.Println(err)

	t, err := tape.Open(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	replay, _ := t.Replay(store)
	fmt.Println(session(replay, "sun"))
	verify, _ := t.Verify(store)
	fmt.Println(session(verify, "sun"))
	// Output:
	// record: rain
	// <nil>
	// replay: rain
	// <nil>
	// tape: divergence at record 1, after 0 events, the answer weather "today": the tape has "rain" (4 bytes), the run has "sun" (3 bytes); give the run what it was recorded with, or record again
}
