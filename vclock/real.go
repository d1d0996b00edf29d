package vclock

import (
	"encoding/binary"
	"fmt"

	"github.com/seed48025506/belljar/cas/tape"
)

// AnswerKind is what a read of a real clock is called on the tape. Its key is
// "wall" or "mono"; its payload is the nanoseconds, 8 bytes little-endian.
const AnswerKind tape.Kind = "clock.real"

func (c *Clock) realRead(key string, now func() int64) (int64, error) {
	c.reads.Add(1)
	if c.deck.Mode() == tape.Off {
		return now(), nil
	}
	p, err := c.deck.Answer(AnswerKind, []byte(key), func() ([]byte, error) {
		return binary.LittleEndian.AppendUint64(nil, uint64(now())), nil
	})
	if err != nil {
		return 0, err
	}
	if len(p) != 8 {
		return 0, fmt.Errorf("vclock: the tape's %s reading has %d bytes, want 8", key, len(p))
	}
	return int64(binary.LittleEndian.Uint64(p)), nil
}
