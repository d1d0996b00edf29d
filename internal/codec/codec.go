// Package codec is the one CBOR mode of belljar: core deterministic encoding
// (RFC 8949 section 4.2.1), so that the same value has the same bytes on every
// machine, and a decoder that refuses what such an encoder cannot have made.
package codec

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// MaxElements bounds arrays and maps on decoding, so that a hostile length
// costs an error and not memory.
const MaxElements = 1 << 20

// RawMessage is an encoded value kept as it is.
type RawMessage = cbor.RawMessage

var (
	enc = mustEnc()
	dec = mustDec()
)

func mustEnc() cbor.EncMode {
	m, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	return m
}

func mustDec() cbor.DecMode {
	m, err := cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		MaxNestedLevels:  16,
		MaxArrayElements: MaxElements,
		MaxMapPairs:      MaxElements,
		TagsMd:           cbor.TagsForbidden,
		UTF8:             cbor.UTF8DecodeInvalid,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
}

// Marshal returns the deterministic encoding of v.
func Marshal(v any) ([]byte, error) { return enc.Marshal(v) }

// Unmarshal decodes exactly one value; bytes after it are an error.
func Unmarshal(p []byte, v any) error {
	if err := dec.Unmarshal(p, v); err != nil {
		return fmt.Errorf("cbor: %w", err)
	}
	return nil
}

// UnmarshalFirst decodes the first value of a CBOR sequence (RFC 8742) and
// returns the bytes after it.
func UnmarshalFirst(p []byte, v any) (rest []byte, err error) {
	rest, err = dec.UnmarshalFirst(p, v)
	if err != nil {
		return nil, fmt.Errorf("cbor: %w", err)
	}
	return rest, nil
}
