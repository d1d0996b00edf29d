// Package tape is the record of a session: what came from outside, and a sum
// over all that followed from it. A [Deck] is the seam through which a session
// asks for answers and tells of events; it records, replays or verifies.
//
// # The file
//
//	+---------+-------+-------+
//	| magic 8 | major | minor |   2 bytes each, little-endian
//	+---------+-------+-------+
//	then frames, one after another, to the end of the file:
//	+----------+----------+----------+----------+--------------+-----------+
//	| stored 4 | raw 4    | flags 4  | crc 4    | body         | digest 32 |
//	+----------+----------+----------+----------+--------------+-----------+
//	 length of  length     1: zstd    CRC-32 of  CBOR sequence   BLAKE3 of
//	 the body   unpacked              the 12     of records      digest before,
//	                                  before                     head, body
//
// The head has a checksum of its own so that a bad length is found before it
// is believed, and a torn frame can be told from a corrupt one. The digest
// chains each frame to the prefix and to all frames before it, so that none
// can be changed, dropped or moved. The first item of the first frame is the
// header; each later one is a record [tag, body]. A frame ends at 64 KiB of
// records or at [Deck.Flush]. Payloads over 4 KiB lie in a [cas.Store] under
// their digest. docs/tape-format.md has it byte by byte.
//
// A record of a tag that this version does not know is no answer: a replay
// passes over it, and [Tape.WriteTo] keeps it byte for byte.
//
// # What is kept
//
// Answers are kept whole, for nothing else can bring them back. Marks are
// only folded into the sum, which is written every 2^20 events and at the
// end. So a tape is as long as its inputs, not as its run.
package tape
