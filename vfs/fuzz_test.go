package vfs

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/codec"
	"github.com/seed48025506/belljar/internal/errno"
)

// FuzzAnswers replays answers that no base would give: a tape is a file that
// anybody may have written. Nothing panics, hangs or is believed beyond its
// length, and what ends the run says so.
func FuzzAnswers(f *testing.F) {
	seed := func(stat statAnswer, second any) {
		p, err := codec.Marshal(stat)
		require.NoError(f, err)
		q, ok := second.([]byte)
		if !ok {
			q, err = codec.Marshal(second)
			require.NoError(f, err)
		}
		f.Add(p, q)
	}
	seed(statAnswer{Type: uint8(TypeFile), Size: 5}, []byte("hello"))
	seed(statAnswer{Type: uint8(TypeFile), Size: 1 << 60}, []byte("short"))
	seed(statAnswer{Type: uint8(TypeFile), Size: -1}, wholeAnswer{Content: []byte("x")})
	seed(statAnswer{Type: uint8(TypeDir)}, listAnswer{Names: []byte("a\x00../b\x00\x00.\x00"), Types: []byte{1, 2, 3, 250}})
	seed(statAnswer{Type: uint8(TypeSymlink), Size: 3}, linkAnswer{Target: []byte("f")})
	seed(statAnswer{Type: 77, Errno: 999}, []byte{})
	f.Fuzz(func(t *testing.T, stat, second []byte) {
		var out bytes.Buffer
		store := cas.NewMem()
		deck, err := tape.Record(&out, store, tape.Header{})
		require.NoError(t, err)
		answer := func(kind tape.Kind, key string, p []byte) {
			_, err := deck.Answer(kind, []byte(key), func() ([]byte, error) { return p, nil })
			require.NoError(t, err)
		}
		answer(kindStat, "f", stat)
		if kind, key := nextQuestion(stat); kind != "" {
			answer(kind, key, second)
		}
		require.NoError(t, deck.Finish(cas.Digest{}))
		tp, err := tape.Open(&out)
		require.NoError(t, err)
		deck, err = tp.Replay(store)
		require.NoError(t, err)
		lookAround(New(Config{Deck: deck}))
	})
}

// nextQuestion is what a tree asks after this answer about "f".
func nextQuestion(stat []byte) (tape.Kind, string) {
	var a statAnswer
	if codec.Unmarshal(stat, &a) != nil || a.Errno != 0 {
		return "", ""
	}
	switch {
	case Type(a.Type) == TypeDir:
		return kindList, "f"
	case Type(a.Type) == TypeSymlink:
		return kindLink, "f"
	case a.Size == unsized:
		return kindWhole, "f"
	case a.Size > 0:
		off, n := extents{}.missing(0, min(a.Size, MaxSize))
		return kindRead, fmt.Sprintf("f@%d+%d", off, n)
	}
	return "", ""
}

func lookAround(f *FS) {
	if f.Mount("/", Absent(), false) != nil {
		return
	}
	_, _ = f.StatAt(f.Root(), "f", 0)
	_, _ = f.ReadlinkAt(f.Root(), "f")
	h, e := f.OpenAt(f.Root(), "f", 0, 0)
	if e == errno.OK {
		_, _ = h.ReadAt(make([]byte, 100), 0)
		_ = h.ReadDir(0, func(Dirent) bool { return true })
		_, _ = h.WriteAt([]byte("x"), 1)
	}
	_, _ = f.Changes()
	_, _ = f.Digest()
}
