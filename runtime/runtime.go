package runtime

import (
	"context"
	"sync"
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
	// Engine runs the code. Nil: wazero. The Runtime closes it.
	Engine Engine
}

// Runtime compiles programs and opens sessions. It is safe for concurrent use.
type Runtime struct {
	engine Engine

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
	return &Runtime{engine: cfg.Engine}, nil
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
