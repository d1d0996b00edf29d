package vfs

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/seed48025506/belljar/cas"
)

// Digest names what the run changed: equal digests mean equal changes to
// equal bases. It is taken over the overlay alone and never reads a base, so
// that recording and replaying give the same: for every path in byte order
//
//   - a name of the base that is gone: the path;
//   - what was made, moved or replaced: path, type, mode, the path it had
//     before the run if it comes from a base, a symlink's target;
//   - a file that was written to: its size, how much of the base shows
//     through, and the BLAKE3 of each 64 KiB chunk that was written.
//
// So a file rewritten with the bytes it had counts as changed here, though
// Changes leaves it out. Times and inode numbers do not count. The error is
// always nil now; it is there for stores that can fail.
func (f *FS) Digest() (cas.Digest, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var s summary
	s.dir(f, "", f.get(f.root))
	return s.sum(), nil
}

// summary is the text that is hashed, with holes for the digests of chunks.
type summary struct {
	text   []byte
	chunks []written
}

// written is a chunk whose digest belongs at an offset of the text.
type written struct {
	at   int
	data []byte
}

// The records of a summary.
const (
	recordGone byte = iota + 1
	recordMade
	recordFile
)

func (s *summary) dir(f *FS, p string, n *inode) {
	n.dir.names.Scan(func(name string, e dirent) bool {
		child := join(p, name)
		node := f.get(e.ino)
		switch {
		case e.ino == 0:
			if e.had {
				s.record(recordGone, child)
			}
			return true
		case node == nil:
			return true // as its directory's base has it
		}
		preset := node.dir != nil && node.dir.preset
		if !e.based && !preset {
			s.made(child, node)
		}
		switch {
		case node.dir != nil:
			s.dir(f, child, node)
		case node.file != nil && node.file.dirty:
			s.file(child, node)
		}
		return true
	})
}

func (s *summary) record(kind byte, text string) {
	s.text = append(s.text, kind)
	s.bytes(text)
}

func (s *summary) bytes(text string) {
	s.number(int64(len(text)))
	s.text = append(s.text, text...)
}

func (s *summary) number(v int64) { s.text = binary.AppendVarint(s.text, v) }

func (s *summary) made(p string, n *inode) {
	s.record(recordMade, p)
	s.number(int64(n.typ))
	s.number(int64(n.mode))
	s.number(n.size)
	if n.base != nil {
		s.number(1)
		s.bytes(n.base.tree())
		return
	}
	s.number(0)
	s.bytes(n.target)
}

func (s *summary) file(p string, n *inode) {
	s.record(recordFile, p)
	s.number(n.size)
	s.number(n.file.base)
	n.file.chunks.Scan(func(idx int64, c *chunk) bool {
		if c.gen == nil {
			return true // the base's
		}
		data := bytes.TrimRight(c.data, "\x00")
		if len(data) == 0 && idx<<chunkBits >= n.file.base {
			return true // as good as a hole
		}
		s.number(idx + 1)
		s.chunks = append(s.chunks, written{at: len(s.text), data: data})
		s.text = append(s.text, make([]byte, cas.Size)...)
		return true
	})
	s.number(0)
}

// worthASecond is how many chunks are worth a second goroutine.
const worthASecond = 16

// sum hashes the chunks, two at a time when there are many, and then the text.
func (s *summary) sum() cas.Digest {
	hash := func(list []written) {
		for _, w := range list {
			d := cas.Sum(w.data)
			copy(s.text[w.at:], d[:])
		}
	}
	half := len(s.chunks) / 2
	if half < worthASecond/2 {
		half = 0
	}
	var wg sync.WaitGroup
	if half > 0 {
		wg.Go(func() { hash(s.chunks[:half]) })
	}
	hash(s.chunks[half:])
	wg.Wait()
	return cas.Sum(s.text)
}
