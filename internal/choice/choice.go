// Package choice answers every decision that the jar itself makes: which
// random byte, who runs next, a fault or none. A seed gives each (guest, kind)
// a stream of its own, so that drawing more of one kind never shifts another.
package choice

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/zeebo/blake3"
)

// Seed is what a session's decisions are drawn from. The zero value is a
// seed like any other.
type Seed uint64

// Kind labels a stream of decisions.
type Kind string

// Random is the stream behind random_get.
const Random Kind = "random"

// Stream is one independent stream of decisions: ChaCha8 (C2SP chacha8rand),
// keyed by BLAKE3 over seed, guest and kind. It is not safe for concurrent use.
type Stream struct{ src *rand.ChaCha8 }

// Stream returns the stream of kind for the guest with that ordinal (the
// first guest of a session is 0). The same arguments give the same stream.
func (s Seed) Stream(guest uint64, kind Kind) *Stream {
	key := make([]byte, 0, 64)
	key = append(key, "belljar choice v1\x00"...)
	key = binary.LittleEndian.AppendUint64(key, uint64(s))
	key = binary.LittleEndian.AppendUint64(key, guest)
	key = append(key, kind...)
	return &Stream{src: rand.NewChaCha8(blake3.Sum256(key))}
}

// Fill fills p with the next bytes of the stream. It does not allocate.
func (s *Stream) Fill(p []byte) {
	_, _ = s.src.Read(p) // documented never to fail
}

// Below returns the next decision among n alternatives, 0 to n-1. n must be
// at least 1. The bias is under n/2^64.
func (s *Stream) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.src.Uint64(), n)
	return hi
}
