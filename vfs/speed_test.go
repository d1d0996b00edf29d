package vfs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
)

const bigFile = 64 << 20

// BenchmarkWrite64M writes 64 MiB in pieces of 4 KiB: ours, and a file of the
// host (set TMPDIR to a tmpfs).
func BenchmarkWrite64M(b *testing.B) {
	p := make([]byte, 4096)
	b.Run("vfs", func(b *testing.B) {
		b.SetBytes(bigFile)
		for b.Loop() {
			f := New(Config{})
			h, _ := f.OpenAt(f.Root(), "f", OpenCreate|OpenWrite, 0o644)
			for off := int64(0); off < bigFile; off += 4096 {
				h.WriteAt(p, off)
			}
		}
	})
	b.Run("host", func(b *testing.B) {
		b.SetBytes(bigFile)
		name := filepath.Join(b.TempDir(), "f")
		for b.Loop() {
			h, err := os.Create(name)
			require.NoError(b, err)
			for off := int64(0); off < bigFile; off += 4096 {
				h.WriteAt(p, off)
			}
			h.Close()
			os.Remove(name)
		}
	})
}

// BenchmarkRead64M reads 64 MiB of a base for the first time.
func BenchmarkRead64M(b *testing.B) {
	dir := b.TempDir()
	name := filepath.Join(dir, "f")
	data := make([]byte, bigFile)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	require.NoError(b, os.WriteFile(name, data, 0o644))
	p := make([]byte, 4096)
	host, err := Dir(dir)
	require.NoError(b, err)
	defer host.Close()
	read := func(b *testing.B, deck *tape.Deck) {
		f := New(Config{Deck: deck})
		require.NoError(b, f.Mount("/", host, false))
		h, _ := f.OpenAt(f.Root(), "f", 0, 0)
		for off := int64(0); off < bigFile; off += 4096 {
			h.ReadAt(p, off)
		}
		require.NoError(b, f.Err())
	}
	b.Run("vfs", func(b *testing.B) {
		b.SetBytes(bigFile)
		for b.Loop() {
			read(b, nil)
		}
	})
	b.Run("recording", func(b *testing.B) {
		b.SetBytes(bigFile)
		for b.Loop() {
			deck, err := tape.Record(discard{}, cas.NewMem(), tape.Header{})
			require.NoError(b, err)
			read(b, deck)
		}
	})
	b.Run("host", func(b *testing.B) {
		b.SetBytes(bigFile)
		for b.Loop() {
			h, err := os.Open(name)
			require.NoError(b, err)
			for off := int64(0); off < bigFile; off += 4096 {
				h.ReadAt(p, off)
			}
			h.Close()
		}
	})
}

// BenchmarkDigest64M sums 64 MiB that were just written.
func BenchmarkDigest64M(b *testing.B) {
	f := New(Config{})
	data := make([]byte, bigFile)
	for i := range data {
		data[i] = byte(i)
	}
	require.NoError(b, f.WriteFile("f", data, 0o644))
	b.SetBytes(bigFile)
	for b.Loop() {
		_, err := f.Digest()
		require.NoError(b, err)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
