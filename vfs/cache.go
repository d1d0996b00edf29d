package vfs

import (
	"container/list"
	"sync"
	"time"

	"github.com/seed48025506/belljar/cas"
)

// Cache keeps what bases over host directories have read, so that many runs
// over the same files read each of them from the host once, and hash it once.
// A file is known by its device, inode, size, and times of modification and
// change; where the host does not tell all of these, nothing is kept. It is
// safe for concurrent use. A nil *Cache keeps nothing.
//
// Lock order: its mutex is a leaf.
type Cache struct {
	limit int64

	mu    sync.Mutex
	held  int64                     // bytes
	order list.List                 // of *kept, most recently used first
	known map[stretch]*list.Element // what is in order
}

// NewCache returns a cache of at most limit bytes of file content.
func NewCache(limit int64) *Cache {
	return &Cache{limit: limit, known: map[stretch]*list.Element{}}
}

// stretch names bytes of a file in one state of it.
type stretch struct {
	file Stamp
	off  int64
	n    int
}

type kept struct {
	key  stretch
	blob *cas.Blob
}

// Hosts keep the times of files in steps. A file that was changed less than a
// step before it was read may be changed again and show the same times, so it
// is not kept. Kernels step with their timer, 100 times a second at the least;
// times of whole seconds come from file systems that know no finer ones.
const (
	timeStep       = 100 * time.Millisecond
	coarseTimeStep = 3 * time.Second
)

// settled reports whether a change after the moment now would show.
func (s Stamp) settled(now time.Time) bool {
	at := s.changed()
	step := timeStep
	if at%int64(time.Second) == 0 {
		step = coarseTimeStep
	}
	return at != 0 && now.UnixNano()-at > int64(step)
}

// get returns a stretch that it has, or reads it. The caller has seen that the
// file is in this state.
func (c *Cache) get(key stretch, read func() (*cas.Blob, error)) (*cas.Blob, error) {
	if c == nil || int64(key.n) > c.limit || !key.file.settled(time.Now()) {
		return read()
	}
	if b := c.look(key); b != nil {
		return b, nil
	}
	b, err := read()
	if err == nil {
		c.keep(key, b)
	}
	return b, err
}

func (c *Cache) look(key stretch) *cas.Blob {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.known[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*kept).blob
}

func (c *Cache) keep(key stretch, b *cas.Blob) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[key] != nil {
		return // read twice at the same time
	}
	c.known[key] = c.order.PushFront(&kept{key, b})
	for c.held += int64(key.n); c.held > c.limit; {
		oldest := c.order.Remove(c.order.Back()).(*kept)
		delete(c.known, oldest.key)
		c.held -= int64(oldest.key.n)
	}
}
