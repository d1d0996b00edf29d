package vfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/errno"
)

// kernelFiles knows which devices of a host are file systems that make their
// files when they are opened, such as proc and sysfs. The sizes there are 0,
// or a page, whatever there is to read. Its mutex is a leaf.
type kernelFiles struct {
	mu    sync.Mutex
	known map[uint64]bool // by device
}

// made reports whether a regular file is such a file. Only one of an odd size
// is looked at further, and only the first of each device.
func (k *kernelFiles) made(root *os.Root, p string, in Info) bool {
	dev := in.Stamp[2]
	if in.Size%4096 != 0 || dev == 0 {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	made, ok := k.known[dev]
	if ok {
		return made
	}
	f, err := openRead(root, p)
	if err != nil {
		return false // it cannot be read either
	}
	defer f.Close()
	made = onKernelFS(f)
	if k.known == nil {
		k.known = map[uint64]bool{}
	}
	k.known[dev] = made
	return made
}

// patience bounds the wait for a kernel file that has nothing to say yet.
const patience = time.Second

// readWhole reads a file to its end, wherever that is.
func readWhole(root *os.Root, name string) (*cas.Blob, error) {
	p, err := local(name)
	if err != nil {
		return nil, err
	}
	f, err := openRead(root, p)
	if err != nil {
		return nil, changedIfGone(err)
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(patience)) // most such files never wait, and have none
	data, err := io.ReadAll(io.LimitReader(f, MaxUnsized+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errno.EAGAIN
	case len(data) > MaxUnsized:
		return nil, errno.EFBIG
	case err != nil && !expected(errno.From(err)):
		// What the kernel says of its own file is for the guest to see.
		return nil, fmt.Errorf("%w: %w", errno.EACCES, err)
	}
	return cas.NewBlob(data), err
}
