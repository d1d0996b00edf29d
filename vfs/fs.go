package vfs

import (
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/errno"
)

// Names for the few results that are used as errors too.
const (
	errNoEnt  = errno.ENOENT
	errNotDir = errno.ENOTDIR
)

func errNameTooLong(name string) error {
	return fmt.Errorf("a name of %d bytes (at most %d): %w", len(name), maxName, errno.ENAMETOOLONG)
}

// Config is what a tree needs from its session. The zero value works.
type Config struct {
	// Now is the session's clock without its tick, in nanoseconds since the
	// epoch; it stamps changes. nil: always 0.
	Now func() int64
	// Deck is the tape that answers of bases go through. nil: none.
	Deck *tape.Deck
	// Fault is told, once each, of errors that must end the run: a base
	// that changed, a failing base, a deck that diverged. It is called with
	// the FS locked and may call nothing of it but Err. May be nil.
	Fault func(error)
}

// FS is one tree of files. It is safe for concurrent use; operations run one
// at a time. Make one with New.
type FS struct {
	mu     sync.Mutex
	cfg    Config
	gen    *gen
	root   Ino
	next   Ino // the next inode number
	inodes *btree.Map[Ino, *inode]
	memos  *btree.Map[string, memo] // answers of bases, by path in the tree
	open   map[Ino]int              // handles; keeps unlinked inodes alive
	err    atomic.Pointer[error]
}

// New returns a tree that holds an empty root directory.
func New(cfg Config) *FS {
	f := &FS{
		gen: new(gen), next: 1,
		inodes: new(btree.Map[Ino, *inode]), memos: new(btree.Map[string, memo]), open: map[Ino]int{},
	}
	f.configure(cfg)
	root := f.newInode(TypeDir, 0o755, &mount{})
	root.dir = newDirectory(root.ino, "")
	root.dir.preset = true
	f.root = root.ino
	return f
}

func (f *FS) configure(cfg Config) {
	if cfg.Now == nil {
		cfg.Now = func() int64 { return 0 }
	}
	f.cfg = cfg
}

// Root returns the inode of "/".
func (f *FS) Root() Ino { return f.root }

// Err returns the first fault, nil if there was none. It takes no lock.
func (f *FS) Err() error {
	if p := f.err.Load(); p != nil {
		return *p
	}
	return nil
}

// Clone returns a second tree with the same content, in O(1). From then on
// neither sees what the other does. Open files stay with the tree they were
// opened in; File.In opens one again in a clone. The clone has the Config of
// f; CloneFor gives it another.
func (f *FS) Clone() *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clone(f.cfg)
}

// CloneFor is Clone for another session: with its own clock and deck.
func (f *FS) CloneFor(cfg Config) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clone(cfg)
}

func (f *FS) clone(cfg Config) *FS {
	c := &FS{
		gen: new(gen), root: f.root, next: f.next,
		inodes: f.inodes.Copy(), memos: f.memos.Copy(), open: map[Ino]int{},
	}
	c.configure(cfg)
	f.gen = new(gen) // what was ours is shared now
	return c
}

// fault records an error that must end the run and returns what the guest is
// shown meanwhile.
func (f *FS) fault(err error) errno.Errno {
	f.err.CompareAndSwap(nil, &err)
	if f.cfg.Fault != nil {
		f.cfg.Fault(err)
	}
	return errno.EIO
}

// get returns the inode, nil if there is none. It may be read, not changed.
func (f *FS) get(i Ino) *inode {
	n, _ := f.inodes.Get(i)
	return n
}

// mut returns the inode for changing.
func (f *FS) mut(i Ino) *inode {
	n, _ := f.inodes.Get(i)
	if n != nil && n.gen != f.gen {
		n = n.copyFor(f.gen)
		f.inodes.Set(i, n)
	}
	return n
}

// newIno takes the next inode number.
func (f *FS) newIno() Ino {
	f.next++
	return f.next - 1
}

// newInode adds an inode with one name and the time now.
func (f *FS) newInode(t Type, mode fs.FileMode, m *mount) *inode {
	now := f.cfg.Now()
	n := &inode{
		gen: f.gen, ino: f.newIno(), typ: t, mode: mode.Perm(), nlink: 1, mnt: m,
		atim: now, mtim: now, ctim: now,
	}
	f.inodes.Set(n.ino, n)
	return n
}

// gone forgets an inode that has no name and no handle.
func (f *FS) gone(n *inode) {
	if n.nlink == 0 && f.open[n.ino] == 0 {
		f.inodes.Delete(n.ino)
	}
}
