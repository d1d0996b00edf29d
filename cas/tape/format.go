package tape

import (
	"github.com/zeebo/blake3"

	"github.com/seed48025506/belljar/cas"
)

// The version that this package writes. It reads every minor version of Major.
const (
	Major uint16 = 1
	Minor uint16 = 0
)

// Limits of the format, in bytes.
const (
	// InlineLimit is the largest payload that is kept on the tape itself; a
	// larger one is in the store.
	InlineLimit = 4 << 10
	// MaxRecord is the largest record, which bounds keys, arguments and
	// environments; payloads have no bound, for they go to the store.
	MaxRecord = 8 << 20
	// MaxFrame is the largest frame before compression. It bounds what a
	// hostile length can cost.
	MaxFrame = 16 << 20
)

const (
	magic      = "BELLJAR\n"
	prefixLen  = len(magic) + 4
	frameLen   = 16       // stored, raw, flags, crc
	flushAt    = 64 << 10 // so a frame is at most flushAt + MaxRecord, below MaxFrame
	flagPacked = 1
)

// link is the digest that chains a frame to all before it.
func link(prev cas.Digest, head, body []byte) (d cas.Digest) {
	h := blake3.New()
	_, _ = h.Write(prev[:])
	_, _ = h.Write(head)
	_, _ = h.Write(body)
	h.Sum(d[:0])
	return d
}
