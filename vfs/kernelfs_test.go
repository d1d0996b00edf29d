package vfs

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/errno"
)

func TestKernelFiles(t *testing.T) {
	for dir, file := range map[string]string{"/proc/self": "status", "/sys/kernel": "uevent_seqnum"} {
		t.Run(dir, func(t *testing.T) {
			want, err := os.ReadFile(dir + "/" + file)
			if err != nil {
				t.Skipf("this system has no %s/%s", dir, file)
			}
			b, err := Dir(dir)
			require.NoError(t, err)
			defer b.Close()
			var out bytes.Buffer
			store := cas.NewMem()
			deck, err := tape.Record(&out, store, tape.Header{})
			require.NoError(t, err)
			got := readTwice(t, b, deck, file)
			require.Equal(t, strings.SplitN(string(want), "\n", 2)[0], strings.SplitN(got, "\n", 2)[0])
			require.NoError(t, deck.Finish(cas.Digest{}))

			again, err := tape.Open(&out)
			require.NoError(t, err)
			deck, err = again.Replay(store)
			require.NoError(t, err)
			require.Equal(t, got, readTwice(t, Absent(), deck, file))
		})
	}
}

// readTwice looks at a file, reads it, and appends to it.
func readTwice(t *testing.T, b Base, deck *tape.Deck, file string) string {
	x := tree{New(Config{Deck: deck}), t}
	require.NoError(t, x.Mount("/", b, false))
	st, e := x.StatAt(x.Root(), file, 0)
	require.Equal(t, errno.OK, e)
	require.Zero(t, st.Size, "nobody knows")
	got := x.read(file)
	st, e = x.StatAt(x.Root(), file, 0)
	require.Equal(t, errno.OK, e)
	require.EqualValues(t, len(got), st.Size)
	require.Equal(t, got, x.read(file), "it stays as it was read first")
	require.Empty(t, x.changes())
	h := x.open(file, OpenWrite)
	_, _, e = h.Append([]byte("!"))
	require.Equal(t, errno.OK, e)
	require.Equal(t, []string{"modified " + file}, x.changes())
	return got
}

func TestKernelFilesThatCannotBeRead(t *testing.T) {
	if _, err := os.Stat("/proc/self/mem"); err != nil {
		t.Skip("this system has no /proc/self/mem")
	}
	b, err := Dir("/proc/self")
	require.NoError(t, err)
	defer b.Close()
	x := newTree(t)
	require.NoError(t, x.Mount("/", b, false))
	_, e := x.OpenAt(x.Root(), "mem", 0, 0)
	require.NotEqual(t, errno.OK, e, "address 0 is not mapped")
	require.NoError(t, x.Err(), "that is the guest's to see")
	_, e = x.OpenAt(x.Root(), "pagemap", 0, 0)
	require.NotEqual(t, errno.OK, e, "it is longer than any file")
	require.NoError(t, x.Err())
}
