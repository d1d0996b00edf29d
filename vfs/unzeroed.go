package vfs

import (
	"strings"
	"unsafe"
)

// unzeroed returns n bytes of no particular content, for a reader that fills
// all of them. Zeroing them first would cost as much as reading them from the
// page cache. A strings.Builder is the one way to memory that is not zeroed;
// one byte makes it tell where that is.
func unzeroed(n int) []byte {
	if n == 0 {
		return nil
	}
	var b strings.Builder
	b.Grow(n)
	_ = b.WriteByte(0) // it does not fail
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
