package runtime

import (
	"context"
	"sync"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/vfs"
)

// Config says how a Runtime compiles. The zero value is ready for use.
type Config struct {
	// CacheDir holds compiled modules between processes. Empty: a folder of
	// belljar's in the user's cache directory, or memory only where there is
	// none. The folder must not be writable by anyone who is not trusted to
	// run code in this process.
	CacheDir string
	// NoDiskCache keeps compiled modules in memory only.
	NoDiskCache bool
	// FileCache is how many bytes of mounted host files are kept in memory, so
	// that the next run that reads them need not ask the host again. 0:
	// DefaultFileCache. Negative: none. A file that changed is read again.
	FileCache int64
	// Engine runs the code. Nil: wazero. The Runtime closes it.
	Engine Engine
}

// DefaultFileCache is what a Config.FileCache of 0 means: 128 MiB.
const DefaultFileCache = 128 << 20

// Runtime compiles programs and opens sessions. It is safe for concurrent use.
type Runtime struct {
	engine Engine
	files  *vfs.Cache

	mu     sync.Mutex // guards closed
	closed bool
}

// New makes a Runtime. It fails where Config.CacheDir was named and cannot be
// used.
func New(ctx context.Context, cfg Config) (*Runtime, error) {
	if cfg.Engine == nil {
		e, err := newWazero(ctx, cfg)
		if err != nil {
			return nil, err
		}
		cfg.Engine = e
	}
	r := &Runtime{engine: cfg.Engine}
	if cfg.FileCache == 0 {
		cfg.FileCache = DefaultFileCache
	}
	if cfg.FileCache > 0 {
		r.files = vfs.NewCache(cfg.FileCache)
	}
	return r, nil
}

// filesFor is the cache that a session reads host files through. To verify is
// to look at the world, so that uses none.
func (r *Runtime) filesFor(deck *tape.Deck) *vfs.Cache {
	if deck.Mode() == tape.Verifying {
		return nil
	}
	return r.files
}

// Close frees compiled code. No session may be running. It is idempotent.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	return r.engine.Close(ctx)
}

func (r *Runtime) alive() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	return nil
}
