package runtime

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/vfs"
)

// PanicError is a panic in what the embedder handed to a session: a writer, a
// reader, a base, a store. It ends that session and nothing else. It is no other
// error, whatever the value: a guest must not take it for an answer.
type PanicError struct {
	Where string // "standard output", "mount /work", …
	Value any    // what was given to panic
	Stack string // of the goroutine that panicked
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("runtime: %s: panic: %v\n%s", e.Where, e.Value, e.Stack)
}

// guard turns a panic into an error. It is deferred by whatever calls what is
// not ours.
func guard(where string, err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Where: where, Value: v, Stack: string(debug.Stack())}
	}
}

// guardedReader is a reader of the embedder's.
type guardedReader struct{ r io.Reader }

func (g guardedReader) Read(p []byte) (n int, err error) {
	defer guard("standard input", &err)
	return g.r.Read(p)
}

// guardedBase is a base of the embedder's.
type guardedBase struct {
	vfs.Base
	where string
}

func (b guardedBase) Lstat(name string) (in vfs.Info, err error) {
	defer guard(b.where, &err)
	return b.Base.Lstat(name)
}

func (b guardedBase) ReadDir(name string) (list []vfs.Entry, err error) {
	defer guard(b.where, &err)
	return b.Base.ReadDir(name)
}

func (b guardedBase) ReadLink(name string) (target string, err error) {
	defer guard(b.where, &err)
	return b.Base.ReadLink(name)
}

func (b guardedBase) Read(name string, info vfs.Info, off int64, n int) (p *cas.Blob, err error) {
	defer guard(b.where, &err)
	return b.Base.Read(name, info, off, n)
}

// guardedStore is a store of the embedder's. It is called by goroutines of the
// deck too, where a panic would end the process.
type guardedStore struct{ cas.Store }

func (s guardedStore) Put(p []byte) (d cas.Digest, err error) {
	defer guard("store", &err)
	return s.Store.Put(p)
}

func (s guardedStore) Keep(b *cas.Blob) (d cas.Digest, err error) {
	defer guard("store", &err)
	return cas.Keep(s.Store, b)
}

func (s guardedStore) Get(d cas.Digest) (p []byte, err error) {
	defer guard("store", &err)
	return s.Store.Get(d)
}

func (s guardedStore) Has(d cas.Digest) (ok bool, err error) {
	defer guard("store", &err)
	return s.Store.Has(d)
}

// guardStore guards a store that is not ours.
func guardStore(s cas.Store) cas.Store {
	switch s.(type) {
	case nil, *cas.Mem, *cas.Dir, guardedStore:
		return s
	}
	return guardedStore{s}
}
