package runtime

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/codec"
)

// passCache keeps modules after the passes in a folder, by the digest of what
// they were before, so that a program that was compiled once starts without
// being taken apart again. A file that is damaged is as good as none. A nil
// *passCache keeps nothing.
type passCache struct{ dir string }

// passVersion is part of every entry's name: it changes whenever a pass, or
// what is kept, does.
const passVersion = "2"

// passCacheLimit is how many bytes the folder may have; the entries that were
// used longest ago go first.
const passCacheLimit = 512 << 20

// get returns a module passed, from the folder if it is there.
func (c *passCache) get(wasm []byte, opts CompileOptions) (passed, error) {
	if c == nil {
		return pass(wasm, opts)
	}
	name := filepath.Join(c.dir, cas.Sum(wasm).String()+"-"+passVersion)
	if opts.CanonicalNaN {
		name += "-nan"
	}
	if p, ok := c.load(name); ok {
		now := time.Now()
		_ = os.Chtimes(name, now, now) // prune goes by it
		return p, nil
	}
	p, err := pass(wasm, opts)
	if err == nil {
		c.save(name, p)
	}
	return p, err
}

// load reads an entry: a digest of all that follows, the length of what
// describes the module, that itself, the module.
func (c *passCache) load(name string) (passed, bool) {
	file, err := os.ReadFile(name)
	if err != nil || len(file) < cas.Size+4 {
		return passed{}, false
	}
	body := file[cas.Size:]
	if sum := cas.Sum(body); !bytes.Equal(sum[:], file[:cas.Size]) {
		return passed{}, false
	}
	n := binary.LittleEndian.Uint32(body)
	if uint64(n) > uint64(len(body)-4) {
		return passed{}, false
	}
	var about passedAbout
	if codec.Unmarshal(body[4:4+n], &about) != nil {
		return passed{}, false
	}
	return passed{wasm: body[4+n:], image: about.Image, outline: about.Outline}, true
}

// passedAbout is what describes a passed module in its file.
type passedAbout struct {
	_       struct{} `cbor:",toarray"`
	Outline outline
	Image   []byte
}

// save writes an entry, whole or not at all. A folder that cannot be written
// costs time and nothing else.
func (c *passCache) save(name string, p passed) {
	about, err := codec.Marshal(passedAbout{Outline: p.outline, Image: p.image})
	if err != nil {
		return
	}
	body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(about))), about...)
	body = append(body, p.wasm...)
	sum := cas.Sum(body)
	f, err := os.CreateTemp(c.dir, "tmp-*") // for this user only
	if err != nil {
		return
	}
	_, err = f.Write(sum[:])
	if err == nil {
		_, err = f.Write(body)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	c.prune()
}

// prune removes the oldest entries until the rest is within the limit.
func (c *passCache) prune() {
	list, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var infos []fs.FileInfo
	total := int64(0)
	for _, e := range list {
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
			infos = append(infos, fi)
			total += fi.Size()
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, fi := range infos {
		if total <= passCacheLimit {
			return
		}
		if os.Remove(filepath.Join(c.dir, fi.Name())) == nil {
			total -= fi.Size()
		}
	}
}
