package pages

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Image is what memories begin with. It is never changed, and it is safe for
// concurrent use.
type Image struct {
	fd    int    // a sealed memfd; -1: all zeros
	size  int    // whole pages
	small []byte // the same, of an image that is short enough to copy

	once sync.Once // Close
}

// copied is the most, in bytes, that is made as it was by writing to it and not
// by a call of the system, which costs about as much.
const copied = 128 << 10

// NewImage keeps a copy of p, outside of Go's heap. Pages of zeros cost nothing.
func NewImage(p []byte) (*Image, error) {
	page := os.Getpagesize()
	img := &Image{fd: -1, size: (len(p) + page - 1) / page * page}
	if img.size <= copied {
		img.small = append(make([]byte, 0, img.size), p...)[:img.size]
	}
	if img.size == 0 {
		return img, nil
	}
	fd, err := unix.MemfdCreate("belljar-image", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("pages: memfd_create: %w", err)
	}
	img.fd = fd
	if err := img.fill(p, page); err != nil {
		return nil, errors.Join(err, img.Close())
	}
	return img, nil
}

// fill writes what is not zero, and seals the image.
func (img *Image) fill(p []byte, page int) error {
	if err := unix.Ftruncate(img.fd, int64(img.size)); err != nil {
		return fmt.Errorf("pages: ftruncate to %d bytes: %w", img.size, err)
	}
	for at := 0; at < len(p); {
		end := min(at+page, len(p))
		if zeros(p[at:end]) {
			at = end
			continue
		}
		for end < len(p) && !zeros(p[end:min(end+page, len(p))]) {
			end = min(end+page, len(p))
		}
		if err := writeAt(img.fd, p[at:end], at); err != nil {
			return err
		}
		at = end
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(img.fd), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("pages: seal an image: %w", err)
	}
	return nil
}

func writeAt(fd int, p []byte, at int) error {
	for len(p) > 0 {
		n, err := unix.Pwrite(fd, p, int64(at))
		if err != nil {
			return fmt.Errorf("pages: write an image: %w", err)
		}
		p, at = p[n:], at+n
	}
	return nil
}

func zeros(p []byte) bool {
	for _, c := range p {
		if c != 0 {
			return false
		}
	}
	return true
}

// Close gives the image back. Memories over it stay as they are, but none can
// be reserved or reset any more. It is idempotent.
func (img *Image) Close() (err error) {
	img.once.Do(func() {
		if img.fd >= 0 {
			err = unix.Close(img.fd)
		}
	})
	return err
}

// Memory is one guest's memory. It belongs to one goroutine at a time.
type Memory struct {
	img  *Image
	all  []byte // the whole reservation
	used int    // the most that Grow was asked for since the last Reset
}

// Reserve reserves max bytes of address space, of which the first are img.
func Reserve(img *Image, max int) (*Memory, error) {
	page := os.Getpagesize()
	max = (max + page - 1) / page * page
	if max < img.size {
		return nil, fmt.Errorf("pages: %d bytes are less than the image's %d", max, img.size)
	}
	if max == 0 {
		return &Memory{img: img}, nil
	}
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_NORESERVE
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(max), prot, flags|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("pages: reserve %d bytes: %w", max, err)
	}
	m := &Memory{img: img, all: bytesAt(p, max)}
	if img.size > 0 {
		if _, err := unix.MmapPtr(img.fd, 0, p, uintptr(img.size), prot, flags|unix.MAP_FIXED); err != nil {
			return nil, errors.Join(fmt.Errorf("pages: map an image: %w", err), m.Free())
		}
	}
	return m, nil
}

// Grow returns the memory at a size in bytes, always at the same address; nil
// if that is more than was reserved. What it has not had before is zero, or the
// image's.
func (m *Memory) Grow(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	m.used = max(m.used, int(size))
	return m.all[:size:size]
}

// Reset makes the memory what it was when it was reserved. Pages that were
// written to go back to the system.
func (m *Memory) Reset() error {
	if m.used == 0 {
		return nil
	}
	page := os.Getpagesize()
	n := min((m.used+page-1)/page*page, len(m.all))
	m.used = 0
	if n <= copied {
		clear(m.all[copy(m.all[:n], m.img.small):n])
		return nil
	}
	// Of a private mapping this drops the copies: what is read next is the
	// image again, or zero.
	if err := unix.Madvise(m.all[:n], unix.MADV_DONTNEED); err != nil {
		return fmt.Errorf("pages: reset %d bytes: %w", n, err)
	}
	return nil
}

// Free gives the address space back. Nothing may hold on to what Grow returned.
func (m *Memory) Free() error {
	if len(m.all) == 0 {
		return nil
	}
	p := m.all
	m.all = nil
	if err := unmap(p); err != nil {
		return fmt.Errorf("pages: free %d bytes: %w", len(p), err)
	}
	return nil
}
