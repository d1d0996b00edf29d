package pages

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// unix.Mmap keeps every mapping in a map under a lock; these do not.

func bytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

func unmap(p []byte) error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p)))
}
