package vfs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/codec"
	"github.com/seed48025506/belljar/internal/errno"
)

// The kinds of answers that come from a base. The key is the path in the tree
// ("" for the root), for base.read followed by "@offset+length".
const (
	kindStat tape.Kind = "base.stat"
	kindList tape.Kind = "base.list"
	kindLink tape.Kind = "base.link"
	kindRead tape.Kind = "base.read"
	// kindWhole is for files that do not know their size.
	kindWhole tape.Kind = "base.whole"
)

// The payloads. A listing is two byte strings, and not an array, so that a
// directory of a million names is one allocation and meets no limit on
// elements: names in byte order, each ended by NUL, and one type for each.
type (
	statAnswer struct {
		_     struct{} `cbor:",toarray"`
		Errno uint16
		Type  uint8
		Perm  uint32
		Size  int64
		Mtime int64
	}
	listAnswer struct {
		_     struct{} `cbor:",toarray"`
		Errno uint16
		Names []byte
		Types []byte
	}
	wholeAnswer struct {
		_       struct{} `cbor:",toarray"`
		Errno   uint16
		Content []byte
	}
	linkAnswer struct {
		_      struct{} `cbor:",toarray"`
		Errno  uint16
		Target []byte
	}
)

// memo is what is known of one path of a base. Changes takes the state before
// the run from it where the base is absent.
type memo struct {
	stat    *Info
	list    []Entry
	listed  bool
	target  string
	extents extents
}

// remember changes the memo of a path.
func (f *FS) remember(p string, change func(*memo)) {
	m, _ := f.memos.Get(p)
	change(&m)
	f.memos.Set(p, m)
}

// askStat asks for the attributes of one name.
func (f *FS) askStat(m *mount, p string) (Info, errno.Errno) {
	var stamp Stamp
	var a statAnswer
	e := f.ask(kindStat, m.tree(p), &a, func() (any, error) {
		in, err := m.base.Lstat(p)
		stamp = in.Stamp
		if in.Unsized {
			in.Size = unsized
		}
		return statAnswer{Errno: refusal(&err), Type: uint8(in.Type), Perm: uint32(in.Perm), Size: in.Size, Mtime: in.Mtime}, err
	})
	if e == errno.OK {
		e = errno.Errno(a.Errno)
	}
	if e != errno.OK {
		return Info{}, e
	}
	in := Info{Type: Type(a.Type), Perm: permOf(a.Perm), Size: min(max(a.Size, 0), MaxSize),
		Mtime: a.Mtime, Stamp: stamp, Unsized: a.Size == unsized}
	f.remember(m.tree(p), func(o *memo) { o.stat = &in })
	return in, errno.OK
}

// askList asks for the entries of one directory; they come sorted.
func (f *FS) askList(m *mount, p string) ([]Entry, errno.Errno) {
	var a listAnswer
	e := f.ask(kindList, m.tree(p), &a, func() (any, error) {
		list, err := m.base.ReadDir(p)
		no := refusal(&err)
		names, types := packList(list)
		return listAnswer{Errno: no, Names: names, Types: types}, err
	})
	if e == errno.OK {
		e = errno.Errno(a.Errno)
	}
	if e != errno.OK {
		return nil, e
	}
	list := unpackList(a.Names, a.Types)
	f.remember(m.tree(p), func(o *memo) { o.list, o.listed = list, true })
	return list, errno.OK
}

// askLink asks for the target of one symlink.
func (f *FS) askLink(m *mount, p string) (string, errno.Errno) {
	var a linkAnswer
	e := f.ask(kindLink, m.tree(p), &a, func() (any, error) {
		target, err := m.base.ReadLink(p)
		return linkAnswer{Errno: refusal(&err), Target: []byte(target)}, err
	})
	if e == errno.OK {
		e = errno.Errno(a.Errno)
	}
	if e != errno.OK {
		return "", e
	}
	f.remember(m.tree(p), func(o *memo) { o.target = string(a.Target) })
	return string(a.Target), errno.OK
}

// askRead asks for n bytes from off on. The answer is the bytes themselves,
// so that they are neither copied nor encoded; a file that cannot be opened
// is an empty answer.
func (f *FS) askRead(o *origin, off int64, n int) ([]byte, errno.Errno) {
	tree := o.tree()
	key := tree + "@" + strconv.FormatInt(off, 10) + "+" + strconv.Itoa(n)
	p, err := f.cfg.Deck.AnswerBlob(kindRead, []byte(key), func() (*cas.Blob, error) {
		b, err := o.mnt.base.Read(o.path, o.info, off, n)
		if refusal(&err) != 0 {
			return cas.NewBlob(nil), nil
		}
		return b, named(err, tree)
	})
	switch {
	case err != nil:
		return nil, f.fault(fmt.Errorf("vfs: %s of /%s: %w", kindRead, tree, err))
	case len(p) == 0:
		return nil, errno.EACCES
	case len(p) != n:
		return nil, f.fault(&BaseChangedError{Path: tree})
	}
	f.remember(tree, func(m *memo) { m.extents = m.extents.with(off, p) })
	return p, errno.OK
}

// ask puts one question to the deck, which puts it to the base or not.
func (f *FS) ask(kind tape.Kind, tree string, into any, live func() (any, error)) errno.Errno {
	p, err := f.cfg.Deck.Answer(kind, []byte(tree), func() ([]byte, error) {
		v, err := live()
		if err != nil {
			return nil, named(err, tree) // the deck reports it before we do
		}
		return codec.Marshal(v)
	})
	if err == nil {
		err = codec.Unmarshal(p, into)
	}
	if err != nil {
		return f.fault(fmt.Errorf("vfs: %s of /%s: %w", kind, tree, err))
	}
	return errno.OK
}

// refusal returns the number of an error that a guest may see, and takes the
// error away; other errors stay.
func refusal(err *error) uint16 {
	if *err == nil || errors.Is(*err, ErrBaseChanged) || errors.Is(*err, ErrAbsent) {
		return 0
	}
	e := errno.From(*err)
	if !expected(e) {
		return 0
	}
	*err = nil
	return uint16(e)
}

// named puts the path on what a base says without knowing where it is.
func named(err error, tree string) error {
	if errors.Is(err, ErrBaseChanged) {
		return &BaseChangedError{Path: tree}
	}
	return err
}

func packList(list []Entry) (names, types []byte) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range list {
		names = append(append(names, e.Name...), 0)
		types = append(types, uint8(e.Type))
	}
	return names, types
}

// unpackList reads what packList made; names without a type are left out.
func unpackList(names, types []byte) []Entry {
	list := make([]Entry, 0, len(types))
	for _, t := range types {
		name, rest, ok := bytes.Cut(names, []byte{0})
		if !ok {
			break
		}
		list = append(list, Entry{Name: string(name), Type: Type(t)})
		names = rest
	}
	return list
}
