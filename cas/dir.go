package cas

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is a Store in a folder: one file for each payload, named by its digest
// and fanned out over 256 folders by the first two digits. Many processes may
// share one: a payload appears whole, by a rename, or not at all.
type Dir struct{ root string }

// OpenDir returns the store in the folder path, which need not exist yet: the
// first Put makes it.
func OpenDir(path string) (*Dir, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("cas: %w", err)
	case !st.IsDir():
		return nil, fmt.Errorf("cas: %s is not a folder; name a folder for the store", path)
	}
	return &Dir{root: path}, nil
}

func (s *Dir) path(d Digest) string {
	name := d.String()
	return filepath.Join(s.root, name[:2], name)
}

// Put implements Store. A file of the right name and length is taken to be
// the payload; Get finds out if it is not.
func (s *Dir) Put(p []byte) (Digest, error) { return s.Keep(NewBlob(p)) }

// Keep implements Keeper.
func (s *Dir) Keep(b *Blob) (Digest, error) {
	d := b.Digest()
	path := s.path(d)
	if st, err := os.Stat(path); err == nil && st.Size() == int64(len(b.Bytes())) {
		return d, nil
	}
	if err := s.write(path, b.Bytes()); err != nil {
		return Digest{}, fmt.Errorf("cas: store payload %s: %w", d.Short(), err)
	}
	return d, nil
}

// write makes the file whole under a name of its own, then gives it its name.
func (s *Dir) write(path string, p []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(p)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Get implements Store.
func (s *Dir) Get(d Digest) ([]byte, error) {
	path := s.path(d)
	p, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cas: payload %s: %w %s", d, ErrNotFound, s.root)
	}
	if err != nil {
		return nil, fmt.Errorf("cas: payload %s: %w", d.Short(), err)
	}
	if got := Sum(p); got != d {
		return nil, &CorruptError{Want: d, Got: got, Where: path}
	}
	return p, nil
}

// Has implements Store.
func (s *Dir) Has(d Digest) (bool, error) {
	_, err := os.Stat(s.path(d))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
