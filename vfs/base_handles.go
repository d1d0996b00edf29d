package vfs

import (
	"os"
	"slices"
	"sync"
)

// keepOpen is how many host files a Dir keeps open between extents: enough
// for a program that reads a few files side by side, few enough to be no
// burden on the host's limit.
const keepOpen = 8

// handles keeps the host files used last open, because a big file is read in
// many extents and an open through os.Root walks the whole path. Its mutex is
// a leaf.
type handles struct {
	mu   sync.Mutex
	list []*handle // most recently used first
}

// handle is one open host file; refs counts the list and the readers.
type handle struct {
	name  string
	stamp Stamp
	file  *os.File
	refs  int
}

// get returns name open, as the file that stamp is of. The caller puts it.
func (hs *handles) get(root *os.Root, name string, stamp Stamp) (*handle, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for i, h := range hs.list {
		if h.name == name && h.stamp == stamp {
			copy(hs.list[1:i+1], hs.list[:i])
			hs.list[0] = h
			h.refs++
			return h, nil
		}
	}
	p, err := local(name)
	if err != nil {
		return nil, err
	}
	f, err := openRead(root, p)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil || stampedHost(fi).Stamp != stamp {
		f.Close()
		if err == nil {
			err = ErrBaseChanged
		}
		return nil, err
	}
	h := &handle{name: name, stamp: stamp, file: f, refs: 2}
	hs.list = slices.Insert(hs.list, 0, h)
	if len(hs.list) > keepOpen {
		hs.release(hs.list[keepOpen])
		hs.list = hs.list[:keepOpen]
	}
	return h, nil
}

// put gives h back.
func (hs *handles) put(h *handle) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.release(h)
}

// release drops one reference.
//
// Preconditions: hs.mu is held.
func (hs *handles) release(h *handle) {
	if h.refs--; h.refs == 0 {
		h.file.Close()
	}
}

// closeAll closes what no reader holds.
func (hs *handles) closeAll() {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for _, h := range hs.list {
		hs.release(h)
	}
	hs.list = nil
}
