// Package cas is the content-addressed store: bytes are put and got by the
// BLAKE3 digest of what they are, so a payload that occurs a thousand times is
// kept once, and whatever is read back is checked against its name.
//
// Lock order: a store's own mutex is a leaf; no store calls out while it
// holds it.
package cas

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/zeebo/blake3"
)

// Size is the length of a Digest in bytes.
const Size = 32

// Digest names bytes by their BLAKE3-256 hash. It is comparable and can key a
// map; the zero value means "none".
type Digest [Size]byte

// Sum returns the digest of p.
func Sum(p []byte) Digest { return blake3.Sum256(p) }

// String returns 64 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Short returns the first 12 hexadecimal digits, for messages.
func (d Digest) Short() string { return hex.EncodeToString(d[:6]) }

// IsZero reports whether d is the zero value, "none".
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText implements encoding.TextMarshaler with the form of String.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler, taking the form of String.
func (d *Digest) UnmarshalText(p []byte) error {
	v, err := ParseDigest(string(p))
	if err == nil {
		*d = v
	}
	return err
}

// ParseDigest reads the form that String writes.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if len(s) != 2*Size {
		return d, fmt.Errorf("cas: digest %q has %d characters, want %d", s, len(s), 2*Size)
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil {
		return Digest{}, fmt.Errorf("cas: digest %q: %w", s, err)
	}
	return d, nil
}

// Store keeps bytes by digest. A Store is safe for concurrent use.
type Store interface {
	// Put keeps p and returns its digest. Putting what is there already
	// costs no write. The store keeps no reference to p.
	Put(p []byte) (Digest, error)
	// Get returns the bytes named d after checking them against it: an
	// error that is ErrNotFound, or a *CorruptError, otherwise. The caller
	// must not change what it gets.
	Get(d Digest) ([]byte, error)
	// Has reports whether d can be got, without reading it.
	Has(d Digest) (bool, error)
}

// Keeper is a Store that can take a blob over instead of copying its bytes,
// and trusts the digest that it has.
type Keeper interface {
	// Keep is Put of a blob's bytes: the store may hold on to them.
	Keep(b *Blob) (Digest, error)
}

// Keep puts a blob, without a copy and without hashing it a second time where
// the store can do that.
func Keep(s Store, b *Blob) (Digest, error) {
	if k, ok := s.(Keeper); ok {
		return k.Keep(b)
	}
	return s.Put(b.Bytes())
}

// ErrNotFound says that a store does not hold a digest.
var ErrNotFound = errors.New("not in the store")

// CorruptError says that stored bytes are not what their name says.
type CorruptError struct {
	Want, Got Digest
	Where     string // the file, or "" for a store in memory
}

func (e *CorruptError) Error() string {
	where := ""
	if e.Where != "" {
		where = " in " + e.Where
	}
	return fmt.Sprintf("cas: payload %s%s is corrupt: its bytes hash to %s; restore the store from a copy or record again",
		e.Want.Short(), where, e.Got.Short())
}
