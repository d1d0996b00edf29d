package vfs

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/errno"
)

// session reads and changes a tree; what it saw is its outcome.
func session(t *testing.T, deck *tape.Deck, b Base) (tree, []string) {
	x := tree{New(Config{Deck: deck, Now: func() int64 { return 7 }}), t}
	require.NoError(t, x.Mount("/w", b, false))
	saw := append(x.names("w"), x.names("w/d")...)
	saw = append(saw, x.read("w/a"), x.read("w/d/big")[firstExtent-2:])
	st, e := x.StatAt(x.Root(), "w", 0)
	require.Equal(t, errno.OK, e)
	saw = append(saw, st.Mode.String())
	_, e = x.StatAt(x.Root(), "w/nope", 0)
	saw = append(saw, e.String())
	x.write("w/a", "changed")
	h := x.open("w/d/big", OpenWrite)
	h.WriteAt([]byte("!"), 5)
	require.NoError(t, x.Remove("w/d/b"))
	require.Equal(t, errno.OK, x.RenameAt(x.Root(), "w/d", x.Root(), "w/e"))
	list, err := x.Changes()
	require.NoError(t, err)
	for _, c := range list {
		saw = append(saw, c.Kind.String(), c.Path)
		if c.Before != nil && c.Before.Content != nil && c.Path != "w/d/b" { // which was never read
			p, err := c.Before.Content()
			require.NoError(t, err, c.Path)
			saw = append(saw, cas.Sum(p).String())
		}
	}
	d, err := x.Digest()
	require.NoError(t, err)
	return x, append(saw, d.String())
}

func TestReplayNeedsNoBase(t *testing.T) {
	_, b := hostTree(t, map[string]string{"a": "A", "d/b": "B", "d/big": string(bytes.Repeat([]byte("x"), firstExtent+3))})
	store := cas.NewMem()
	var out bytes.Buffer
	deck, err := tape.Record(&out, store, tape.Header{})
	require.NoError(t, err)
	x, want := session(t, deck, b)
	require.NoError(t, x.Err())
	end, err := x.Digest()
	require.NoError(t, err)
	require.NoError(t, deck.Finish(end))
	require.Less(t, out.Len(), 4096)

	tp, err := tape.Open(&out)
	require.NoError(t, err)
	deck, err = tp.Replay(store)
	require.NoError(t, err)
	x, got := session(t, deck, Absent())
	require.NoError(t, x.Err())
	require.Equal(t, want, got)
	require.NoError(t, deck.Finish(end))

	deck, err = tp.Verify(store)
	require.NoError(t, err)
	_, got = session(t, deck, b)
	require.Equal(t, want, got)
	require.NoError(t, deck.Finish(end))
}

func TestReplayOfUnreadContentSaysSo(t *testing.T) {
	_, b := hostTree(t, map[string]string{"a": "A"})
	store := cas.NewMem()
	var out bytes.Buffer
	deck, err := tape.Record(&out, store, tape.Header{})
	require.NoError(t, err)
	x := tree{New(Config{Deck: deck}), t}
	require.NoError(t, x.Mount("/", b, false))
	x.write("a", "B")
	d, err := x.Digest()
	require.NoError(t, err)
	require.NoError(t, deck.Finish(d))
	tp, err := tape.Open(&out)
	require.NoError(t, err)
	deck, err = tp.Replay(store)
	require.NoError(t, err)
	x = tree{New(Config{Deck: deck}), t}
	require.NoError(t, x.Mount("/", Absent(), false))
	x.write("a", "B")
	again, err := x.Digest()
	require.NoError(t, err)
	require.Equal(t, d, again)
	list, err := x.Changes()
	require.NoError(t, err)
	_, err = list[0].Before.Content()
	require.ErrorIs(t, err, ErrAbsent)
	require.ErrorContains(t, err, "/a")
}

func TestReplayPastTheTapeIsAFault(t *testing.T) {
	x := newTree(t)
	require.NoError(t, x.Mount("/", Absent(), false))
	_, e := x.StatAt(x.Root(), "a", 0)
	require.Equal(t, errno.EIO, e)
	require.ErrorIs(t, x.Err(), ErrAbsent)
}
